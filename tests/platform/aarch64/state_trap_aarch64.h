// Runs brk with every register set to a value chosen by the test.
#ifndef SOFTLBR_TESTS_PLATFORM_AARCH64_STATE_TRAP_AARCH64_H_
#define SOFTLBR_TESTS_PLATFORM_AARCH64_STATE_TRAP_AARCH64_H_

#include <cstddef>
#include <cstdint>

namespace softlbr::platform::testing {

// state_trap_aarch64.S repeats the offsets.
struct A64TrapState {
  uint64_t x[31];
  uint64_t nzcv;
  uint64_t fpcr;
  uint64_t padding;
  uint64_t vectors[32][2];
};
static_assert(offsetof(A64TrapState, nzcv) == 248 && offsetof(A64TrapState, vectors) == 272);

// The handler must call SkipTrapInstruction.
extern "C" void softlbr_test_state_trap(const A64TrapState* state);
extern "C" const char softlbr_test_state_trap_pc[];  // address of the brk
extern "C" uint64_t softlbr_test_state_trap_sp;      // sp at the brk

}  // namespace softlbr::platform::testing

#endif  // SOFTLBR_TESTS_PLATFORM_AARCH64_STATE_TRAP_AARCH64_H_
