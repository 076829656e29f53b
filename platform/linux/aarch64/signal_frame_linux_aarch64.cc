// Reads pc, sp and signal mask from the frame. A handler returns through the kernel's code in the vdso.
#include "platform/config.h"
#include "platform/linux/aarch64/signal_frame_aarch64.h"
#include "platform/linux/signal_frame.h"
#include "platform/safe_read.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

uint64_t FramePc(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->pc; }
uint64_t FrameSp(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->sp; }
uint64_t FrameSignalMask(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->signal_mask; }

// The pc of a brk instruction's trap is its own.
RaisedByProgram FrameTrapOrigin(int32_t, const void* ucontext) {
  constexpr uint32_t kBrk = 0xd4200000;
  constexpr uint32_t kAllButNumber = 0xffe0001f;
  const uint64_t pc = FramePc(ucontext);
  if (!IsReadable(pc)) return RaisedByProgram::kNo;
  const uint32_t instruction = *reinterpret_cast<const uint32_t*>(pc);
  return (instruction & kAllButNumber) == kBrk ? RaisedByProgram::kYes : RaisedByProgram::kNo;
}

// The kernel leaves streaming mode and clears PSTATE.TCO. It leaves FPCR: rounding, flushing and trapping of floating-point
// operations would otherwise be the program's.
uint64_t EnterCpuState() {
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr)::"memory");
  if (fpcr != 0) LeaveCpuState(0);
  return fpcr;
}
void LeaveCpuState(uint64_t state) { __asm__ volatile("msr fpcr, %0" ::"r"(state) : "memory"); }

uint64_t SignalRestorer() { return 0; }

}  // namespace softlbr::platform
