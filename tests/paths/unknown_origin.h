// Why did look-ahead not know? Runs a segment again, one uop at a time, and follows every UNKNOWN back to what made it.
//
// An UNKNOWN result with an UNKNOWN operand has that operand's origin; with none, the instruction is itself the origin.
// Good enough to say what to do next, not a proof: operands that do not matter for a result are followed too.
#ifndef SOFTLBR_TESTS_PATHS_UNKNOWN_ORIGIN_H_
#define SOFTLBR_TESTS_PATHS_UNKNOWN_ORIGIN_H_

#include <cstdint>
#include <map>

#include "tests/paths/path_predictor.h"

namespace softlbr::paths {

enum class OriginKind : uint8_t {
  kNone,         // nothing UNKNOWN was found: the follower missed it
  kInstruction,  // the uop's result is not computed
  kSystemCall,   // the stop is a system call
  kDeadStack,    // a load below the stack pointer, where the handler's frame lies
  kSpecialPage,  // a load from the clock page or a device
  kPoison,       // a store to an UNKNOWN address (the origin is that address's) or all memory clobbered
  kStoreBufferFull,
};
const char* NameOf(OriginKind kind);

struct Origin {
  OriginKind kind = OriginKind::kNone;
  uint64_t pc = 0;              // of the instruction
  uint32_t op = 0;              // the uop
  bool through_poison = false;  // a load met memory that a store to an UNKNOWN address had spoilt
};

class OriginFinder {
 public:
  explicit OriginFinder(PathPredictor* predictor) : predictor_(*predictor) {}
  // `segment` ended kUnresolved; the evaluator has just adopted the state the segment began with.
  Origin Find(const Stretch& segment);

 private:
  void RunUop(const softlbr_block& block, const softlbr_uop& uop, uint64_t pc);
  Origin OperandsOf(const softlbr_uop& uop, uint64_t pc) const;
  Origin OfCells(uint32_t first, uint32_t bytes) const;
  Origin OfMemory(uint64_t address, uint32_t bytes, const Origin& self) const;
  Origin OfTerminator(const softlbr_terminator& end, uint64_t pc) const;

  PathPredictor& predictor_;
  Origin cells_[SOFTLBR_REG_COUNT];
  Origin flags_;
  Origin poison_;
  std::map<uint64_t, Origin> stored_;  // by line: the last UNKNOWN stored there
};

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_UNKNOWN_ORIGIN_H_
