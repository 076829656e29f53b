// The sampling period: keeps a requested frequency, and keeps the overhead within its budget.
//
// Only the sampling rate is adjusted. Slow traces are never cut short to save time, because that would bias the
// profile.
// Budget: each nanosecond of CPU time adds max_overhead_ppm to the budget; traces, hits and the control thread spend
//   it. The period is chosen so that traces that cost as much as the last 16 to 32 spend what is added, less the debt.
//   A debt is paid within a second of CPU time, or within four seconds if they hold less of it; but traces keep at
//   least an eighth of the budget. What is not spent is kept for a quarter of a second.
// Context switches: the kernel removes and adds our events at each one, whatever the period. If this costs more
//   (SwitchNs) than traces and control thread leave of the budget, timers take the place of the threads' events
//   (timer_sampling.h), until the switches have become few. Where timers may not be used, all threads' events are
//   closed until the debt is paid and enough is saved for the next time. Each pause is longer than the one before, up
//   to 16 s of CPU time, because after closing, switches remain a little slower for a second (bench/README.md). All
//   threads' events are closed together, so that the threads' shares stay right, and opened again at a random debt, so
//   that pauses do not fall into step with the program. Phases with fewer switches get more samples; paused_cpu_ns is
//   the CPU time that was not sampled.
// Frequency: samples per second of CPU time in user code, because PMU events count only there. If all CPU time counted,
//   a program that is mostly in the kernel would get too short a period, and its computing threads too many samples.
//   The time of our handlers does not count: if a sample takes longer than the interval asked for, the period would
//   shrink without end, and the program would hardly make progress.
// Context: control. Handlers read TraceEnvironment::period when they set their thread's sampler.
#ifndef SOFTLBR_RUNTIME_WATCH_PACING_H_
#define SOFTLBR_RUNTIME_WATCH_PACING_H_

#include <cstdint>

#include "platform/sampler.h"
#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {

struct Session;
struct SessionSettings;

// The period that the options ask for. The default is longer for long traces. A frequency determines the period on a
// clock. On another event the first period is a default, which AdjustPeriod then adapts to the frequency.
uint64_t WantedPeriod(const softlbr_options& options, platform::SampleEvent event);
// With SOFTLBR_DENSE_START: the budget after so much CPU time of the app. Else the budget.
uint32_t BudgetAt(const SessionSettings& settings, uint64_t app_cpu_ns);
// At start, before anything is known of the program. Clocks: lengthens the period so that a sample of the measured
// cost, plus a guessed 0.5 us for each branch of its trace, stays within the overhead budget; the guess counts as the
// first trace. Without a budget the period is at least 1.5 times the cost of a sample, or 100 us: a shorter one gives
// no more samples, and its interrupts leave the program hardly any time.
void LimitFirstPeriod(Session* session);
// At each account: adjusts the period to the samples, CPU time and overhead counted since the last adjustment. The
// period of a clock is set at once; that of another event every 50 ms of CPU time in user code, by a factor of two at
// most.
void AdjustPeriod(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_PACING_H_
