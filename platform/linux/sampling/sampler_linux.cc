// Samplers: perf events with sigtrap, best first, then a timer on the thread's CPU clock.
//
// exclude_kernel keeps blocking calls of the app from failing with EINTR (docs/kernel_limits.md). The timer cannot
// guarantee that.
#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/prctl.h>
#include <linux/utsname.h>

#include "platform/base/branch_events.h"
#include "platform/base/config.h"
#include "platform/linux/sampling/cpu_events.h"
#include "platform/linux/sampling/event_use.h"
#include "platform/linux/sampling/perf_event_linux.h"
#include "platform/linux/sampling/thread_timer_linux.h"
#include "platform/linux/text_lines.h"
#include "platform/sampler.h"
#include "platform/syscall.h"
#include "platform/thread.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

constexpr uint64_t kProbePeriod = 100000000;  // never reached: the probe is closed at once
constexpr int32_t kNoThread = 0x7fffffff;     // above every thread's number

// False where this CPU has no such event.
bool FindPerfEvent(SampleEvent event, uint32_t* type, uint64_t* config) {
  *type = PERF_TYPE_HARDWARE;
  switch (event) {
    case SampleEvent::kTakenBranches:
      *type = PERF_TYPE_RAW;
      *config = FindTakenBranchEvent();
      return *config != kNoBranchEvent;
    case SampleEvent::kBranches: *config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS; return true;
    case SampleEvent::kInstructions: *config = PERF_COUNT_HW_INSTRUCTIONS; return true;
    case SampleEvent::kCycles: *config = PERF_COUNT_HW_CPU_CYCLES; return true;
    case SampleEvent::kTaskClock:
      *type = PERF_TYPE_SOFTWARE;
      *config = PERF_COUNT_SW_TASK_CLOCK;
      return true;
    case SampleEvent::kBest:
    case SampleEvent::kThreadTimer: return false;
  }
  return false;
}

// The most precise variant of an event that is asked for (perf_event_attr.precise_ip), whose interrupts skid least. 3
// is a precise distribution, which only instructions have. Cycles are not: AMD counts precise ones by IBS, which has
// other periods.
uint32_t MostPrecise(SampleEvent event) {
  if (event == SampleEvent::kInstructions) return 3;
  return event == SampleEvent::kTakenBranches || event == SampleEvent::kBranches ? 2 : 0;
}

// As precise as this PMU offers, down to an event that is not precise at all. The descriptor, or negative errno.
long OpenMostPrecise(SampleEvent event, perf_event_attr attributes, int32_t tid, uint64_t* id) {
  for (uint32_t precise = MostPrecise(event);; --precise) {
    attributes.precise_ip = precise;
    // Without this the kernel may let the PMU gather several records before it interrupts (large PEBS); each must send
    // its signal.
    attributes.wakeup_events = precise != 0 ? 1 : 0;
    const long fd = OpenPerfEvent(attributes, tid, id);
    if (fd >= 0 || precise == 0 || StatusOfOpen(fd) != Status::kUnsupported) return fd;
  }
}

// 0 and *sampler filled, or negative errno.
long OpenTimer(int32_t tid, uint64_t period, uint64_t sig_data, Sampler* sampler) {
  *sampler = Sampler{};
  sampler->event = SampleEvent::kThreadTimer;
  sampler->period = period;
  const long timer = CreateThreadTimer(tid, sig_data);
  if (timer < 0) return timer;
  sampler->timer_id = static_cast<int32_t>(timer);
  return 0;
}

// The same.
long Open(int32_t tid, SampleEvent event, uint64_t period, uint64_t sig_data, Sampler* sampler) {
  if (event == SampleEvent::kThreadTimer) return OpenTimer(tid, period, sig_data, sampler);
  *sampler = Sampler{};
  sampler->event = event;
  sampler->period = period;
  uint32_t type = 0;
  uint64_t config = 0;
  if (!FindPerfEvent(event, &type, &config)) return -ENOENT;
  const long fd = OpenMostPrecise(event, TrapEventAttributes(type, config, period, sig_data), tid, &sampler->id);
  if (fd < 0) return fd;
  sampler->fd = static_cast<int32_t>(fd);
  return 0;
}

bool IsKernelBefore(uint64_t major, uint64_t minor) {
  new_utsname name;
  if (SysCall(__NR_uname, reinterpret_cast<long>(&name)) != 0) return true;
  const char* at = name.release;
  const uint64_t present = ParseDecimal(&at);
  ++at;
  return (present << 8) + ParseDecimal(&at) < (major << 8) + minor;
}

// True if this kernel may send an event's signal while the thread is inside a system call, which then fails with EINTR.
// A counter's interrupt may come so late that this happens; a clock's interrupt is dropped inside the kernel. Linux
// 6.11 and later send the signal when the thread returns from the kernel.
bool MayInterruptCalls() { return IsKernelBefore(6, 11); }

bool IsTimer(const Sampler& sampler) { return sampler.event == SampleEvent::kThreadTimer; }

