// One case of the oracle: runs the same instruction bytes from the same random state on the CPU and, lifted, in the
// evaluator; every known bit must be equal.
//
// Who calls: corpus_test, mutation_test, idiom_test, oracle_self_test. One CaseRunner per process, because it owns a
// NativeRunner.
// What is compared: rax..r15, flags, k0..k7, zmm0..zmm31, mm0..mm7, MXCSR's control bits, the direction flag, the
// branch target, and every byte of the scratch memory with the store buffer. UNKNOWN bits are counted, not compared.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_CASE_RUNNER_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_CASE_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decoders/api/plugin.h"
#include "runtime/lookahead/evaluator.h"
#include "tests/decoders/oracle/native_runner.h"
#include "tests/decoders/oracle/random_state.h"

namespace softlbr::oracle {

// What is known about the instruction in advance.
struct Expectation {
  bool is_modelled = false;     // with all inputs known, all outputs must be known, except:
  uint8_t undefined_flags = 0;  // packed SOFTLBR_FLAG_*: may be UNKNOWN
  uint8_t nan_lane_bytes = 0;   // lanes of this size may be UNKNOWN if the CPU's result is a NaN
  bool may_trap = false;        // divisions: a fault on the CPU must end the evaluation
};

enum class CaseOutcome : uint8_t {
  kEqual = 0,
  kFaulted = 1,     // the CPU raised a signal: nothing is compared
  kIllegal = 2,     // SIGILL: this CPU does not have the instruction
  kUnresolved = 3,  // a terminator depends on UNKNOWN values; or an abort that partial knowledge explains
  kSkipped = 4,     // not safe or not possible to run natively
  kMismatch = 5,    // see text
  kUnknown = 6,     // modelled and all inputs known, but something is UNKNOWN; see text
};
inline constexpr uint32_t kCaseOutcomes = 7;

struct CaseReport {
  CaseOutcome outcome;
  uint32_t unknown_bytes;  // bytes of registers and stores; each flag counts as one
  std::string text;        // for kMismatch and kUnknown
};

class CaseRunner {
 public:
  // variant: as for open().
  CaseRunner(const softlbr_decoder_plugin* plugin, uint64_t seed, uint32_t variant = SOFTLBR_DECODER_VARIANT_HOST);
  ~CaseRunner();

  // Lifts the code at the slot's address and prepares the CPU's side. False if the decoder does not lift the bytes as
  // one block of exactly this size; block() then holds what it lifted.
  bool Prepare(const uint8_t* code, size_t size);
  const softlbr_block& block() const { return block_; }

  // Runs one random state. partial: random bytes of the input are UNKNOWN to the evaluator and hold garbage.
  CaseReport Run(const Expectation& expectation, bool partial, Random* random);

  NativeRunner& native() { return native_; }

 private:
  void MakeState(Random* random);
  void PlaceOperands(Random* random);
  void PlaceTarget(Random* random);
  uint64_t ValueOf(uint16_t slot) const;
  bool AimAt(const softlbr_uop& uop, uint32_t uop_index, uint64_t target);
  void LoadContext(bool partial, Random* random);
  void HideMemory(Random* random);
  bool CompareRegisters(const Expectation& expectation, bool partial, CaseReport* report);
  bool CompareMemory(CaseReport* report, bool partial);

  NativeRunner native_;
  StateMaker maker_;
  const softlbr_decoder_plugin* plugin_;
  std::vector<uint8_t> arena_;
  softlbr_decoder* decoder_ = nullptr;
  std::unique_ptr<Evaluator> evaluator_;
  NativeState start_;  // in() at the start of the case
  std::vector<uint8_t> memory_before_;
  std::vector<uint8_t> touched_;  // per scratch byte: 0 untouched, 1 UNKNOWN, 2 known
  softlbr_block block_;
  size_t size_ = 0;
  uint64_t slot_ = 0;  // address of the code under test
  bool has_locked_ = false;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_CASE_RUNNER_H_
