// The sampling period: keeps a requested frequency, and keeps the overhead within its budget.
//
// Only the sampling rate is adjusted. Slow traces are never cut short to save time, because that would bias the profile.
// Context: control. Handlers read TraceEnvironment::period when they set their thread's sampler.
#ifndef SOFTLBR_RUNTIME_SESSION_PACING_H_
#define SOFTLBR_RUNTIME_SESSION_PACING_H_

#include <cstdint>

#include "platform/sampler.h"
#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {

struct Session;

// Totals at the last adjustment of the period.
struct Pacing {
  uint64_t samples;
  uint64_t cpu_ns;
  uint64_t overhead_ns;
};

// The period that the options ask for. A frequency determines the period on a clock. On another event the first period is a
// default, which AdjustPeriod then adapts to the frequency.
uint64_t WantedPeriod(const softlbr_options& options, platform::SampleEvent event);
// At start, before anything is known of the program: lengthens the period so that a sample of the measured cost, plus a guessed
// 10 us for its trace, stays within the overhead budget. Clocks only.
void LimitFirstPeriod(Session* session);
// Each round: adjusts the period to the samples, CPU time and overhead counted since the last adjustment. Does nothing until
// 50 ms of CPU time have passed.
void AdjustPeriod(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_PACING_H_
