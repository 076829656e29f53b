// Interposes the libc functions that wait for signals or look for them, so that they do not return our SIGTRAPs.
//
// Why: a sample or hit that comes while the thread blocks SIGTRAP stays pending. A thread that handles the program's
//   signals waits for all of them, and its wait would return our signal. A wait that unblocks signals only while it
//   lasts (ppoll, sigsuspend) would be ended by ours, without a handler of the program's having run.
// How: a wait that returns a signal of ours is repeated with the remaining time. sigpending removes our pending
//   signals, and puts the program's back. A wait that would unblock SIGTRAP leaves it blocked, or removes ours first. A
//   signalfd cannot distinguish our signals from the program's, so its set never has SIGTRAP.
// Who calls: the program, from any thread, also before and after the session. Waits for other signals only go straight
// to the libc. Not covered: the program's own SIGTRAPs do not arrive at its signalfds. A SIGTRAP that the program sends
// to a thread with one of
//   ours pending is lost, because the kernel keeps only one pending signal of each standard number. (Interposing raise
//   and pthread_kill would prevent that for the calling thread, but would put our code on the path of every signal that
//   a program sends itself.) A program without a SIGTRAP handler that gets a SIGTRAP during such a wait dies of it only
//   once SIGTRAP is unblocked.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>

#include "platform/base/attributes.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/interpose/own_trap.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/libc/program_pointers.h"
#include "runtime/libc/static_libc.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/trace/tracer.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(const sigset_t*, siginfo_t*)> g_sigwaitinfo("sigwaitinfo", static_libc::SigWaitInfo);
SOFTLBR_CONSTINIT NextFunction<int(const sigset_t*, siginfo_t*, const timespec*)> g_sigtimedwait(
    "sigtimedwait", static_libc::SigTimedWait);
SOFTLBR_CONSTINIT NextFunction<int(sigset_t*)> g_sigpending("sigpending", static_libc::SigPending);
SOFTLBR_CONSTINIT NextFunction<int(int, const sigset_t*, int)> g_signalfd("signalfd", static_libc::SignalFd);
SOFTLBR_CONSTINIT NextFunction<int(const sigset_t*)> g_sigsuspend("sigsuspend", static_libc::SigSuspend);
SOFTLBR_CONSTINIT NextFunction<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> g_ppoll("ppoll",
                                                                                               static_libc::PPoll);
SOFTLBR_CONSTINIT NextFunction<int(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t)> g_ppoll_chk(
    "__ppoll_chk", static_libc::PPollChecked);
SOFTLBR_CONSTINIT NextFunction<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)> g_pselect(
    "pselect", static_libc::PSelect);
SOFTLBR_CONSTINIT NextFunction<int(int, epoll_event*, int, int, const sigset_t*)> g_epoll_pwait(
    "epoll_pwait", static_libc::EpollPWait);
SOFTLBR_CONSTINIT NextFunction<int(int, epoll_event*, int, const timespec*, const sigset_t*)> g_epoll_pwait2(
    "epoll_pwait2", static_libc::EpollPWait2);

constexpr uint64_t kTrapBit = 1ull << (SIGTRAP - 1);

bool IsOurs(const siginfo_t& info) { return info.si_signo == SIGTRAP && IsOwnTrap(info); }

// False for memory that the kernel would refuse with EFAULT: such a call is left to the kernel. In a sandbox we cannot
// ask.
bool IsUsable(const void* pointer, uint64_t bytes) {
  return pointer != nullptr && (IsSandboxed() || CanRead(pointer, bytes));
}

bool HasTrap(const sigset_t* set) {
  uint64_t bits = 0;
  if (IsUsable(set, sizeof bits)) __builtin_memcpy(&bits, set, sizeof bits);
  return (bits & kTrapBit) != 0;
}

