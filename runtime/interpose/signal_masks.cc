// Interposes the libc functions that block signals: while a thread blocks SIGTRAP, no breakpoint may be armed on it.
//
// Why: a hit whose mark is lost is a signal that the kernel forces (runtime/session/unmarked_hits.h). On a thread that
//   blocks SIGTRAP it kills the process, whatever handler there is. The tracer arms nothing behind a system call that
//   may block signals, and a trace that goes as predicted ends there. One that left its path still has its breakpoint
//   armed: it ends here.
// Who calls: the program, from any thread or handler, also before and after the session.
// Not covered: system call instructions of the program's own, and calls inside the libc. A signal handler whose sa_mask
//   has SIGTRAP runs with whatever is armed when the signal comes (docs/hazards.md).
#include <signal.h>
#include <sys/syscall.h>

#include "platform/base/attributes.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/session/session.h"
#include "runtime/session/unmarked_hits.h"
#include "runtime/trace/open_trace.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(int, const sigset_t*, sigset_t*)> g_sigprocmask("sigprocmask");
SOFTLBR_CONSTINIT NextFunction<int(int, const sigset_t*, sigset_t*)> g_pthread_sigmask("pthread_sigmask");
SOFTLBR_CONSTINIT NextFunction<int(int)> g_sighold("sighold");
SOFTLBR_CONSTINIT NextFunction<int(int)> g_sigblock("sigblock");
SOFTLBR_CONSTINIT NextFunction<int(int)> g_sigsetmask("sigsetmask");

long Word(const void* pointer) { return reinterpret_cast<long>(pointer); }

}  // namespace

void DisarmBeforeMaskChange() {
  if (IsSandboxed()) return;
  const SessionUse use;
  Session* session = CurrentSession();
  if (session == nullptr) return;
  ThreadSlot* slot = FindOwnSlot(session);
  if (slot == nullptr || slot->arm_ticks.load(std::memory_order_relaxed) == 0) return;
  // As in the handler, with every signal blocked: one of the program's could jump away with the slot.
  const uint64_t all = ~uint64_t{0};
  uint64_t mask = 0;
  if (platform::SysCall(SYS_rt_sigprocmask, SIG_SETMASK, Word(&all), Word(&mask), sizeof mask) != 0) return;
  if (TakeOwnership(&slot->owner, SlotOwner::kHandler)) {
    if (slot->is_trace_open) AbandonTrace(&session->environment, slot, AbortReason::kTrapBlocked, true);
    slot->owner.store(SlotOwner::kIdle, std::memory_order_seq_cst);
  }
  platform::SysCall(SYS_rt_sigprocmask, SIG_SETMASK, Word(&mask), 0, sizeof mask);
}

void LearnSignalMasks() {
  g_sigprocmask.Learn();
  g_pthread_sigmask.Learn();
  g_sighold.Learn();
  g_sigblock.Learn();
  g_sigsetmask.Learn();
}

}  // namespace softlbr

extern "C" {

SOFTLBR_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* previous) SOFTLBR_LIBC_NOTHROW {
  if (set != nullptr && how != SIG_UNBLOCK) softlbr::DisarmBeforeMaskChange();
  return softlbr::g_sigprocmask.Get()(how, set, previous);
}

SOFTLBR_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* previous) SOFTLBR_LIBC_NOTHROW {
  if (set != nullptr && how != SIG_UNBLOCK) softlbr::DisarmBeforeMaskChange();
  return softlbr::g_pthread_sigmask.Get()(how, set, previous);
}

SOFTLBR_EXPORT int sighold(int signal_number) SOFTLBR_LIBC_NOTHROW {
  softlbr::DisarmBeforeMaskChange();
  return softlbr::g_sighold.Get()(signal_number);
}

SOFTLBR_EXPORT int sigblock(int mask) SOFTLBR_LIBC_NOTHROW {
  softlbr::DisarmBeforeMaskChange();
  return softlbr::g_sigblock.Get()(mask);
}

SOFTLBR_EXPORT int sigsetmask(int mask) SOFTLBR_LIBC_NOTHROW {
  softlbr::DisarmBeforeMaskChange();
  return softlbr::g_sigsetmask.Get()(mask);
}

}  // extern "C"
