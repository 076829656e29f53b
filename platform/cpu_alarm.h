// Raises one of our traps once a process has used some CPU time: a forked child is recorded only if it works.
//
// Who: runtime/attach; not part of libsoftlbr.a. Open: in a forked child, where only async-signal-safe calls are
// allowed. Close: also in a signal handler. Raw system calls only.
// Exec removes an alarm. A child of the process inherits a copy of its descriptor, but no alarm.
#ifndef SOFTLBR_PLATFORM_CPU_ALARM_H_
#define SOFTLBR_PLATFORM_CPU_ALARM_H_

#include <cstdint>

#include "platform/base/status.h"
#include "platform/sampler.h"

namespace softlbr::platform {

// False before Linux 5.19, where a trap that is raised while SIGTRAP is blocked kills the process: a session that is
// started in the handler of an alarm is started with every signal blocked.
bool MayUseCpuAlarm();

// The calling thread, or a thread that it or one of its threads creates, gets a trap with sig_data once that thread has
// used after_ns of CPU time in user code, and again after each further after_ns until the alarm is closed. Cost: 10 us.
// SampleEvent::kThreadTimer uses a timer, which counts the calling thread only, in any code, and fires only at a
// scheduler tick: on a busy machine 100 ms late or more.
Status OpenCpuAlarm(SampleEvent event, uint64_t after_ns, uint64_t sig_data, Sampler* alarm);

// In a child of the process that opened the alarm: closes the copy of its descriptor, and leaves the parent's alarm on.
void ReleaseCpuAlarm(Sampler* alarm);

// True if the calling thread has a real-time policy: until it waits, threads of lower priority get no CPU. No session
// is started then, because the start waits for another thread.
bool IsThreadRealTime();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_CPU_ALARM_H_
