// One case of the A64 oracle: runs the same words from the same random state in the emulator and, lifted, in the
// evaluator; every known bit must be equal.
//
// Who calls: the oracle's tests. What is compared: x0..x30, sp, NZCV, v0..v31, FPCR's known bytes, the branch target,
// and every byte of the scratch memory with the store buffer. UNKNOWN bits are counted, not compared.
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_A64_CASE_RUNNER_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_A64_CASE_RUNNER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decoders/api/plugin.h"
#include "runtime/lookahead/evaluator.h"
#include "tests/decoders/aarch64/a64_emulator.h"
#include "tests/decoders/oracle/random_values.h"

namespace softlbr::oracle {

// What is known about the words in advance.
struct A64Expectation {
  bool is_modelled = false;            // with all inputs known, all outputs must be known, except:
  uint8_t nan_lane_bytes = 0;          // lanes of this size may be UNKNOWN if the emulator's result is a NaN
  bool may_lose_nan_operands = false;  // everything may be UNKNOWN if a lane of Vn or Vm is a NaN
};

enum class A64Outcome : uint8_t {
  kEqual = 0,
  kFaulted = 1,     // a data access to unmapped memory, on both sides
  kIllegal = 2,     // the emulator does not know the instruction
  kUnresolved = 3,  // a terminator depends on UNKNOWN values; or an abort that partial knowledge explains
  kMismatch = 4,    // see text
  kUnknown = 5,     // modelled and all inputs known, but something is UNKNOWN; see text
};
inline constexpr uint32_t kA64Outcomes = 6;

struct A64Report {
  A64Outcome outcome;
  uint32_t unknown_bytes;
  std::string text;
};

class A64CaseRunner {
 public:
  A64CaseRunner(const softlbr_decoder_plugin* plugin, uint64_t seed);
  ~A64CaseRunner();

  // Lifts the words as one block of exactly these words. False if the decoder lifts them differently; block() then
  // holds the result.
  bool Prepare(const uint32_t* words, uint32_t count);
  const softlbr_block& block() const { return block_; }

  A64Report Run(const A64Expectation& expectation, bool partial, Random* random);

  // For words that the decoder refused, after a failed Prepare: true if the emulator refuses them too.
  bool IsUndefinedToEmulator(Random* random);

 private:
  void MakeState(Random* random);
  void AimAt(uint32_t word, uint32_t instruction, Random* random);
  void LoadContext(bool partial, Random* random);
  void HideMemory(Random* random);
  bool HasNanOperand(uint32_t lane_bytes) const;
  bool CompareRegisters(const A64Expectation& expectation, bool partial, const A64State& after, A64Report* report);
  bool CompareMemory(bool partial, A64Report* report);

  A64Emulator emulator_;
  ValuePool pool_;
  const softlbr_decoder_plugin* plugin_;
  std::vector<uint8_t> arena_;
  softlbr_decoder* decoder_ = nullptr;
  std::unique_ptr<Evaluator> evaluator_;
  A64State start_ = {};
  std::vector<uint8_t> memory_before_;
  std::vector<uint8_t> touched_;  // per scratch byte: 0 untouched, 1 UNKNOWN, 2 known
  softlbr_block block_ = {};
  std::vector<uint32_t> words_;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_AARCH64_A64_CASE_RUNNER_H_