// Tries a sampler that has just been opened on this thread. The kernel knows all events but the raw one.
bool DoesCount(const Sampler& sampler) {
  if (sampler.event != SampleEvent::kTakenBranches) return true;
  uint64_t count = 0;
  PerfIoctl(sampler.fd, PERF_EVENT_IOC_ENABLE, nullptr);
  TakeBranches();
  PerfIoctl(sampler.fd, PERF_EVENT_IOC_DISABLE, nullptr);
  return SysCall(__NR_read, sampler.fd, reinterpret_cast<long>(&count), sizeof count) == sizeof count && count != 0;
}

Status StatusOfRefusal(long error) { return error == -ENOSPC ? Status::kSystemError : StatusOfOpen(error); }

Status StatusOfResult(long result) { return result < 0 ? StatusOfUse(result) : Status::kOk; }

}  // namespace

Status ChooseSampleEvent(SampleEvent wanted, SampleEvent* chosen, int* system_error) {
  const bool any = wanted == SampleEvent::kBest;
  const auto first = !any                                                       ? wanted
                     : MayInterruptCalls() || AreCpusDifferent("/proc/cpuinfo") ? SampleEvent::kTaskClock
                                                                                : SampleEvent::kTakenBranches;
  const auto last = any ? SampleEvent::kMaxValue : wanted;
  *system_error = 0;
  long error = -ENOENT;
  for (auto value = static_cast<uint8_t>(first); value <= static_cast<uint8_t>(last); ++value) {
    Sampler probe;
    const auto event = static_cast<SampleEvent>(value);
    const bool is_clock = event == SampleEvent::kTaskClock;
    long result = Open(is_clock ? kNoThread : CurrentThreadId(), event, kProbePeriod, 0, &probe);
    if (is_clock && result == -ESRCH) {  // the kernel looks for the thread after all that could refuse the event
      uint64_t id = 0;
      const long use = PerfIoctl(-1, PERF_EVENT_IOC_ID, &id);  // a filter may allow an event, but not its use
      result = use == -EBADF ? 0 : use;
    } else if (result == 0) {
      if (!DoesCount(probe)) result = -ENOENT;
      CloseSampler(&probe);
    }
    if (result == 0) {
      *chosen = event;
      return Status::kOk;
    }
    if (*system_error == 0) *system_error = static_cast<int>(-result);
    error = result;
  }
  return error == -ESRCH ? Status::kSystemError : StatusOfRefusal(error);  // our own thread is there
}

bool MayTimersSample() { return !IsKernelBefore(5, 19); }

Status OpenSampler(int32_t tid, SampleEvent event, uint64_t period, uint64_t sig_data, Sampler* sampler) {
  if (event == SampleEvent::kBest || event > SampleEvent::kMaxValue || period == 0) return Status::kInvalidArgument;
  Sampler opened;
  const long result = Open(tid, event, period, sig_data, &opened);
  if (result < 0) return StatusOfRefusal(result);
  *sampler = opened;
  return Status::kOk;
}

Status OpenSingleTimer(int32_t tid, uint64_t period, uint64_t sig_data, Sampler* sampler) {
  const long result = OpenTimer(tid, period, sig_data, sampler);
  sampler->is_single = true;
  return result < 0 ? Status::kSystemError : Status::kOk;
}

void CloseTimer(Sampler* sampler) {
  if (sampler->timer_id >= 0) DeleteThreadTimer(sampler->timer_id);
  *sampler = Sampler{};
}

void CloseSampler(Sampler* sampler) {
  if (sampler->timer_id >= 0) DeleteThreadTimer(sampler->timer_id);
  ClosePerfEvent(sampler->fd, sampler->id);
  *sampler = Sampler{};
}

void DisableEventsOfThisThread() { SysCall(__NR_prctl, PR_TASK_PERF_EVENTS_DISABLE); }

Status EnableSampler(const Sampler& sampler) {
  if (IsTimer(sampler)) {
    return sampler.timer_id < 0 ? Status::kOk
                                : StatusOfResult(SetThreadTimer(sampler.timer_id, sampler.period, sampler.is_single));
  }
  return StatusOfResult(PerfIoctl(sampler.fd, PERF_EVENT_IOC_ENABLE, nullptr));
}

Status DisableSampler(const Sampler& sampler) {
  if (IsTimer(sampler))
    return sampler.timer_id < 0 ? Status::kOk : StatusOfResult(SetThreadTimer(sampler.timer_id, 0, false));
  return StatusOfResult(PerfIoctl(sampler.fd, PERF_EVENT_IOC_DISABLE, nullptr));
}

Status SetSamplerPeriod(Sampler* sampler, uint64_t period) {
  if (period == 0) return Status::kInvalidArgument;
  const long result = IsTimer(*sampler) ? 0 : PerfIoctl(sampler->fd, PERF_EVENT_IOC_PERIOD, &period);
  if (result == 0) sampler->period = period;
  return StatusOfResult(result);
}

bool IsSamplerOurs(const Sampler& sampler) {
  if (IsTimer(sampler)) return true;  // timer ids are private to the process and nobody else deletes ours
  return IsPerfEvent(sampler.fd, sampler.id);
}

bool MayBorrow(int32_t fd) { return EventUse(fd).fd() >= 0; }

}  // namespace softlbr::platform
