// A POSIX timer on the CPU clock of a thread that sends the thread SIGTRAP with si_code SI_TIMER.
//
// Works without perf events. It fires at most once per scheduler tick (250 Hz at HZ=250) and may interrupt blocking calls with
// EINTR. Create, Delete: control. Set: handler-safe, one system call. Results: >= 0, or negative errno.
#ifndef SOFTLBR_PLATFORM_LINUX_THREAD_TIMER_LINUX_H_
#define SOFTLBR_PLATFORM_LINUX_THREAD_TIMER_LINUX_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// The kernel's clock id for the CPU time of a thread; tid 0 is the caller.
constexpr long ThreadCpuClock(int32_t tid) { return static_cast<long>(~static_cast<uint32_t>(tid) << 3 | 6u); }

// The same for the CPU time of a process.
constexpr long ProcessCpuClock(int32_t pid) { return static_cast<long>(~static_cast<uint32_t>(pid) << 3 | 2u); }
// And for the part of it in user code.
constexpr long ProcessUserClock(int32_t pid) { return static_cast<long>(~static_cast<uint32_t>(pid) << 3 | 1u); }

long CreateThreadTimer(int32_t tid, uint64_t sig_data);
void DeleteThreadTimer(int32_t timer_id);
// period_ns 0 stops the timer.
SOFTLBR_HANDLER_SAFE long SetThreadTimer(int32_t timer_id, uint64_t period_ns);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_THREAD_TIMER_LINUX_H_
