// Ways of the libc to send a thread its own SIGTRAP, and to wait for signals, as a recorded program finds them.
//
// Why: a sample or a hit of ours that comes while the program blocks SIGTRAP stays pending for the thread. The kernel keeps one
//   pending signal of a number, so a SIGTRAP that the program then sends itself would be lost; and sigwait would hand it ours.
// How: what is ours is taken out before the program sends its own, and what a wait returns of ours is not passed on.
// Who calls: the program, from any thread or handler, before and after the session too. Other signals go to the libc untouched.
// Not reached: a SIGTRAP sent to another thread that has one of ours pending is lost; sigpending and signalfd show ours.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "platform/syscall.h"
#include "runtime/base/attributes.h"
#include "runtime/preload/preload.h"
#include "runtime/tracer.h"

namespace softlbr {
namespace {

// The libc's own, looked up before the session starts (sigtrap_functions.cc says why).
struct NextFunction {
  const char* name;
  std::atomic<void*> address;
};
enum NextIndex : uint8_t { kRaise, kPthreadKill, kTgkill, kSigwaitinfo, kSigtimedwait, kNextCount };
SOFTLBR_CONSTINIT NextFunction g_next[kNextCount] = {{"raise", {nullptr}},
                                                     {"pthread_kill", {nullptr}},
                                                     {"tgkill", {nullptr}},
                                                     {"sigwaitinfo", {nullptr}},
                                                     {"sigtimedwait", {nullptr}}};

template <typename Function>
Function Next(NextIndex index) {
  NextFunction& next = g_next[index];
  void* function = next.address.load(std::memory_order_relaxed);
  if (function == nullptr) {  // called by a constructor that runs before ours
    function = dlsym(RTLD_NEXT, next.name);
    next.address.store(function, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function>(function);
}

constexpr uint64_t kTrapBit = 1ull << (SIGTRAP - 1);
constexpr long kSetBytes = 8;
constexpr int kTrapPerf = 6;       // TRAP_PERF, which not every libc knows
constexpr uint64_t kDataAt = 24;  // in siginfo_t: si_perf_data of TRAP_PERF, si_value of SI_TIMER

bool IsOurs(const siginfo_t& info) {
  uint64_t data;
  __builtin_memcpy(&data, reinterpret_cast<const char*>(&info) + kDataAt, sizeof data);
  return info.si_signo == SIGTRAP && (info.si_code == kTrapPerf || info.si_code == SI_TIMER) && IsOurSigData(data);
}

// The calling thread is about to send itself SIGTRAP.
void DropOursPending() {
  uint64_t pending = 0;
  if (platform::SysCall(SYS_rt_sigpending, reinterpret_cast<long>(&pending), kSetBytes) != 0 || (pending & kTrapBit) == 0) return;
  siginfo_t info;
  const timespec none = {};
  if (platform::SysCall(SYS_rt_sigtimedwait, reinterpret_cast<long>(&kTrapBit), reinterpret_cast<long>(&info),
                        reinterpret_cast<long>(&none), kSetBytes) != SIGTRAP ||
      IsOurs(info)) {
    return;
  }
  // The program's own of before: put back. (One sent to the process is this thread's now, which blocks it as all may.)
  platform::SysCall(SYS_rt_tgsigqueueinfo, platform::SysCall(SYS_getpid), platform::SysCall(SYS_gettid), SIGTRAP,
                    reinterpret_cast<long>(&info));
}

bool HasTrap(const sigset_t* set) {
  uint64_t bits = 0;
  if (set != nullptr) __builtin_memcpy(&bits, set, sizeof bits);
  return (bits & kTrapBit) != 0;
}

int64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

// sigtimedwait, or sigwaitinfo without a timeout.
int WaitForTheirs(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  const int64_t begin = timeout != nullptr ? NowNs() : 0;
  timespec rest = timeout != nullptr ? *timeout : timespec{};
  for (;;) {
    siginfo_t taken;
    const int result = timeout == nullptr
                           ? Next<int (*)(const sigset_t*, siginfo_t*)>(kSigwaitinfo)(set, &taken)
                           : Next<int (*)(const sigset_t*, siginfo_t*, const timespec*)>(kSigtimedwait)(set, &taken, &rest);
    if (result != SIGTRAP || !IsOurs(taken)) {
      if (result >= 0 && info != nullptr) *info = taken;
      return result;
    }
    if (timeout == nullptr) continue;
    int64_t left = timeout->tv_sec * 1000000000ll + timeout->tv_nsec - (NowNs() - begin);
    if (left < 0) left = 0;
    rest.tv_sec = left / 1000000000;
    rest.tv_nsec = left % 1000000000;
  }
}

}  // namespace

void LearnTrapWaits() {
  for (uint8_t i = 0; i < kNextCount; ++i) (void)Next<void*>(static_cast<NextIndex>(i));
}

}  // namespace softlbr

extern "C" {

SOFTLBR_EXPORT int raise(int signal_number) SOFTLBR_LIBC_NOTHROW {
  if (signal_number == SIGTRAP) softlbr::DropOursPending();
  return softlbr::Next<int (*)(int)>(softlbr::kRaise)(signal_number);
}
SOFTLBR_EXPORT int gsignal(int) SOFTLBR_LIBC_NOTHROW __attribute__((alias("raise")));

SOFTLBR_EXPORT int pthread_kill(pthread_t thread, int signal_number) SOFTLBR_LIBC_NOTHROW {
  if (signal_number == SIGTRAP && pthread_equal(thread, pthread_self())) softlbr::DropOursPending();
  return softlbr::Next<int (*)(pthread_t, int)>(softlbr::kPthreadKill)(thread, signal_number);
}

SOFTLBR_EXPORT int tgkill(pid_t process, pid_t thread, int signal_number) {
  if (signal_number == SIGTRAP && thread == softlbr::platform::SysCall(SYS_gettid)) softlbr::DropOursPending();
  return softlbr::Next<int (*)(pid_t, pid_t, int)>(softlbr::kTgkill)(process, thread, signal_number);
}

SOFTLBR_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!softlbr::HasTrap(set)) return softlbr::Next<int (*)(const sigset_t*, siginfo_t*)>(softlbr::kSigwaitinfo)(set, info);
  return softlbr::WaitForTheirs(set, info, nullptr);
}

SOFTLBR_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* timeout) {
  if (softlbr::HasTrap(set)) return softlbr::WaitForTheirs(set, info, timeout);  // no timeout: it waits for ever
  return softlbr::Next<int (*)(const sigset_t*, siginfo_t*, const struct timespec*)>(softlbr::kSigtimedwait)(set, info, timeout);
}

// As the libc has it: not ended by a handler, and the error is the result.
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
