// Reads pc, sp and signal mask from the frame. A handler returns through the kernel's code in the vdso.
#include "platform/base/config.h"
#include "platform/linux/aarch64/signal_frame_aarch64.h"
#include "platform/linux/kernel_abi.h"
#include "platform/linux/signals/signal_frame.h"
#include "platform/safe_read.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

uint64_t FramePc(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->pc; }
uint64_t FrameSp(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->sp; }
uint64_t FrameSignalMask(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->signal_mask; }

// The pc of a brk instruction's trap is its own. A thread may send itself a SIGTRAP of any code, which arrives when the
// system call returns. With SI_KERNEL there is no address to tell that by.
RaisedByProgram FrameTrapOrigin(int32_t code, const void* ucontext) {
  constexpr uint32_t kBrk = 0xd4200000;
  constexpr uint32_t kSvc = 0xd4000001;
  constexpr uint32_t kAllButNumber = 0xffe0001f;
  const uint64_t pc = FramePc(ucontext);
  if (!IsReadable(pc)) return RaisedByProgram::kNo;
  const auto* at_pc = reinterpret_cast<const uint32_t*>(pc);
  const bool is_sent = code == kSiKernel && IsReadable(pc - sizeof kSvc) && (at_pc[-1] & kAllButNumber) == kSvc;
  return is_sent || (at_pc[0] & kAllButNumber) == kBrk ? RaisedByProgram::kYes : RaisedByProgram::kNo;
}

// The kernel leaves streaming mode and clears PSTATE.TCO. It leaves FPCR: rounding, flushing and trapping of
// floating-point operations would otherwise be the program's.
uint64_t EnterCpuState() {
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr)::"memory");
  if (fpcr != 0) LeaveCpuState(0);
  return fpcr;
}
void LeaveCpuState(uint64_t state) { __asm__ volatile("msr fpcr, %0" ::"r"(state) : "memory"); }

uint64_t SignalRestorer() { return 0; }

}  // namespace softlbr::platform
