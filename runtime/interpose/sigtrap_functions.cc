// Interposes the libc functions that set a signal's action, so that the program cannot replace our SIGTRAP handler.
//
// Why: a program that installs its own SIGTRAP handler (the crash handlers of LLVM do) would get our next sample and
//   die of it. While our handler is installed, it stays. The action that the program sets is remembered, returned to it
//   as the old action, and used for every SIGTRAP that is not ours (platform/trap_signal.h).
// Who calls: the program, from any thread or handler, also before and after the session. Other signals go straight to
// the libc. Where: in the preload library, and in libsoftlbr_signals.a for apps that link the runtime
// (linked_signals.cc).
// Raw system calls: those made by syscall() come here too (syscall_function.cc).
// Not covered: system call instructions of the program's own, calls inside the libc, other copies of the libc.
//   sampling_guard.h handles those.
#include <signal.h>

#include <atomic>

#include "platform/base/attributes.h"
#include "platform/trap_signal.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/libc/static_libc.h"
#include "runtime/process_tree/process_state.h"

namespace softlbr {
namespace {

using Handler = void (*)(int);

constexpr uint64_t kSaRestorer = 0x04000000;
// The bits of sa_flags that the kernel keeps, and the signals that it removes from sa_mask.
constexpr uint64_t kKnownFlags = SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER |
                                 static_cast<uint32_t>(SA_RESETHAND) | 0x800 /* SA_EXPOSE_TAGBITS */ | kSaRestorer;
constexpr uint64_t kUnblockable = 1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1);

// The libc's rt_sigreturn; 0 if the libc leaves that to the kernel (glibc on AArch64).
constexpr uint64_t kNotKnownYet = 1;
SOFTLBR_CONSTINIT std::atomic<uint64_t> g_restorer{kNotKnownYet};
// Set by siginterrupt(SIGTRAP, true): signal() then does not set SA_RESTART.
SOFTLBR_CONSTINIT std::atomic<bool> g_interrupts{false};

SOFTLBR_CONSTINIT NextFunction<int(int, const struct sigaction*, struct sigaction*)> g_sigaction(
    "sigaction", static_libc::SigAction);
SOFTLBR_CONSTINIT NextFunction<Handler(int, Handler)> g_signal("signal", static_libc::Signal);
SOFTLBR_CONSTINIT NextFunction<Handler(int, Handler)> g_sysv_signal("sysv_signal", static_libc::SysVSignal);
SOFTLBR_CONSTINIT NextFunction<Handler(int, Handler)> g_sigset("sigset", static_libc::SigSet);
SOFTLBR_CONSTINIT NextFunction<int(int)> g_sigignore("sigignore", static_libc::SigIgnore);
SOFTLBR_CONSTINIT NextFunction<int(int, int)> g_siginterrupt("siginterrupt", static_libc::SigInterrupt);

int LibcSigaction(int signal, const struct sigaction* wish, struct sigaction* previous) {
  return g_sigaction.Get()(signal, wish, previous);
}

// sigaction(SIGTRAP). If the kernel refuses, the libc's own call follows and sets errno.
int SetTrapAction(const struct sigaction* wish, struct sigaction* previous) {
  if (IsSandboxed()) return LibcSigaction(SIGTRAP, wish, previous);
  platform::TrapAction kernel_wish{};
  if (wish != nullptr) {
    kernel_wish.handler = reinterpret_cast<uint64_t>(wish->sa_sigaction);
    kernel_wish.flags = static_cast<uint32_t>(wish->sa_flags) & kKnownFlags;
    kernel_wish.restorer = g_restorer.load(std::memory_order_relaxed);
    if (kernel_wish.restorer == kNotKnownYet) return LibcSigaction(SIGTRAP, wish, previous);
    if (kernel_wish.restorer != 0) kernel_wish.flags |= kSaRestorer;
    __builtin_memcpy(&kernel_wish.mask, &wish->sa_mask, sizeof kernel_wish.mask);
    kernel_wish.mask &= ~kUnblockable;
  }
  platform::TrapAction before{};
  if (platform::ExchangeAppTrapAction(wish != nullptr ? &kernel_wish : nullptr, &before) != 0) {
    return LibcSigaction(SIGTRAP, wish, previous);
  }
  if (previous != nullptr) {
    previous->sa_sigaction = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(before.handler);
    previous->sa_flags = static_cast<int>(before.flags);
    previous->sa_restorer = reinterpret_cast<void (*)()>(before.restorer);
    __builtin_memcpy(&previous->sa_mask, &before.mask, sizeof before.mask);
  }
  return 0;
}

// The old handler, or SIG_ERR.
Handler SetHandler(Handler handler, int flags, bool masks_itself) {
  struct sigaction wish;
  struct sigaction previous;
  wish.sa_handler = handler;
  wish.sa_flags = flags;
  sigemptyset(&wish.sa_mask);
  if (masks_itself) sigaddset(&wish.sa_mask, SIGTRAP);
  return SetTrapAction(&wish, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}

}  // namespace

long ExchangeKernelTrapAction(const platform::TrapAction* wish, platform::TrapAction* previous) {
  if (wish == nullptr) return platform::ExchangeAppTrapAction(nullptr, previous);
  platform::TrapAction kept = *wish;
  kept.flags &= kKnownFlags;
  kept.mask &= ~kUnblockable;
  return platform::ExchangeAppTrapAction(&kept, previous);
}

void LearnSignalFunctions() {
  g_sigaction.Learn();
  g_signal.Learn();
  g_sysv_signal.Learn();
  g_sigset.Learn();
  g_sigignore.Learn();
  g_siginterrupt.Learn();
}

void LeaveSignalRestorer() { g_restorer.store(0, std::memory_order_relaxed); }

void LearnSignalRestorer() {
  // Let the libc set the action that is already set, read from the kernel which restorer the libc has added, and put
  // the original action back.
  platform::TrapAction original{};
  platform::TrapAction through_libc{};
  struct sigaction same;
  if (platform::ExchangeAppTrapAction(nullptr, &original) != 0 || LibcSigaction(SIGTRAP, nullptr, &same) != 0 ||
      LibcSigaction(SIGTRAP, &same, nullptr) != 0 || platform::ExchangeAppTrapAction(&original, &through_libc) != 0) {
    return;
  }
  g_restorer.store((through_libc.flags & kSaRestorer) != 0 ? through_libc.restorer : 0, std::memory_order_relaxed);
}

}  // namespace softlbr

