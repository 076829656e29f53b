// Runs int3 with every register set to a value chosen by the test.
#ifndef SOFTLBR_TESTS_PLATFORM_X86_64_STATE_TRAP_X86_64_H_
#define SOFTLBR_TESTS_PLATFORM_X86_64_STATE_TRAP_X86_64_H_

#include <cstddef>
#include <cstdint>

namespace softlbr::platform::testing {

// state_trap_x86_64.S repeats the offsets.
struct TrapState {
  uint64_t general[16];  // rax rcx rdx rbx rsp rbp rsi rdi r8..r15; rsp is not loaded
  uint64_t eflags;
  uint64_t mxcsr;
  uint64_t vector_level;  // 0: XMM, all else in its initial state; 1: YMM; 2: ZMM 0..31 and k0..k7
  uint64_t padding[5];
  uint64_t vectors[32][8];
  uint64_t masks[8];
  uint64_t mmx[8];
};
static_assert(offsetof(TrapState, vectors) == 192 && offsetof(TrapState, masks) == 2240 &&
              offsetof(TrapState, mmx) == 2304);

extern "C" void softlbr_test_state_trap(const TrapState* state);
extern "C" const char softlbr_test_state_trap_pc[];  // address after the int3
extern "C" uint64_t softlbr_test_state_trap_sp;      // rsp at the int3

}  // namespace softlbr::platform::testing

#endif  // SOFTLBR_TESTS_PLATFORM_X86_64_STATE_TRAP_X86_64_H_
