// Interposes the libc functions that wait for signals, so that they do not return our SIGTRAPs.
//
// Why: a sample or hit that comes while the thread blocks SIGTRAP stays pending. A thread that handles the program's signals waits
//   for all of them, and its wait would return our signal.
// How: a wait that returns a signal of ours is repeated with the remaining time.
// Who calls: the program, from any thread, also before and after the session. Waits for other signals only go straight to the libc.
// Not covered: sigpending and signalfd show our signals. A SIGTRAP that the program sends to a thread with one of ours pending is
//   lost, because the kernel keeps only one pending signal of each standard number. (Interposing raise and pthread_kill would
//   prevent that for the calling thread, but would put our code on the path of every signal that a program sends itself.)
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "platform/base/attributes.h"
#include "runtime/attach/next_function.h"
#include "runtime/attach/preload.h"
#include "runtime/trace/tracer.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(const sigset_t*, siginfo_t*)> g_sigwaitinfo("sigwaitinfo");
SOFTLBR_CONSTINIT NextFunction<int(const sigset_t*, siginfo_t*, const timespec*)> g_sigtimedwait("sigtimedwait");

constexpr uint64_t kTrapBit = 1ull << (SIGTRAP - 1);
constexpr int kTrapPerf = 6;      // TRAP_PERF, which not every libc defines
constexpr uint64_t kDataAt = 24;  // in siginfo_t: si_perf_data of TRAP_PERF, si_value of SI_TIMER

bool IsOurs(const siginfo_t& info) {
  uint64_t data;
  __builtin_memcpy(&data, reinterpret_cast<const char*>(&info) + kDataAt, sizeof data);
  return info.si_signo == SIGTRAP && (info.si_code == kTrapPerf || info.si_code == SI_TIMER) && IsOurSigData(data);
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

// sigtimedwait that skips our signals; sigwaitinfo if timeout is null.
int WaitForTheirs(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  const int64_t begin = timeout != nullptr ? NowNs() : 0;
  timespec rest = timeout != nullptr ? *timeout : timespec{};
  for (;;) {
    siginfo_t taken;
    const int result = timeout == nullptr ? g_sigwaitinfo.Get()(set, &taken) : g_sigtimedwait.Get()(set, &taken, &rest);
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
  g_sigwaitinfo.Learn();
  g_sigtimedwait.Learn();
}

}  // namespace softlbr

extern "C" {

SOFTLBR_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!softlbr::HasTrap(set)) return softlbr::g_sigwaitinfo.Get()(set, info);
  return softlbr::WaitForTheirs(set, info, nullptr);
}

SOFTLBR_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* timeout) {
  if (softlbr::HasTrap(set)) return softlbr::WaitForTheirs(set, info, timeout);  // a null timeout waits for ever
  return softlbr::g_sigtimedwait.Get()(set, info, timeout);
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
