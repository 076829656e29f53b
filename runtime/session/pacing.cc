#include "runtime/session/pacing.h"

#include "runtime/session/session.h"

namespace softlbr {

uint64_t WantedPeriod(const softlbr_options& options, platform::SampleEvent event) {
  if (options.period != 0) return options.period;
  if (options.frequency_hz != 0 && platform::IsClock(event)) return 1000000000ull / options.frequency_hz;  // at most 100 kHz: not 0
  // Primes, so that the period shares no factor with a loop's length.
  constexpr uint64_t kBranches = 500009;
  constexpr uint64_t kInstructionsOrCycles = 2000003;
  constexpr uint64_t kNs = 5000011;  // about 200 Hz
  if (platform::IsClock(event)) return kNs;
  return event <= platform::SampleEvent::kBranches ? kBranches : kInstructionsOrCycles;
}

void LimitFirstPeriod(Session* session) {
  const uint64_t budget_ppm = session->settings.options.max_overhead_ppm;
  if (budget_ppm == 0 || !platform::IsClock(static_cast<platform::SampleEvent>(session->info.event))) return;
  constexpr uint64_t kTraceGuessNs = 10000;
  const uint64_t least = (session->costs.sample_ns + kTraceGuessNs) * 1000000 / budget_ppm;
  if (least > session->environment.period.load(std::memory_order_relaxed)) {
    session->environment.period.store(least, std::memory_order_relaxed);
  }
}

void AdjustPeriod(Session* session) {
  const bool holds_frequency =
      session->info.frequency_hz != 0 && !platform::IsClock(static_cast<platform::SampleEvent>(session->info.event));
  const uint64_t budget_ppm = session->settings.options.max_overhead_ppm;
  if (!holds_frequency && budget_ppm == 0) return;

  SessionCounters counters;
  CollectCounters(*session, &counters);
  Pacing& last = session->pacing;
  const uint64_t cpu_ns = counters.app_cpu_ns - last.cpu_ns;
  constexpr uint64_t kAdjustAfterNs = 50000000;
  if (cpu_ns < kAdjustAfterNs) return;
  const uint64_t samples = counters.samples - last.samples;
  const uint64_t overhead_ns = counters.overhead_total_ns - last.overhead_ns;
  last = Pacing{counters.samples, counters.app_cpu_ns, counters.overhead_total_ns};

  // The period that the user wants, lengthened as far as the budget demands. One adjustment changes it by a factor of two at most.
  std::atomic<uint64_t>& present = session->environment.period;
  const uint64_t period = present.load(std::memory_order_relaxed);
  uint64_t next = session->info.period;
  if (holds_frequency) {
    const uint64_t wanted = session->info.frequency_hz * (cpu_ns / 1000) / 1000000;
    next = wanted == 0 ? period : period * (samples + 1) / (wanted + 1);
  }
  if (budget_ppm != 0) {
    const uint64_t ppm = overhead_ns * 1000 / (cpu_ns / 1000 + 1);
    const uint64_t affordable = period * (ppm + 1) / budget_ppm;  // the period at which the same traces would cost the budget
    if (affordable > next) next = affordable;
  }
  if (next < period / 2) next = period / 2;
  if (next > period * 2) next = period * 2;
  constexpr uint64_t kLeastPeriod = 1009;
  present.store(next < kLeastPeriod ? kLeastPeriod : next, std::memory_order_relaxed);
}

}  // namespace softlbr
