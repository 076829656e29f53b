// The CPU's part of signal delivery: where the frame keeps pc, sp and the interrupted mask, and how a handler returns.
//
// Context: handler-safe, but InitCpuContext, which is control.
#ifndef SOFTLBR_PLATFORM_LINUX_SIGNALS_SIGNAL_FRAME_H_
#define SOFTLBR_PLATFORM_LINUX_SIGNALS_SIGNAL_FRAME_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/trap_signal.h"

namespace softlbr::platform {

// 0: in code of a 32-bit segment (x86-64).
SOFTLBR_HANDLER_SAFE uint64_t FramePc(const void* ucontext);
SOFTLBR_HANDLER_SAFE uint64_t FrameSp(const void* ucontext);
// The mask in effect before the trap, which the kernel restores when the handler returns.
SOFTLBR_HANDLER_SAFE uint64_t FrameSignalMask(const void* ucontext);

// Whether the program raised the SIGTRAP with this positive si_code itself. At most two system calls.
SOFTLBR_HANDLER_SAFE RaisedByProgram FrameTrapOrigin(int32_t code, const void* ucontext);

// Puts the CPU into the state that compiled code expects, as far as the kernel does not: a handler starts with the
// program's alignment checks (x86-64) or with its floating-point control (AArch64). Returns what it has changed.
// rt_sigreturn brings the program's own state back; LeaveCpuState does so before another handler is called.
SOFTLBR_HANDLER_SAFE uint64_t EnterCpuState();
SOFTLBR_HANDLER_SAFE void LeaveCpuState(uint64_t state);

// Address for sa_restorer; 0 where the kernel provides the return code itself.
SOFTLBR_HANDLER_SAFE uint64_t SignalRestorer();

// Queries once what LoadMachineContext needs to know about this machine. InstallTrapHandler calls it; further calls do
// nothing.
void InitCpuContext();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_SIGNALS_SIGNAL_FRAME_H_
