// Periodic SIGTRAP on one thread, through perf events or, where those are refused, a per-thread CPU timer.
//
// Open, Close: control. Enable, Disable, SetPeriod, IsOurs: handler-safe, one system call each, errno untouched.
// The sampler starts disabled, never re-arms a stopped trace by itself and is closed on exec.
#ifndef SOFTLBR_PLATFORM_SAMPLER_H_
#define SOFTLBR_PLATFORM_SAMPLER_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/sample_event.h"
#include "platform/base/status.h"

namespace softlbr::platform {

struct Sampler {
  int32_t fd = -1;        // perf event, or
  int32_t timer_id = -1;  // POSIX timer of kThreadTimer
  uint64_t id = 0;        // PERF_EVENT_IOC_ID at open, to notice a closed and reused number
  uint64_t period = 0;
  SampleEvent event = SampleEvent::kBest;
};

// Which event a thread of this process could be sampled with: the first that opens, from `wanted` (kBest: all in order, but
// none of the PMU's where CPUs differ: such an event counts on one kind of them alone).
// *system_error is the errno of the first refusal. Opens and closes one event on the calling thread.
Status ChooseSampleEvent(SampleEvent wanted, SampleEvent* chosen, int* system_error);

// Opens a sampler on thread `tid` of this process; sig_data comes back in the trap. Left disabled.
Status OpenSampler(int32_t tid, SampleEvent event, uint64_t period, uint64_t sig_data, Sampler* sampler);
// Disables, then closes, if the descriptor is still ours.
void CloseSampler(Sampler* sampler);

// Turns off every perf event that the calling thread has opened, those too whose descriptor the app has closed while a forked
// child's copy keeps the event alive: it would go on firing, and nobody could reach it. Control.
void DisableEventsOfThisThread();

SOFTLBR_HANDLER_SAFE Status EnableSampler(const Sampler& sampler);
SOFTLBR_HANDLER_SAFE Status DisableSampler(const Sampler& sampler);
SOFTLBR_HANDLER_SAFE Status SetSamplerPeriod(Sampler* sampler, uint64_t period);
bool IsSamplerOurs(const Sampler& sampler);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_SAMPLER_H_
