// The SIGTRAP handler: recognises our traps and forwards all others.
//
// Install, Restore: control. The callback runs in the signal handler with every signal blocked (SA_ONSTACK, SA_SIGINFO,
// SA_RESTART) and returns true if the trap was ours. If it returns false, the trap is forwarded to the previous handler
// as the kernel would have delivered it: with its mask and flags, and for the default action the process dies of
// SIGTRAP.
// errno is preserved, because only raw system calls are made.
#ifndef SOFTLBR_PLATFORM_TRAP_SIGNAL_H_
#define SOFTLBR_PLATFORM_TRAP_SIGNAL_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

enum class TrapKind : uint8_t {
  kForeign = 0,     // sent by a process or thread
  kSample = 1,      // a sampler overflow (perf clock or PMU event, or our thread timer)
  kBreakpoint = 2,  // an execution breakpoint
  // Raised by the CPU without naming an event: by the program itself, or a hit whose mark was lost
  // (docs/kernel_limits.md).
  kUnmarked = 3,
};

// Of a kUnmarked trap: whether the program raised it itself, by an instruction such as int3 or by stepping itself.
enum class RaisedByProgram : uint8_t {
  kNo = 0,
  kPerhaps = 1,  // only if an instruction begins at the byte before the pc
  kYes = 2,
};

struct Trap {
  TrapKind kind;
  bool is_asynchronous;  // delivered late: the thread has left the pc of the event
  RaisedByProgram raised_by_program;
  // fewer than kHandlerStackBytes are left: the callback switches to another stack or returns at once
  bool is_stack_short;
  uint64_t sig_data;
  uint64_t pc;  // 0: in code that the decoder cannot read, of a 32-bit segment
  uint64_t sp;
  uint64_t raised_pc;  // of a kUnmarked trap: the pc when it was raised
  void* ucontext;      // for cpu_context.h
};

using TrapCallback = bool (*)(const Trap& trap);

// The disposition of SIGTRAP, in the layout of rt_sigaction.
struct TrapAction {
  uint64_t handler;
  uint64_t flags;
  uint64_t restorer;
  uint64_t mask;
};

// Installs the handler for SIGTRAP, which the thread timer raises too. One per process: kOtherRuntime if another copy
// of the runtime has installed its own.
Status InstallTrapHandler(TrapCallback callback);
// The same for a callback that loads no machine context (cpu_context.h): spares the queries about the CPU, each of
// which traps to the hypervisor of a virtual machine. InstallTrapHandler makes up for them.
Status InstallAlarmHandler(TrapCallback callback);
// Restores the app's disposition. Does nothing if our handler is no longer installed, or while a SIGTRAP is pending or
// may still arrive. The caller has closed all our events before. are_threads_back: each thread is known to have no
// signal of theirs before it; else this waits until each has used some CPU time.
void RestoreTrapHandler(bool are_threads_back = false);
// Blocks or unblocks SIGTRAP on the calling thread; for the control thread, which starts with every signal blocked.
// Control.
void SetTrapSignalBlocked(bool is_blocked);
// False if the app has replaced our handler. 0.2 us.
SOFTLBR_HANDLER_SAFE bool IsTrapHandlerInstalled();

// True if the kernel will deliver another signal when the handler that was given `ucontext` returns: the program's
// handler for it runs before the interrupted code resumes. Handler, with every signal blocked; 0.1 us.
SOFTLBR_HANDLER_SAFE bool IsSignalDue(const void* ucontext);

// True if SIGTRAP is blocked in the code to which the handler that was given `ucontext` returns, as in a handler that
// interrupted sigsuspend. A hit whose mark is lost would kill the process there. Handler.
SOFTLBR_HANDLER_SAFE bool DoesFrameBlockTraps(const void* ucontext);

// True for the system call that changes which signals the thread blocks. Handler.
SOFTLBR_HANDLER_SAFE bool MayBlockTraps(uint32_t system_call);

// sigaction(SIGTRAP) as the app would see it without us; for the interposed sigaction (runtime/attach). While our
// handler is installed it stays installed: `wish` (may be null) becomes the disposition that foreign traps are
// forwarded to and that RestoreTrapHandler restores, and *previous (may be null) is the app's disposition before.
// Otherwise, and always in a forked or vforked child, where none of our events can fire, the call goes to the kernel.
// Any thread and context. Result: 0 or negative errno.
SOFTLBR_HANDLER_SAFE long ExchangeAppTrapAction(const TrapAction* wish, TrapAction* previous);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_TRAP_SIGNAL_H_
