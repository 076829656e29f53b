// One of our traps once a process has used some CPU time: for a forked child, which is recorded only if it works.
//
// Who: runtime/attach; not part of libsoftlbr.a. Open: in a forked child, where only async-signal-safe calls are allowed. Close: also
// in a signal handler. Raw system calls only.
// Exec removes an alarm, and a child of the process does not inherit one, but a copy of its descriptor.
#ifndef SOFTLBR_PLATFORM_CPU_ALARM_H_
#define SOFTLBR_PLATFORM_CPU_ALARM_H_

#include <cstdint>

#include "platform/base/status.h"
#include "platform/sampler.h"

namespace softlbr::platform {

// False before Linux 5.19, where a trap that is raised while SIGTRAP is blocked kills the process. Whoever starts a session in the
// handler of an alarm blocks every signal meanwhile.
bool MayUseCpuAlarm();

// The calling thread, or a thread that it or one of its threads creates, gets a trap with sig_data once that thread has used after_ns
// of CPU time in user code, and again each time after that until the alarm is closed. Cost: 10 us. With SampleEvent::kThreadTimer: by
// a timer, for the calling thread only, in any code, and only at a scheduler tick: on a busy machine 100 ms late or more.
Status OpenCpuAlarm(SampleEvent event, uint64_t after_ns, uint64_t sig_data, Sampler* alarm);

// In a child of the process that opened the alarm: closes the copy of its descriptor, and leaves the parent's alarm on.
void ReleaseCpuAlarm(Sampler* alarm);

// True if the calling thread has a real-time policy: until it waits, threads of lower priority get no CPU. The start of a session waits
// for another one.
bool IsThreadRealTime();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_CPU_ALARM_H_
