// A POSIX timer on the CPU clock of a thread that sends the thread SIGTRAP with si_code SI_TIMER.
//
// Works without perf events. It fires at most once per scheduler tick (250 Hz at HZ=250); before Linux 5.10 it may
// interrupt blocking calls with EINTR (MayTimersSample). Handler-safe, one system call each. Results: >= 0, or negative
// errno.
#ifndef SOFTLBR_PLATFORM_LINUX_SAMPLING_THREAD_TIMER_LINUX_H_
#define SOFTLBR_PLATFORM_LINUX_SAMPLING_THREAD_TIMER_LINUX_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// The kernel's clock id for the CPU time of a thread; tid 0 is the caller.
SOFTLBR_HANDLER_SAFE constexpr long ThreadCpuClock(int32_t tid) {
  return static_cast<long>(~static_cast<uint32_t>(tid) << 3 | 6u);
}

// The same for the CPU time of a process.
constexpr long ProcessCpuClock(int32_t pid) { return static_cast<long>(~static_cast<uint32_t>(pid) << 3 | 2u); }
// And for the part of it in user code.
constexpr long ProcessUserClock(int32_t pid) { return static_cast<long>(~static_cast<uint32_t>(pid) << 3 | 1u); }

SOFTLBR_HANDLER_SAFE long CreateThreadTimer(int32_t tid, uint64_t sig_data);
SOFTLBR_HANDLER_SAFE void DeleteThreadTimer(int32_t timer_id);
// period_ns 0 stops the timer. is_single: it fires once, earlier by the mean time that the thread then runs until the
// kernel looks at the timer: half a tick if it runs without a pause, a tick if it runs for much less than that at a
// time.
SOFTLBR_HANDLER_SAFE long SetThreadTimer(int32_t timer_id, uint64_t period_ns, bool is_single);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_SAMPLING_THREAD_TIMER_LINUX_H_