// 0 in a sandbox, where the clock may take a system call: a wait that is repeated then waits for all of its time again.
int64_t NowNs() {
  if (IsSandboxed()) return 0;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

// Calls wait(set, info, timeout), which waits for ever if timeout is null, until it yields a signal that is not ours.
template <typename Wait>
int WaitForTheirs(const sigset_t* set, siginfo_t* info, const timespec* timeout, Wait wait) {
  const int64_t begin = timeout != nullptr ? NowNs() : 0;
  timespec rest = timeout != nullptr ? *timeout : timespec{};
  for (;;) {
    siginfo_t taken;
    const int result = wait(set, &taken, timeout == nullptr ? nullptr : &rest);
    if (result != SIGTRAP || !IsOurs(taken)) {
      if (result < 0 || info == nullptr) return result;
      if (!IsUsable(info, sizeof *info)) {
        errno = EFAULT;
        return -1;
      }
      *info = taken;
      return result;
    }
    if (timeout == nullptr) continue;
    int64_t left = timeout->tv_sec * 1000000000ll + timeout->tv_nsec - (NowNs() - begin);
    if (left < 0) left = 0;
    rest.tv_sec = left / 1000000000;
    rest.tv_nsec = left % 1000000000;
  }
}

// The calling thread blocks SIGTRAP. True if one of the program's is pending; removes ours.
bool HasTrapOfTheirs() {
  constexpr uint32_t kMostTraps = 16;  // one pending for the thread, one for the process, and new samples
  for (uint32_t i = 0; i < kMostTraps; ++i) {
    siginfo_t taken;
    const timespec now = {};
    if (platform::SysCall(SYS_rt_sigtimedwait, reinterpret_cast<long>(&kTrapBit), reinterpret_cast<long>(&taken),
                          reinterpret_cast<long>(&now), sizeof kTrapBit) != SIGTRAP) {
      return false;
    }
    if (IsOurs(taken)) continue;
    const long process = platform::CurrentProcessId();
    const bool is_of_process = taken.si_code == SI_USER || taken.si_code == SI_QUEUE;
    if (is_of_process) {
      platform::SysCall(SYS_rt_sigqueueinfo, process, SIGTRAP, reinterpret_cast<long>(&taken));
    } else {
      platform::SysCall(SYS_rt_tgsigqueueinfo, process, platform::CurrentThreadId(), SIGTRAP,
                        reinterpret_cast<long>(&taken));
    }
    return true;
  }
  return false;
}

bool IsTrapBlocked() {
  uint64_t blocked = 0;
  return platform::SysCall(SYS_rt_sigprocmask, SIG_BLOCK, 0, reinterpret_cast<long>(&blocked), sizeof blocked) == 0 &&
         (blocked & kTrapBit) != 0;
}

bool HasTrapHandler() {
  platform::TrapAction action{};
  if (platform::ExchangeAppTrapAction(nullptr, &action) != 0) return true;
  return action.handler != reinterpret_cast<uint64_t>(SIG_DFL) && action.handler != reinterpret_cast<uint64_t>(SIG_IGN);
}

// The mask for a wait during which the program wants exactly these signals blocked. If the thread blocks SIGTRAP and
// the program has no handler for it, SIGTRAP stays blocked. If the program has one, our signals are removed first; a
// sample between the removal and the system call ends the wait.
class WaitMask {
 public:
  explicit WaitMask(const sigset_t* wanted) : used_(wanted) {
    if (wanted == nullptr || !MayAddCalls() || !IsUsable(wanted, sizeof(uint64_t)) || HasTrap(wanted) ||
        !IsTrapBlocked())
      return;
    if (HasTrapHandler()) {
      (void)HasTrapOfTheirs();
      return;
    }
    sigemptyset(&own_);
    __builtin_memcpy(&own_, wanted, sizeof(uint64_t));  // all that the kernel reads
    sigaddset(&own_, SIGTRAP);
    used_ = &own_;
  }
  WaitMask(const WaitMask&) = delete;
  WaitMask& operator=(const WaitMask&) = delete;
  const sigset_t* get() const { return used_; }

 private:
  const sigset_t* used_;
  sigset_t own_;
};

}  // namespace

void RemovePendingTraps() {
  if (!IsSandboxed() && IsTrapBlocked()) (void)HasTrapOfTheirs();
}

long WithoutOurTraps(long result, uint64_t* pending) {
  if (result == 0 && !IsSandboxed() && (*pending & kTrapBit) != 0 && !HasTrapOfTheirs()) *pending &= ~kTrapBit;
  return result;
}

long WaitBySystemCall(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  const auto wait = [](const sigset_t* of, siginfo_t* taken, const timespec* within) {
    const long result =
        platform::SysCall(SYS_rt_sigtimedwait, reinterpret_cast<long>(of), reinterpret_cast<long>(taken),
                          reinterpret_cast<long>(within), sizeof kTrapBit);
    if (result >= 0) return static_cast<int>(result);
    errno = static_cast<int>(-result);
    return -1;
  };
  return HasTrap(set) ? WaitForTheirs(set, info, timeout, wait) : wait(set, info, timeout);
}

