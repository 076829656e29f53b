// SIGTRAP: installing our handler, telling our traps from others', passing others' on.
//
// Install, Restore: control. The callback runs as a signal handler with every signal blocked, SA_ONSTACK, SA_SIGINFO,
// SA_RESTART; it returns true if the trap was ours. If it returns false the trap is passed to the handler that was there
// before, exactly as the kernel would have called it (its mask, its flags; default action: the process dies of SIGTRAP).
// errno is kept by construction (raw system calls only).
#ifndef SOFTLBR_PLATFORM_TRAP_SIGNAL_H_
#define SOFTLBR_PLATFORM_TRAP_SIGNAL_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

enum class TrapKind : uint8_t {
  kForeign = 0,     // not from an event of this runtime's kind
  kSample = 1,      // a sampler overflow (perf clock or PMU event, or our thread timer)
  kBreakpoint = 2,  // an execution breakpoint
};

struct Trap {
  TrapKind kind;
  bool is_asynchronous;  // delivered late; the thread is elsewhere
  bool is_stack_short;   // fewer than kHandlerStackBytes are left: the callback goes to another stack or returns at once
  uint64_t sig_data;
  uint64_t pc;
  uint64_t sp;
  void* ucontext;  // for cpu_context.h
};

using TrapCallback = bool (*)(const Trap& trap);

// What is to be done with SIGTRAP, as the kernel takes it.
struct TrapAction {
  uint64_t handler;
  uint64_t flags;
  uint64_t restorer;
  uint64_t mask;
};

// Installs the handler for SIGTRAP (and for the thread-timer signal, which is SIGTRAP too). One per process.
Status InstallTrapHandler(TrapCallback callback);
// Puts back what was there, if ours is still installed. Caller has drained: no event of ours can fire any more.
void RestoreTrapHandler();
// For the runtime's own thread, which starts with every signal blocked: lets SIGTRAP through, or not. Control.
void SetTrapSignalBlocked(bool is_blocked);
// False when someone has replaced our handler. Handler-safe, 0.2 us.
SOFTLBR_HANDLER_SAFE bool IsTrapHandlerInstalled();

// True if the kernel will deliver another signal when the handler that got `ucontext` returns: the program's handler for it runs
// before the interrupted code goes on. Handler, with every signal blocked; 0.1 us.
SOFTLBR_HANDLER_SAFE bool IsSignalDue(const void* ucontext);

// sigaction(SIGTRAP) as the app would see it were we not there, for who stands before the libc's (runtime/attach). While ours
// is installed it stays, `wish` (may be null) becomes what foreign traps are passed to and what is restored at the end, and
// *previous (may be null) is the app's wish before. Otherwise the kernel is asked; so it is in a forked or vforked child,
// where no event of ours can fire. Any thread, signal handlers too. Result: 0 or negative errno.
SOFTLBR_HANDLER_SAFE long ExchangeAppTrapAction(const TrapAction* wish, TrapAction* previous);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_TRAP_SIGNAL_H_
