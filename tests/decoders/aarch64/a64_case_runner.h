// One case of the A64 oracle: the same words from the same random state, once in the emulator and once lifted and
// evaluated; then every known bit must be equal.
//
// Who calls: the oracle's tests. What is compared: x0..x30, sp, NZCV, v0..v31, FPCR's known bytes, where control goes, and
// every byte of the scratch memory against the store buffer. What is UNKNOWN is counted, not compared.
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

// What the case knows beforehand.
struct A64Expectation {
  bool is_modelled = false;            // with every input known, every output must be known, but:
  uint8_t nan_lane_bytes = 0;          // lanes of this size may be UNKNOWN where the emulator gives a NaN
  bool may_lose_nan_operands = false;  // everything may be UNKNOWN where a lane of Vn or Vm is a NaN
};

enum class A64Outcome : uint8_t {
  kEqual = 0,
  kFaulted = 1,     // a data access to nothing, on both sides
  kIllegal = 2,     // no instruction to the emulator
  kUnresolved = 3,  // a terminator on UNKNOWN values; or an abort that partial knowledge excuses
  kMismatch = 4,    // text says what
  kUnknown = 5,     // modelled, inputs known, yet something is UNKNOWN; text says what
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

  // Lifts the words as one block of exactly these. False if the decoder does not: block() shows what it made of them.
  bool Prepare(const uint32_t* words, uint32_t count);
  const softlbr_block& block() const { return block_; }

  A64Report Run(const A64Expectation& expectation, bool partial, Random* random);

  // Words that the decoder refused: does the emulator refuse them too? Call after Prepare has failed.
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
