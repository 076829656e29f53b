// Reads pc, sp and signal mask from the frame, and returns from a handler.
#include "platform/base/config.h"
#include "platform/linux/kernel_abi.h"
#include "platform/linux/signals/signal_frame.h"
#include "platform/linux/x86_64/signal_frame_x86_64.h"
#include "platform/safe_read.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

// rt_sigreturn, in the exact bytes by which debuggers and unwinders recognise a signal frame.
__asm__(
    ".pushsection .text.softlbr_signal_restorer,\"ax\",@progbits\n"
    ".hidden softlbr_signal_restorer\n"
    ".globl softlbr_signal_restorer\n"
    ".type softlbr_signal_restorer,@function\n"
    "nop\n"  // unwinders look up the byte before a return address
    "softlbr_signal_restorer:\n"
    ".byte 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00\n"  // mov $15, %rax
    ".byte 0x0f, 0x05\n"                                // syscall
    ".size softlbr_signal_restorer,.-softlbr_signal_restorer\n"
    ".popsection\n");

namespace softlbr::platform {

// A program may call 32-bit code, which the decoder would read as other instructions. The result is then 0, where there
// is no code, so the trace ends.
uint64_t FramePc(const void* ucontext) {
  constexpr uint8_t kSegmentOf32BitCode = 0x23;  // under Xen 0xe023
  const auto& frame = *static_cast<const X86SignalFrame*>(ucontext);
  return static_cast<uint8_t>(frame.segments) == kSegmentOf32BitCode ? 0 : frame.rip;
}
uint64_t FrameSp(const void* ucontext) { return static_cast<const X86SignalFrame*>(ucontext)->rsp; }
uint64_t FrameSignalMask(const void* ucontext) { return static_cast<const X86SignalFrame*>(ucontext)->signal_mask; }

// A thread may send itself a SIGTRAP of any code, which arrives when the system call returns. With SI_KERNEL there is
// no address to tell that by. int3 gives SI_KERNEL, icebp TRAP_BRKPT, each step under EFLAGS.TF TRAP_TRACE; the pc is
// behind the instruction. A popf or iret that clears TF is the last step: the frame no longer has the flag. The byte of
// icebp also ends other instructions, such as cmp %esi, %ecx.
RaisedByProgram FrameTrapOrigin(int32_t code, const void* ucontext) {
  constexpr uint64_t kTrapFlag = 1u << 8;
  constexpr uint8_t kInt3 = 0xcc;
  constexpr uint8_t kInt = 0xcd;  // followed by the number 3: another int3
  constexpr uint8_t kIcebp = 0xf1;
  constexpr uint8_t kPopf = 0x9d;
  constexpr uint8_t kIret = 0xcf;
  const auto& frame = *static_cast<const X86SignalFrame*>(ucontext);
  if ((frame.eflags & kTrapFlag) != 0) return RaisedByProgram::kYes;
  const uint64_t pc = frame.rip;
  if (!IsReadable(pc - 1)) return RaisedByProgram::kNo;
  const auto* code_before = reinterpret_cast<const uint8_t*>(pc);
  const uint8_t last = code_before[-1];
  if (code == kTrapTrace) return last == kPopf || last == kIret ? RaisedByProgram::kYes : RaisedByProgram::kNo;
  if (code == kSiKernel) {
    const uint8_t first = IsReadable(pc - 2) ? code_before[-2] : uint8_t{0};
    const bool is_sent = first == 0x0f && last == 5;  // syscall
    return last == kInt3 || (first == kInt && last == 3) || is_sent ? RaisedByProgram::kYes : RaisedByProgram::kNo;
  }
  return last == kIcebp ? RaisedByProgram::kPerhaps : RaisedByProgram::kNo;
}

// The kernel clears DF, TF and RF, and gives a handler the default x87 state, MXCSR and PKRU. It leaves EFLAGS.AC:
// while that is set, an access to an address that is not a multiple of its size ends in SIGBUS.
uint64_t EnterCpuState() {
  constexpr uint64_t kAlignmentCheck = 1u << 18;
  const uint64_t flags = __builtin_ia32_readeflags_u64();
  __builtin_ia32_writeeflags_u64(flags & ~kAlignmentCheck);
  __asm__ volatile("" ::: "memory");
  return flags;
}
void LeaveCpuState(uint64_t state) { __builtin_ia32_writeeflags_u64(state); }

uint64_t SignalRestorer() { return reinterpret_cast<uint64_t>(&softlbr_signal_restorer); }

}  // namespace softlbr::platform
