// Contract: static_libc.h.
#include "runtime/libc/static_libc.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <atomic>

#include "platform/base/attributes.h"
#include "platform/syscall.h"

// In signal_return_*.S: what a handler returns to.
extern "C" void softlbr_signal_return(void);

namespace softlbr::static_libc {
namespace {

constexpr long kSetBytes = 8;  // all that the kernel reads and writes of a sigset_t
constexpr uint64_t kSaRestorer = 0x04000000;
// Signals for which siginterrupt(signal, true) was called: Signal then does not set SA_RESTART.
SOFTLBR_CONSTINIT std::atomic<uint64_t> g_interrupting{0};

struct KernelAction {
  uint64_t handler;
  uint64_t flags;
  uint64_t restorer;
  uint64_t mask;
};

long Word(const void* pointer) { return reinterpret_cast<long>(pointer); }

int Result(long result) {
  if (result >= 0) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

// The kernel writes what is left of a timeout, the libc's functions do not.
class Timeout {
 public:
  explicit Timeout(const timespec* wanted) : is_there_(wanted != nullptr) {
    if (is_there_) copy_ = *wanted;
  }
  long word() const { return is_there_ ? Word(&copy_) : 0; }

 private:
  const bool is_there_;
  timespec copy_ = {};
};

uint64_t BitOf(int signal) { return uint64_t{1} << ((signal - 1) & 63); }

Handler SetHandler(int signal, Handler handler, int flags, bool masks_itself) {
  struct sigaction wish = {};
  struct sigaction previous;
  wish.sa_handler = handler;
  wish.sa_flags = flags;
  sigemptyset(&wish.sa_mask);
  if (masks_itself && sigaddset(&wish.sa_mask, signal) != 0) return SIG_ERR;
  return SigAction(signal, &wish, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}

}  // namespace

int SigWaitInfo(const sigset_t* set, siginfo_t* info) { return SigTimedWait(set, info, nullptr); }

int SigTimedWait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  const int signal =
      Result(platform::LongSysCall(SYS_rt_sigtimedwait, Word(set), Word(info), Word(timeout), kSetBytes, 0, 0));
  if (signal > 0 && info != nullptr && info->si_code == SI_TKILL) info->si_code = SI_USER;
  return signal;
}

int SigPending(sigset_t* set) { return Result(platform::SysCall(SYS_rt_sigpending, Word(set), kSetBytes)); }

int SignalFd(int fd, const sigset_t* set, int flags) {
  return Result(platform::LongSysCall(SYS_signalfd4, fd, Word(set), kSetBytes, flags, 0, 0));
}

int SigSuspend(const sigset_t* mask) { return Result(platform::SysCall(SYS_rt_sigsuspend, Word(mask), kSetBytes)); }

int PPoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  const Timeout copy(timeout);
  return Result(
      platform::LongSysCall(SYS_ppoll, Word(files), static_cast<long>(count), copy.word(), Word(mask), kSetBytes, 0));
}

int PPollChecked(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t bytes) {
  if (bytes / sizeof *files < count) abort();
  return PPoll(files, count, timeout, mask);
}

int PSelect(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, const timespec* timeout,
            const sigset_t* mask) {
  const Timeout copy(timeout);
  const struct {
    uint64_t set;
    long bytes;
  } mask_and_size = {reinterpret_cast<uint64_t>(mask), kSetBytes};
  return Result(platform::LongSysCall(SYS_pselect6, count, Word(reads), Word(writes), Word(exceptions), copy.word(),
                                      Word(&mask_and_size)));
}

int EpollPWait(int epoll, epoll_event* events, int count, int timeout_ms, const sigset_t* mask) {
  return Result(platform::LongSysCall(SYS_epoll_pwait, epoll, Word(events), count, timeout_ms, Word(mask), kSetBytes));
}

int EpollPWait2(int epoll, epoll_event* events, int count, const timespec* timeout, const sigset_t* mask) {
  constexpr long kNumber = 441;  // on every CPU; older headers do not name it
  return Result(platform::LongSysCall(kNumber, epoll, Word(events), count, Word(timeout), Word(mask), kSetBytes));
}

int SigAction(int signal, const struct sigaction* wish, struct sigaction* previous) {
  constexpr int kFirstInternal = 32;  // the libc keeps the first real-time signals for itself
  if (signal >= kFirstInternal && signal < SIGRTMIN) return Result(-EINVAL);
  KernelAction kernel_wish = {};
  KernelAction before = {};
  if (wish != nullptr) {
    kernel_wish.handler = reinterpret_cast<uint64_t>(wish->sa_sigaction);
    kernel_wish.flags = static_cast<uint32_t>(wish->sa_flags) | kSaRestorer;
    kernel_wish.restorer = reinterpret_cast<uint64_t>(&softlbr_signal_return);
    __builtin_memcpy(&kernel_wish.mask, &wish->sa_mask, sizeof kernel_wish.mask);
  }
  const long result = platform::LongSysCall(SYS_rt_sigaction, signal, wish != nullptr ? Word(&kernel_wish) : 0,
                                            previous != nullptr ? Word(&before) : 0, kSetBytes, 0, 0);
  if (result == 0 && previous != nullptr) {
    previous->sa_sigaction = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(before.handler);
    previous->sa_flags = static_cast<int>(before.flags);
    previous->sa_restorer = reinterpret_cast<void (*)()>(before.restorer);
    sigemptyset(&previous->sa_mask);
    __builtin_memcpy(&previous->sa_mask, &before.mask, sizeof before.mask);
  }
  return Result(result);
}

Handler Signal(int signal, Handler handler) {
  const bool interrupts = (g_interrupting.load(std::memory_order_relaxed) & BitOf(signal)) != 0;
  return SetHandler(signal, handler, interrupts ? 0 : SA_RESTART, /*masks_itself=*/true);
}

Handler SysVSignal(int signal, Handler handler) {
  return SetHandler(signal, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER), /*masks_itself=*/false);
}

Handler SigSet(int signal, Handler handler) {
  sigset_t set;
  sigset_t blocked;
  sigemptyset(&set);
  if (sigaddset(&set, signal) != 0) return SIG_ERR;
  Handler previous;
  if (handler == SIG_HOLD) {
    struct sigaction present;
    if (SigAction(signal, nullptr, &present) != 0) return SIG_ERR;
    previous = present.sa_handler;
  } else {
    previous = SetHandler(signal, handler, 0, /*masks_itself=*/false);
    if (previous == SIG_ERR) return SIG_ERR;
  }
  if (sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &set, &blocked) != 0) return SIG_ERR;
  return sigismember(&blocked, signal) != 0 ? SIG_HOLD : previous;
}

int SigIgnore(int signal) { return SetHandler(signal, SIG_IGN, 0, /*masks_itself=*/false) == SIG_ERR ? -1 : 0; }

int SigInterrupt(int signal, int interrupts) {
  struct sigaction action;
  if (SigAction(signal, nullptr, &action) != 0) return -1;
  if (interrupts != 0) {
    g_interrupting.fetch_or(BitOf(signal), std::memory_order_relaxed);
    action.sa_flags &= ~SA_RESTART;
  } else {
    g_interrupting.fetch_and(~BitOf(signal), std::memory_order_relaxed);
    action.sa_flags |= SA_RESTART;
  }
  return SigAction(signal, &action, nullptr);
}

}  // namespace softlbr::static_libc