void LearnTrapWaits() {
  g_sigwaitinfo.Learn();
  g_sigtimedwait.Learn();
  g_sigpending.Learn();
  g_signalfd.Learn();
  g_sigsuspend.Learn();
  g_ppoll.Learn();
  g_ppoll_chk.Learn();
  g_pselect.Learn();
  g_epoll_pwait.Learn();
  g_epoll_pwait2.Learn();
}

}  // namespace softlbr

extern "C" {

SOFTLBR_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!softlbr::HasTrap(set)) return softlbr::g_sigwaitinfo.Get()(set, info);
  const auto wait = [](const sigset_t* of, siginfo_t* taken, const timespec*) {
    return softlbr::g_sigwaitinfo.Get()(of, taken);
  };
  return softlbr::WaitForTheirs(set, info, nullptr, wait);
}

SOFTLBR_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* timeout) {
  // a null timeout waits for ever
  const bool is_usable = timeout == nullptr || softlbr::IsUsable(timeout, sizeof *timeout);
  if (is_usable && softlbr::HasTrap(set))
    return softlbr::WaitForTheirs(set, info, timeout, softlbr::g_sigtimedwait.Get());
  return softlbr::g_sigtimedwait.Get()(set, info, timeout);
}

SOFTLBR_EXPORT int sigpending(sigset_t* set) SOFTLBR_LIBC_NOTHROW {
  return static_cast<int>(softlbr::WithoutOurTraps(softlbr::g_sigpending.Get()(set), reinterpret_cast<uint64_t*>(set)));
}

SOFTLBR_EXPORT int signalfd(int fd, const sigset_t* set, int flags) SOFTLBR_LIBC_NOTHROW {
  if (!softlbr::HasTrap(set)) return softlbr::g_signalfd.Get()(fd, set, flags);
  sigset_t without;
  sigemptyset(&without);
  __builtin_memcpy(&without, set, sizeof(uint64_t));  // all that the kernel reads
  sigdelset(&without, SIGTRAP);
  return softlbr::g_signalfd.Get()(fd, &without, flags);
}

SOFTLBR_EXPORT int sigsuspend(const sigset_t* mask) {
  const softlbr::WaitMask used(mask);
  return softlbr::g_sigsuspend.Get()(used.get());
}

SOFTLBR_EXPORT int ppoll(struct pollfd* files, nfds_t count, const struct timespec* timeout, const sigset_t* mask) {
  const softlbr::WaitMask used(mask);
  return softlbr::g_ppoll.Get()(files, count, timeout, used.get());
}

// The name of ppoll in code that is compiled with checks of buffer sizes (_FORTIFY_SOURCE).
SOFTLBR_EXPORT int __ppoll_chk(struct pollfd* files, nfds_t count, const struct timespec* timeout, const sigset_t* mask,
                               size_t bytes) {
  const softlbr::WaitMask used(mask);
  return softlbr::g_ppoll_chk.Get()(files, count, timeout, used.get(), bytes);
}

SOFTLBR_EXPORT int pselect(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, const struct timespec* timeout,
                           const sigset_t* mask) {
  const softlbr::WaitMask used(mask);
  return softlbr::g_pselect.Get()(count, reads, writes, exceptions, timeout, used.get());
}

SOFTLBR_EXPORT int epoll_pwait(int epoll, struct epoll_event* events, int count, int timeout_ms, const sigset_t* mask) {
  const softlbr::WaitMask used(mask);
  return softlbr::g_epoll_pwait.Get()(epoll, events, count, timeout_ms, used.get());
}

SOFTLBR_EXPORT int epoll_pwait2(int epoll, struct epoll_event* events, int count, const struct timespec* timeout,
                                const sigset_t* mask) {
  const softlbr::WaitMask used(mask);
  return softlbr::g_epoll_pwait2.Get()(epoll, events, count, timeout, used.get());
}

// As in the libc: a signal handler does not end the wait, and the result is the error number.
SOFTLBR_EXPORT int sigwait(const sigset_t* set, int* signal_number) {
  siginfo_t info;
  int result = 0;
  do {
    result = sigwaitinfo(set, &info);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return errno;
  *signal_number = info.si_signo;
  return 0;
}

}  // extern "C"
