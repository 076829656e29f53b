// Interposes syscall(), for the calls that have to do with SIGTRAP, with breakpoints and with sandboxes.
//
//   rt_sigaction      as sigaction (sigtrap_functions.cc)
//   rt_sigprocmask    as sigprocmask (signal_masks.cc)
//   rt_sigpending, rt_sigtimedwait   as sigpending and sigtimedwait (trap_waits.cc)
//   perf_event_open   if no debug register is left for the program's breakpoint, we give ours up on that thread and try
//                     again: its traces then end where a value is unknown
//   mlockall          as mlockall (memory_lock.cc)
//   setns, unshare    as setns and unshare (namespace_functions.cc)
//   execve, execveat  as the functions of these names (process_end.cc)
//   prctl, seccomp    a sandbox that the program is about to enter (sandbox.cc)
//
// Who calls: the program, from any thread or handler, also before and after the session. syscall_entry_*.S sends all
//   other numbers straight to the libc.
// Not covered: system call instructions of the program's own.
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/base/attributes.h"
#include "platform/breakpoint.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/interpose/memory_lock.h"
#include "runtime/interpose/namespace_functions.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/interpose/sandbox.h"
#include "runtime/libc/next_function.h"
#include "runtime/libc/program_pointers.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/session/session.h"
#include "runtime/trace/tracer.h"
#include "runtime/watch/thread_registry.h"

extern "C" {
// The libc's syscall; null until the first call, or until LearnSyscall.
SOFTLBR_HIDDEN void* softlbr_next_syscall = nullptr;
SOFTLBR_HIDDEN long softlbr_handled_syscall(long number, long a, long b, long c, long d, long e, long f);
}

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<long(long, ...)> g_syscall("syscall");

constexpr long kSignalSetBytes = 8;

// The result of a system call as the libc returns it.
long LibcResult(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// The kernel returns EFAULT where our code would crash: a call with an unusable address is left to the libc.
bool IsUsable(long address, uint64_t bytes) { return CanRead(reinterpret_cast<const void*>(address), bytes); }

bool ArePointers(long path, long arguments, long environment) {
  return IsUsable(path, 1) && IsUsable(arguments, sizeof(char*)) && IsUsable(environment, sizeof(char*));
}

template <typename T>
T* At(long address) {
  return reinterpret_cast<T*>(address);
}

bool WantsBreakpoint(long attributes) {
  if (!IsUsable(attributes, PERF_ATTR_SIZE_VER0)) return false;
  return reinterpret_cast<const perf_event_attr*>(attributes)->type == PERF_TYPE_BREAKPOINT;
}

// Has the session's breakpoint on thread `tid` closed; on every thread if tid is negative. False if there is none.
bool GiveBreakpointUp(int32_t tid) {
  constexpr uint32_t kMostWaits = 100;
  constexpr uint64_t kWaitNs = 1000000;
  if (CurrentSession() == nullptr) return false;
  const SessionUse use;
  Session* session = use.session();
  if (session == nullptr) return false;
  bool is_asked = false;
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    if ((tid >= 0 && slot->tid != tid) || slot->breakpoint.fd < 0) continue;
    slot->requests.fetch_or(kGiveBreakpointUp, std::memory_order_relaxed);
    is_asked = true;
  }
  bool is_waiting = is_asked;
  for (uint32_t waits = 0; is_waiting && waits != kMostWaits; ++waits) {
    WakeControlThread(&session->environment);
    platform::SleepNs(kWaitNs);
    is_waiting = false;
    for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
      is_waiting |= (slot->requests.load(std::memory_order_acquire) & kGiveBreakpointUp) != 0;
    }
  }
  return is_asked && !is_waiting;
}

}  // namespace

void LearnSyscall() {
  g_syscall.Learn();
  softlbr_next_syscall = reinterpret_cast<void*>(g_syscall.Get());
}

}  // namespace softlbr

// Replaces the libc's syscall. Its arguments are in the same registers, and the last one in the same place on the
// stack.
extern "C" long softlbr_handled_syscall(long number, long a, long b, long c, long d, long e, long f) {
  using namespace softlbr;
  auto* const next = g_syscall.Get();
  if (IsSandboxed()) return next(number, a, b, c, d, e, f);
  switch (number) {
    case SYS_rt_sigaction: {
      if (static_cast<int>(a) != SIGTRAP || d != kSignalSetBytes) break;
      if ((b != 0 && !IsUsable(b, sizeof(platform::TrapAction))) || (c != 0 && next(number, a, 0, c, d) != 0)) break;
      return LibcResult(ExchangeKernelTrapAction(reinterpret_cast<const platform::TrapAction*>(b),
                                                 reinterpret_cast<platform::TrapAction*>(c)));
    }
    case SYS_rt_sigprocmask:
      if (static_cast<int>(a) != SIG_UNBLOCK && b != 0) DisarmBeforeMaskChange();
      break;
    case SYS_rt_sigpending:
      if (b != kSignalSetBytes || !IsUsable(a, kSignalSetBytes)) break;
      return WithoutOurTraps(next(number, a, b), reinterpret_cast<uint64_t*>(a));
    case SYS_rt_sigtimedwait:
      if (d != kSignalSetBytes || !IsUsable(a, kSignalSetBytes) || (c != 0 && !IsUsable(c, sizeof(timespec)))) break;
      return WaitBySystemCall(reinterpret_cast<const sigset_t*>(a), reinterpret_cast<siginfo_t*>(b),
                              reinterpret_cast<const timespec*>(c));
    case SYS_perf_event_open: {
      const int saved_errno = errno;
      const long fd = next(number, a, b, c, d, e);
      if (fd >= 0 || errno != ENOSPC || !WantsBreakpoint(a)) return fd;
      const auto tid = static_cast<int32_t>(b);
      if (!GiveBreakpointUp(tid == 0 ? platform::CurrentThreadId() : tid)) return fd;
      errno = saved_errno;
      return next(number, a, b, c, d, e);
    }
    case SYS_mlockall: return LockMemory(static_cast<int>(a));
    case SYS_setns: return EnterNamespace(static_cast<int>(a), static_cast<int>(b));
    case SYS_unshare: return Unshare(static_cast<int>(a));
    case SYS_execve:
      if (!ArePointers(a, b, c)) break;
      return execve(At<const char>(a), At<char* const>(b), At<char* const>(c));
    case SYS_execveat:
      if (!ArePointers(b, c, d)) break;
      return execveat(static_cast<int>(a), At<const char>(b), At<char* const>(c), At<char* const>(d),
                      static_cast<int>(e));
    case SYS_prctl: BeforeSandboxPrctl(a, b, c); break;
    case SYS_seccomp: BeforeSeccomp(a, b, c); break;
    default: break;
  }
  return next(number, a, b, c, d, e, f);
}
