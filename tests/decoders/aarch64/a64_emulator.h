// The reference side of an A64 case: Unicorn runs the code on a state and returns the resulting state.
//
// Code and scratch memory are pages of this process, mapped into the emulator at the same addresses: the evaluator
// reads the same bytes before the emulator changes them. One emulator per process is enough.
#ifndef SOFTLBR_TESTS_DECODERS_AARCH64_A64_EMULATOR_H_
#define SOFTLBR_TESTS_DECODERS_AARCH64_A64_EMULATOR_H_

#include <unicorn/unicorn.h>

#include <cstdint>

namespace softlbr::oracle {

inline constexpr uint64_t kCodeBytes = 4096;
inline constexpr uint64_t kScratchBytes = 8192;

struct A64State {
  uint64_t x[31];
  uint64_t sp;
  uint64_t pc;
  uint64_t nzcv;  // bits 31..28
  uint64_t fpcr;
  uint64_t tpidr;
  uint64_t dczid;  // constant
  uint64_t v[32][2];
};

enum class EmulatorResult : uint8_t {
  kOk = 0,
  kFaulted = 1,    // a data access to unmapped memory; pc is the address of the instruction
  kUndefined = 2,  // the emulator does not know the instruction, or it enters the kernel
};

class A64Emulator {
 public:
  A64Emulator();
  ~A64Emulator();
  A64Emulator(const A64Emulator&) = delete;
  A64Emulator& operator=(const A64Emulator&) = delete;

  uint64_t code_address() const { return reinterpret_cast<uint64_t>(code_); }
  uint64_t scratch_address() const { return reinterpret_cast<uint64_t>(scratch_); }
  uint8_t* scratch() { return scratch_; }
  uint64_t dczid() const { return dczid_; }

  void SetCode(const uint32_t* words, uint32_t count);
  // Runs the words set last, or fewer if a branch leaves them. *state is the machine before and after. is_straight: no
  // word may branch.
  EmulatorResult Run(A64State* state, bool is_straight);

 private:
  uint64_t ReadDczid();
  // Two engines: one for code that may branch, which counts instructions, and one that does not count. Switching
  // between the two modes would discard an engine's translations.
  uc_engine* engines_[2] = {};
  uint8_t* code_ = nullptr;
  uint8_t* scratch_ = nullptr;
  uint32_t count_ = 0;
  uint64_t dczid_ = 0;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_AARCH64_A64_EMULATOR_H_
