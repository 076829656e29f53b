// Periodic SIGTRAP on one thread, by a perf event or, where perf events are refused, by a per-thread CPU timer.
//
// Open, Close: control. Enable, Disable, SetPeriod, IsOurs: handler-safe, one system call each, or four where the event
// is borrowed (thread.h), errno untouched.
// A sampler starts disabled, and exec closes it.
#ifndef SOFTLBR_PLATFORM_SAMPLER_H_
#define SOFTLBR_PLATFORM_SAMPLER_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/sample_event.h"
#include "platform/base/status.h"

namespace softlbr::platform {

struct Sampler {
  int32_t fd = -1;         // perf event, or
  int32_t timer_id = -1;   // POSIX timer of kThreadTimer; -1: it does not exist yet
  bool is_single = false;  // a timer that fires once each time that it is enabled
  uint64_t id = 0;         // PERF_EVENT_IOC_ID at open, to detect a descriptor that the app closed and reused
  uint64_t period = 0;
  SampleEvent event = SampleEvent::kBest;
};

// *chosen = an event that opens on this machine: `wanted`, or for kBest the first of all in order. With cores of
// different kinds, kBest skips PMU events, because such an event counts on one kind of core only; before Linux 6.11 as
// well, because there it can end a blocking call with EINTR (docs/kernel_limits.md).
// *system_error is the errno of the first refusal. Tries PMU events by opening and closing them on the calling thread;
// taken branches must also be seen to count, because the kernel does not check that event. Opens no clock: the first
// event on a machine makes the kernel wait for 10 ms and more.
Status ChooseSampleEvent(SampleEvent wanted, SampleEvent* chosen, int* system_error);

// True if the signal of a thread's timer ends no call: the kernel sends it when the thread returns to user code. x86
// does so since Linux 5.10; AArch64 did when 5.19 was released.
bool MayTimersSample();

// Opens a disabled sampler on thread `tid` of this process; its traps carry sig_data.
Status OpenSampler(int32_t tid, SampleEvent event, uint64_t period, uint64_t sig_data, Sampler* sampler);
// Disables, then closes. Leaves a descriptor alone that is no longer ours.
void CloseSampler(Sampler* sampler);
// The same for SampleEvent::kThreadTimer, which fires once each time that it is enabled; handler-safe.
SOFTLBR_HANDLER_SAFE Status OpenSingleTimer(int32_t tid, uint64_t period, uint64_t sig_data, Sampler* sampler);
SOFTLBR_HANDLER_SAFE void CloseTimer(Sampler* sampler);

// Disables every perf event that the calling thread has opened. This includes an event whose descriptor the app has
// closed while a forked child's copy keeps it alive: that event would keep firing and has no descriptor left to disable
// it by. Control.
void DisableEventsOfThisThread();

SOFTLBR_HANDLER_SAFE Status EnableSampler(const Sampler& sampler);
SOFTLBR_HANDLER_SAFE Status DisableSampler(const Sampler& sampler);
// Ends the current period; if the sampler is on, a new one begins. A timer's period begins when the timer is enabled.
SOFTLBR_HANDLER_SAFE Status SetSamplerPeriod(Sampler* sampler, uint64_t period);
bool IsSamplerOurs(const Sampler& sampler);
// True if the calling process may borrow the descriptor `fd` of its helper. Control.
bool MayBorrow(int32_t fd);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_SAMPLER_H_
