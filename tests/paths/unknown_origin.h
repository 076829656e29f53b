// Finds the origin of an UNKNOWN that stopped look-ahead: runs a segment again, one uop at a time, and follows every
// UNKNOWN back.
//
// An UNKNOWN result with an UNKNOWN operand has that operand's origin; with none, the instruction is itself the origin.
// This is a heuristic, not a proof: it also follows operands that do not affect a result.
#ifndef SOFTLBR_TESTS_PATHS_UNKNOWN_ORIGIN_H_
#define SOFTLBR_TESTS_PATHS_UNKNOWN_ORIGIN_H_

#include <cstdint>
#include <map>

#include "tests/paths/path_predictor.h"

namespace softlbr::paths {

enum class OriginKind : uint8_t {
  kNone,         // nothing UNKNOWN was found: the search missed it
  kInstruction,  // the uop's result is not computed
  kSystemCall,   // the stop is a system call
  kDeadStack,    // a load below the stack pointer, where the handler's frame is
  kSpecialPage,  // a load from the clock page or a device
  kPoison,       // a store to an UNKNOWN address (the origin is that address's) or all memory clobbered
  kStoreBufferFull,
};
const char* NameOf(OriginKind kind);

struct Origin {
  OriginKind kind = OriginKind::kNone;
  uint64_t pc = 0;              // of the instruction
  uint32_t op = 0;              // the uop
  bool through_poison = false;  // a load read memory that was poisoned by a store to an UNKNOWN address
};

class OriginFinder {
 public:
  explicit OriginFinder(PathPredictor* predictor) : predictor_(*predictor) {}
  // `segment` ended kUnresolved; the evaluator has just adopted the state that the segment began with.
  Origin Find(const Segment& segment);

 private:
  void RunUop(const softlbr_block& block, const softlbr_uop& uop, uint64_t pc);
  Origin OperandsOf(const softlbr_uop& uop, uint64_t pc) const;
  Origin OfSlots(uint32_t first, uint32_t bytes) const;
  Origin OfMemory(uint64_t address, uint32_t bytes, const Origin& self) const;
  Origin OfTerminator(const softlbr_terminator& end, uint64_t pc) const;

  PathPredictor& predictor_;
  Origin slots_[SOFTLBR_REG_COUNT];
  Origin flags_;
  Origin poison_;
  std::map<uint64_t, Origin> stored_;  // by line: the last UNKNOWN stored in it
};

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_UNKNOWN_ORIGIN_H_
