// How often threads are sampled: the period, so that a frequency is held and the overhead stays within its budget.
//
// Only the rate of sampling is adjusted, never which traces are finished: to drop the slow ones would bias the profile.
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

// The period that the options ask for. A frequency on a clock is a period; on another event the period is only where
// AdjustPeriod begins.
uint64_t WantedPeriod(const softlbr_options& options, platform::SampleEvent event);
// Before anything is known of the program: lengthens the period until a sample of the measured cost and an evaluation of some
// microseconds stay within the overhead budget. Clocks only.
void LimitFirstPeriod(Session* session);
// Each round: adjusts the period to what has been counted since the last adjustment. Does nothing for less than 50 ms of CPU time.
void AdjustPeriod(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_PACING_H_