extern "C" {

SOFTLBR_EXPORT int sigaction(int signal_number, const struct sigaction* wish,
                             struct sigaction* previous) SOFTLBR_LIBC_NOTHROW {
  if (signal_number != SIGTRAP) return softlbr::g_sigaction.Get()(signal_number, wish, previous);
  return softlbr::SetTrapAction(wish, previous);
}

SOFTLBR_EXPORT softlbr::Handler signal(int signal_number, softlbr::Handler handler) SOFTLBR_LIBC_NOTHROW {
  if (signal_number != SIGTRAP || handler == SIG_ERR) {
    return softlbr::g_signal.Get()(signal_number, handler);
  }
  const bool restarts = !softlbr::g_interrupts.load(std::memory_order_relaxed);
  return softlbr::SetHandler(handler, restarts ? SA_RESTART : 0, /*masks_itself=*/true);
}

SOFTLBR_EXPORT softlbr::Handler sysv_signal(int signal_number, softlbr::Handler handler) SOFTLBR_LIBC_NOTHROW {
  if (signal_number != SIGTRAP || handler == SIG_ERR) {
    return softlbr::g_sysv_signal.Get()(signal_number, handler);
  }
  return softlbr::SetHandler(handler, static_cast<int>(SA_RESETHAND | SA_NODEFER) | 0x20000000 /* SA_INTERRUPT */,
                             false);
}

SOFTLBR_EXPORT softlbr::Handler sigset(int signal_number, softlbr::Handler handler) SOFTLBR_LIBC_NOTHROW {
  if (signal_number != SIGTRAP || handler == SIG_ERR) {
    return softlbr::g_sigset.Get()(signal_number, handler);
  }
  softlbr::Handler previous = SIG_ERR;
  const bool holds = handler == SIG_HOLD;
  if (holds) {
    struct sigaction present;
    if (softlbr::SetTrapAction(nullptr, &present) == 0) previous = present.sa_handler;
  } else {
    previous = softlbr::SetHandler(handler, 0, /*masks_itself=*/false);
  }
  if (previous == SIG_ERR) return SIG_ERR;
  sigset_t trap;
  sigset_t before;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  if (sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &trap, &before) != 0) return SIG_ERR;
  return sigismember(&before, SIGTRAP) ? SIG_HOLD : previous;
}

SOFTLBR_EXPORT int sigignore(int signal_number) SOFTLBR_LIBC_NOTHROW {
  if (signal_number != SIGTRAP) {
    return softlbr::g_sigignore.Get()(signal_number);
  }
  return softlbr::SetHandler(SIG_IGN, 0, /*masks_itself=*/false) == SIG_ERR ? -1 : 0;
}

SOFTLBR_EXPORT int siginterrupt(int signal_number, int interrupts) SOFTLBR_LIBC_NOTHROW {
  if (signal_number != SIGTRAP) {
    return softlbr::g_siginterrupt.Get()(signal_number, interrupts);
  }
  struct sigaction action;
  if (softlbr::SetTrapAction(nullptr, &action) != 0) return -1;
  softlbr::g_interrupts.store(interrupts != 0, std::memory_order_relaxed);
  action.sa_flags = interrupts != 0 ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return softlbr::SetTrapAction(&action, nullptr);
}

// Other names of the same functions.
SOFTLBR_EXPORT int __sigaction(int, const struct sigaction*, struct sigaction*) SOFTLBR_LIBC_NOTHROW
    __attribute__((alias("sigaction")));
SOFTLBR_EXPORT softlbr::Handler bsd_signal(int, softlbr::Handler) SOFTLBR_LIBC_NOTHROW __attribute__((alias("signal")));
SOFTLBR_EXPORT softlbr::Handler ssignal(int, softlbr::Handler) SOFTLBR_LIBC_NOTHROW __attribute__((alias("signal")));
SOFTLBR_EXPORT softlbr::Handler __sysv_signal(int, softlbr::Handler) SOFTLBR_LIBC_NOTHROW
    __attribute__((alias("sysv_signal")));

}  // extern "C"
