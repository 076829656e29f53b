// Reads pc, sp and signal mask from the frame. A handler returns through the kernel's code in the vdso.
#include "platform/config.h"
#include "platform/linux/aarch64/signal_frame_aarch64.h"
#include "platform/linux/signal_frame.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

uint64_t FramePc(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->pc; }
uint64_t FrameSp(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->sp; }
uint64_t FrameSignalMask(const void* ucontext) { return static_cast<const A64SignalFrame*>(ucontext)->signal_mask; }

uint64_t SignalRestorer() { return 0; }

}  // namespace softlbr::platform
