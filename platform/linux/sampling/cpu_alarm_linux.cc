// Contract: cpu_alarm.h. Only in the preload library.
//
// New threads inherit the event, so that a child whose first thread only waits is noticed, too. Closing the event also
// ends its copies in other threads.
#include <asm/unistd.h>
#include <linux/sched.h>

#include "platform/base/config.h"
#include "platform/cpu_alarm.h"
#include "platform/linux/sampling/perf_event_linux.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/trap_loan.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {

bool MayUseCpuAlarm() { return DoesKernelLoseIgnoredTraps(); }

Status OpenCpuAlarm(SampleEvent event, uint64_t after_ns, uint64_t sig_data, Sampler* alarm) {
  if (event == SampleEvent::kThreadTimer) {
    const Status status = OpenSampler(CurrentThreadId(), event, after_ns, sig_data, alarm);
    return status == Status::kOk ? EnableSampler(*alarm) : status;
  }
  perf_event_attr attributes = TrapEventAttributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, after_ns, sig_data);
  attributes.inherit = 1;
  attributes.inherit_thread = 1;
  attributes.disabled = 0;
  *alarm = Sampler{};
  alarm->event = SampleEvent::kTaskClock;
  alarm->period = after_ns;
  const long fd = OpenPerfEvent(attributes, /*tid=*/0, &alarm->id);
  if (fd < 0) return StatusOfOpen(fd);
  alarm->fd = static_cast<int32_t>(fd);
  return Status::kOk;
}

void ReleaseCpuAlarm(Sampler* alarm) {
  if (IsPerfEvent(alarm->fd, alarm->id)) SysCall(__NR_close, alarm->fd);  // a timer is not inherited
  *alarm = Sampler{};
}

bool IsThreadRealTime() {
  const long policy = SysCall(__NR_sched_getscheduler, 0) & ~long{SCHED_RESET_ON_FORK};
  return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

}  // namespace softlbr::platform
