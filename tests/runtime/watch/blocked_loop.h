// A traced thread that blocks SIGTRAP and then hits an armed breakpoint again and again.
//
// All its system calls go through one instruction, as in libc's syscall(). Look-ahead cannot predict what a call
// returns, so it arms the breakpoint after that instruction; here this happens at the call after which SIGTRAP is
// blocked. Each later call hits the breakpoint and traps into the kernel, but no handler runs.
#ifndef SOFTLBR_TESTS_RUNTIME_WATCH_BLOCKED_LOOP_H_
#define SOFTLBR_TESTS_RUNTIME_WATCH_BLOCKED_LOOP_H_

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

namespace softlbr::testing {

inline long CallKernelBody(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  long result = number;
  register long r10 asm("r10") = d;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
#else
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
#endif
}

// Called through a volatile pointer, because the compiler would inline it and make one instruction for each caller.
inline long (*volatile g_call_kernel)(long, long, long, long, long) = CallKernelBody;

inline long CallKernel(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  return g_call_kernel(number, a, b, c, d);
}

inline uint64_t ClockNs(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

inline volatile sig_atomic_t g_is_trap_blocked = 0;

inline void ChangeMaskOnReturn(int, siginfo_t*, void* ucontext) {
  sigset_t* const mask = &static_cast<ucontext_t*>(ucontext)->uc_sigmask;
  g_is_trap_blocked != 0 ? sigaddset(mask, SIGTRAP) : sigdelset(mask, SIGTRAP);
}

// The return of a signal handler changes the mask. After a call of rt_sigprocmask the runtime would arm nothing,
// because it may block SIGTRAP.
inline void SetTrapBlocked(bool is_blocked) {
  struct sigaction action = {};
  action.sa_sigaction = ChangeMaskOnReturn;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, nullptr);
  g_is_trap_blocked = is_blocked ? 1 : 0;
  (void)CallKernel(SYS_tgkill, getpid(), static_cast<long>(syscall(SYS_gettid)), SIGUSR1);
}

// One round of the loop: a little work and a system call.
inline uint64_t HotRound(uint64_t state) {
  for (int i = 0; i < 40; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  (void)CallKernel(SYS_getppid);
  return state;
}

struct BlockedLoopResult {
  uint64_t hot_rounds = 0;
  uint64_t hot_ns = 0;            // CPU time of the thread in them
  uint64_t longest_stall_ns = 0;  // wall time of the longest stall
  uint64_t stalls = 0;            // series of slow rounds of at least 0.2 ms, half of it CPU time of the thread
  uint64_t stalled_ns = 0;        // CPU time of the thread in stalls
};

// Runs for cpu_ns of CPU time of the calling thread: alternately 6 ms with SIGTRAP unblocked and 20 ms with it blocked.
// Ends after the first stall if `until_stall`.
inline BlockedLoopResult RunBlockedLoop(uint64_t cpu_ns, bool until_stall) {
  constexpr uint64_t kOpenNs = 6000000;  // more than a default period
  constexpr uint64_t kHotNs = 20000000;
  constexpr uint64_t kTrapNs = 3000;    // a round takes 0.3 us; one that traps takes 10 us and more
  constexpr uint64_t kAwayNs = 150000;  // a round that takes longer was preempted
  constexpr uint64_t kLeastStallNs = 200000;
  constexpr uint32_t kRowEnd = 4;  // this many quick rounds end a series of slow ones
  BlockedLoopResult result;
  uint64_t state = 88172645463325252ull;
  const uint64_t end = ClockNs(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;
  while (ClockNs(CLOCK_THREAD_CPUTIME_ID) < end && !(until_stall && result.stalls != 0)) {
    const uint64_t open_end = ClockNs(CLOCK_THREAD_CPUTIME_ID) + kOpenNs;
    while (ClockNs(CLOCK_THREAD_CPUTIME_ID) < open_end) {
      for (int i = 0; i < 50; ++i) state = HotRound(state);
    }
    SetTrapBlocked(true);
    const uint64_t begin = ClockNs(CLOCK_THREAD_CPUTIME_ID);
    uint64_t now = begin;
    uint64_t row_begin = 0;
    uint64_t row_last = 0;
    uint64_t row_begin_cpu = 0;
    uint64_t row_last_cpu = 0;
    uint32_t quick = 0;
    auto end_row = [&] {
      const uint64_t length = row_last - row_begin;
      const uint64_t length_cpu = row_last_cpu - row_begin_cpu;
      if (row_begin != 0 && length >= kLeastStallNs && length_cpu >= kLeastStallNs / 2) {
        ++result.stalls;
        if (length > result.longest_stall_ns) result.longest_stall_ns = length;
        result.stalled_ns += length_cpu;
      }
      row_begin = 0;
    };
    while (now < begin + kHotNs) {
      uint64_t before = ClockNs(CLOCK_MONOTONIC);
      for (int i = 0; i < 200; ++i) {
        state = HotRound(state);
        const uint64_t after = ClockNs(CLOCK_MONOTONIC);
        const uint64_t took = after - before;
        if (took > kTrapNs && (took < kAwayNs || row_begin != 0)) {
          row_last_cpu = ClockNs(CLOCK_THREAD_CPUTIME_ID);
          if (row_begin == 0) {
            row_begin = before;
            row_begin_cpu = row_last_cpu - took;
          }
          row_last = after;
          quick = 0;
        } else if (row_begin != 0 && ++quick >= kRowEnd) {
          end_row();
        }
        before = after;
      }
      result.hot_rounds += 200;
      now = ClockNs(CLOCK_THREAD_CPUTIME_ID);
    }
    end_row();
    result.hot_ns += now - begin;
    SetTrapBlocked(false);
  }
  asm volatile("" ::"r"(state));
  return result;
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_RUNTIME_WATCH_BLOCKED_LOOP_H_
