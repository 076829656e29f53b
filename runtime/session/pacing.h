// The sampling period: keeps a requested frequency, and keeps the overhead within its budget.
//
// Only the sampling rate is adjusted. Slow traces are never cut short to save time, because that would bias the profile.
// Budget: each nanosecond of CPU time earns max_overhead_ppm; traces, hits and the control thread spend. The period is such that
//   traces like the last 16 to 32 spend what is earned, less what is owed: a debt is to be paid within a second of CPU time, by
//   traces of at least an eighth of the budget. What is not spent is kept for a quarter of a second.
// Context switches: the kernel takes our events out and in at each one, whatever the period. If their cost (SwitchNs)
//   exceeds what traces and control thread leave of the budget, all threads' events are closed until the debt is paid and enough is
//   saved for the next time. Each pause is longer than the one before, up to 16 s of CPU time: after a closing the switches
//   remain a little slower for a second (bench/README.md). All threads are closed together, so shares between threads remain, and opened again at a random debt,
//   so that no rhythm of the program is met in step. Phases of the program that switch less get more samples: paused_cpu_ns says how
//   much CPU time went unsampled.
// Frequency: samples per second of CPU time in user code. Events of the PMU are counted only there: by all CPU time, a program that
//   spends most of it in the kernel would have too short a period, and each thread that computes too many samples. The time of our
//   handlers does not count: where a sample takes longer than the interval that is asked for, the period would shrink without end,
//   and the program would hardly get on.
// Context: control. Handlers read TraceEnvironment::period when they set their thread's sampler.
#ifndef SOFTLBR_RUNTIME_SESSION_PACING_H_
#define SOFTLBR_RUNTIME_SESSION_PACING_H_

#include <cstdint>

#include "platform/sampler.h"
#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {

struct Session;

struct Pacing {
  uint64_t samples;  // totals at the last adjustment
  uint64_t cpu_ns;
  uint64_t overhead_ns;  // with the control thread's
  uint64_t control_ns;
  uint64_t recent_samples;  // the last traces, older ones with less weight,
  int64_t recent_ns;        // and what they took
  int64_t debt_ns;          // overhead beyond the budget; negative: not used yet
  uint64_t window_samples;  // events that are no clock: since the period was last set
  uint64_t window_cpu_ns;
  int64_t window_user_ns;     // without our handlers'
  uint64_t user_ns;           // totals at the last adjustment: of the process in user code,
  uint64_t evaluating_ns;     // of our handlers there
  uint64_t switching_ns;      // total at the last adjustment
  int64_t switch_debt_ns;     // cost of the context switches beyond what the rest leaves of the budget; negative: not used yet
  int64_t switch_savings_ns;  // at most kept for later switches: a quarter of a second's budget, twice that after each closing
  int64_t reopening_debt_ns;  // at which closed events are opened again
};

// The period that the options ask for. The default is longer for long traces. A frequency determines the period on a clock. On
// another event the first period is a default, which AdjustPeriod then adapts to the frequency.
uint64_t WantedPeriod(const softlbr_options& options, platform::SampleEvent event);
// At start, before anything is known of the program. Clocks: lengthens the period so that a sample of the measured cost, plus a
// guessed 0.5 us for each branch of its trace, stays within the overhead budget; the guess counts as the first trace. Without a budget
// the period is at least one and a half times what a sample costs, or 100 us: below it no more samples come, and the interrupts leave
// the program hardly any time. A frequency of another event without a budget gets one: half of the CPU time.
void LimitFirstPeriod(Session* session);
// At each account: adjusts the period to the samples, CPU time and overhead counted since the last adjustment. That of a clock at once;
// that of another event each 50 ms of CPU time in user code, by a factor of two at most.
void AdjustPeriod(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_PACING_H_
