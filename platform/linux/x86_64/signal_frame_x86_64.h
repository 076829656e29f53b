// The signal frame of the x86-64 kernel: ucontext, general registers, FXSAVE area, XSAVE header.
//
// Declared here because the kernel's headers and libc's cannot be included together. tests/platform compares the
// offsets with libc's ucontext_t.
#ifndef SOFTLBR_PLATFORM_LINUX_X86_64_SIGNAL_FRAME_X86_64_H_
#define SOFTLBR_PLATFORM_LINUX_X86_64_SIGNAL_FRAME_X86_64_H_

#include <cstddef>
#include <cstdint>

#include "platform/base/attributes.h"

// The code that ends our handler: rt_sigreturn.
extern "C" SOFTLBR_HANDLER_SAFE void softlbr_signal_restorer();

namespace softlbr::platform {

struct X86FloatState {
  uint16_t control;
  uint16_t status;
  uint16_t tags;
  uint16_t opcode;
  uint64_t instruction;
  uint64_t data;
  uint32_t mxcsr;
  uint32_t mxcsr_mask;
  uint64_t st[8][2];  // st(0) first; the low half is the significand
  uint64_t xmm[16][2];
  uint8_t reserved[48];
  // fp_sw_reserved: the kernel's description of what follows.
  uint32_t magic1;
  uint32_t extended_bytes;
  uint64_t features;
  uint32_t xstate_bytes;
  uint32_t software_padding[7];
  // XSAVE header, standard (not compacted) format; present only if magic1 is kXstateMagic1.
  uint64_t xstate_bv;
};
static_assert(offsetof(X86FloatState, mxcsr) == 24);
static_assert(offsetof(X86FloatState, xmm) == 160);
static_assert(offsetof(X86FloatState, magic1) == 464);
static_assert(offsetof(X86FloatState, xstate_bv) == 512);

struct X86SignalFrame {
  uint64_t uc_flags;
  uint64_t uc_link;
  uint64_t stack_sp;
  uint64_t stack_flags;
  uint64_t stack_bytes;
  uint64_t r8_to_r15[8];
  uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
  uint64_t segments;
  uint64_t error, trap_number, old_mask, cr2;
  const X86FloatState* float_state;
  uint64_t reserved[8];
  uint64_t signal_mask;
};
static_assert(offsetof(X86SignalFrame, r8_to_r15) == 40);
static_assert(offsetof(X86SignalFrame, rsp) == 160);
static_assert(offsetof(X86SignalFrame, rip) == 168);
static_assert(offsetof(X86SignalFrame, eflags) == 176);
static_assert(offsetof(X86SignalFrame, float_state) == 224);
static_assert(offsetof(X86SignalFrame, signal_mask) == 296);

inline constexpr uint32_t kXstateMagic1 = 0x46505853;
inline constexpr uint32_t kXstateMagic2 = 0x46505845;

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_X86_64_SIGNAL_FRAME_X86_64_H_
