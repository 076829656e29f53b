#include "runtime/watch/pacing.h"

#include "platform/thread.h"
#include "platform/thread_list.h"
#include "runtime/session/session.h"
#include "runtime/watch/thread_registry.h"
#include "runtime/watch/thread_watch.h"
#include "runtime/watch/timer_sampling.h"

namespace softlbr {

uint64_t WantedPeriod(const softlbr_options& options, platform::SampleEvent event) {
  if (options.period != 0) return options.period;
  constexpr uint64_t kDenseNs = 1000003;
  // at most 100 kHz: not 0
  if (options.frequency_hz != 0 && platform::IsClock(event)) return 1000000000ull / options.frequency_hz;
  // Primes, so that the period shares no factor with a loop's length.
  constexpr uint64_t kBranches = 500009;
  constexpr uint64_t kInstructionsOrCycles = 2000003;
  constexpr uint64_t kNs = 4300013;
  const uint64_t period = platform::IsClock(event)                    ? kNs
                          : event <= platform::SampleEvent::kBranches ? kBranches
                                                                      : kInstructionsOrCycles;
  if ((options.flags & SOFTLBR_DENSE_START) != 0) return period < kNs ? period : kDenseNs;
  if (options.branches_per_trace <= kBranchesPerTraceAtGivenRate) return period;
  constexpr uint32_t kBranchesAtTwice = 512;
  return options.branches_per_trace <= kBranchesAtTwice ? period * 2 : period * 4;
}

namespace {

// With timers: goes back to events once the app's switches are few. It is tried on one thread first whether events may
// be opened.
void ReconsiderEvents(Session* session, uint64_t cpu_ns) {
  constexpr uint64_t kLongestNs = 1000000000;  // an app whose threads become few
  TimerSampling& timers = session->timers;
  AddTo(&session->totals.timer_cpu_ns, cpu_ns);
  timers.cpu_ns += cpu_ns;
  if (timers.cpu_ns < timers.least_cpu_ns) return;
  uint32_t first = 0;
  while (ThreadSlot* slot = NextLiveSlot(&session->threads, &first)) (void)CountSwitchesOf(session, slot);
  StopBlockedThreads(session);
  const bool are_few = timers.switching_ns < timers.cpu_ns / 1000 * session->settings.budget_ppm / 4000;
  timers.cpu_ns = 0;
  timers.switching_ns = 0;
  first = 0;
  const ThreadSlot* slot = NextLiveSlot(&session->threads, &first);
  if (!are_few || slot == nullptr) {
    // Counting the switches of 13 threads takes 0.3 ms, which is a second's budget of some apps.
    if (timers.least_cpu_ns < kLongestNs) timers.least_cpu_ns *= 2;
    return;
  }
  platform::Sampler trial;
  const auto event = static_cast<platform::SampleEvent>(session->info.event);
  if (platform::OpenSampler(slot->tid, event, session->info.period, 0, &trial) != Status::kOk) return;
  platform::CloseSampler(&trial);
  EndTimers(session);
  session->pacing.switch_debt_ns = 0;
  session->control.period_ns = 0;  // an account soon, to see what the events cost
}

// What switches may cost before the threads get timers: what an eighth of a second of wall time adds to the budget.
int64_t MostSwitchDebt(const Session& session, const SessionCounters& now) {
  const auto second_ns = static_cast<int64_t>(session.settings.budget_ppm * 1000ull);
  if (now.app_cpu_ns >= now.duration_ns || now.duration_ns < 1000) return second_ns / 8;
  const auto least_ns = second_ns / 64;
  const auto of_rate_ns =
      static_cast<int64_t>(now.app_cpu_ns / 1000 * static_cast<uint64_t>(second_ns / 8) / (now.duration_ns / 1000));
  return of_rate_ns < least_ns ? least_ns : of_rate_ns;
}

// The part of the app's CPU time that pays a debt in a second of it, or in what the app uses in kPaymentNs.
int64_t PpmToPay(const SessionCounters& now, int64_t debt_ns) {
  constexpr uint64_t kPaymentNs = 4000000000;
  uint64_t cpu_us = now.app_cpu_ns / 1000 * (kPaymentNs / 1000) / (now.duration_ns / 1000 + 1);
  if (cpu_us > 1000000) cpu_us = 1000000;
  return debt_ns * 1000 / static_cast<int64_t>(cpu_us + 1);
}

// Gives the threads timers, or closes their events or has them opened again. rest_ns: what traces and control thread
// have left of the budget since the last adjustment.
void LimitSwitches(Session* session, const SessionCounters& now, int64_t switching_ns, int64_t rest_ns) {
  Pacing& pacing = session->pacing;
  int64_t& debt_ns = pacing.switch_debt_ns;
  debt_ns += switching_ns - rest_ns;
  if (debt_ns < -pacing.switch_savings_ns) debt_ns = -pacing.switch_savings_ns;
  const auto second_ns = static_cast<int64_t>(session->settings.budget_ppm * 1000ull);
  if (!session->threads.are_events_closed && !session->timers.is_active && debt_ns > MostSwitchDebt(*session, now) &&
      MayUseTimers(*session)) {
    BeginTimers(session);
  }
  if (session->timers.is_active) return;
  if (debt_ns > second_ns / 4 && !session->threads.are_events_closed) {
    CloseEvents(session);
    int64_t& savings_ns = pacing.switch_savings_ns;
    if (savings_ns < second_ns * 8) savings_ns *= 2;
    pacing.reopening_debt_ns =
        static_cast<int64_t>(platform::Ticks() % static_cast<uint64_t>(savings_ns / 2)) - savings_ns;
  } else if (session->threads.are_events_closed && debt_ns <= pacing.reopening_debt_ns) {
    session->threads.are_events_closed = false;
    session->control.period_ns = 0;  // an account soon, to see what the events cost
  }
}

}  // namespace

uint32_t BudgetAt(const SessionSettings& settings, uint64_t app_cpu_ns) {
  if (!settings.is_budget_falling || app_cpu_ns < kDenseCpuNs) return settings.budget_ppm;
  return app_cpu_ns < kSparseCpuNs ? kSparseMaxOverheadPpm : kDefaultMaxOverheadPpm;
}

void LimitFirstPeriod(Session* session) {
  session->pacing.user_ns = platform::ProcessUserTimeNs();
  const bool is_clock = platform::IsClock(static_cast<platform::SampleEvent>(session->info.event));
  const softlbr_options& options = session->settings.options;
  const uint32_t budget_ppm = session->settings.budget_ppm;
  session->pacing.switch_savings_ns = int64_t{budget_ppm} * 1000 / 4;
  if (!is_clock) return;
  constexpr uint64_t kLongestLeastNs = 100000;  // bound in case the cost was measured wrongly
  uint64_t least = session->costs.sample_ns * 3 / 2;
  if (least > kLongestLeastNs) least = kLongestLeastNs;
  if (budget_ppm != 0) {
    constexpr uint64_t kBranchGuessNs = 500;
    const uint64_t guess_ns = session->costs.sample_ns + options.branches_per_trace * kBranchGuessNs;
    session->pacing.recent_samples = 1;
    session->pacing.recent_ns = static_cast<int64_t>(guess_ns);
    least = guess_ns * 1000000 / budget_ppm;
  }
  if (least > session->environment.period.load(std::memory_order_relaxed)) {
    session->environment.period.store(least, std::memory_order_relaxed);
  }
}

void AdjustPeriod(Session* session) {
  const bool is_clock = platform::IsClock(static_cast<platform::SampleEvent>(session->info.event));
  const uint64_t frequency_hz = is_clock ? 0 : session->info.frequency_hz;  // a clock's period follows from it
  const uint64_t budget_ppm = session->settings.budget_ppm;
  if (frequency_hz == 0 && budget_ppm == 0) return;
  Pacing& pacing = session->pacing;

  SessionCounters now;
  CollectCounters(*session, &now);
  now.overhead_total_ns -= now.overhead_switching_ns;  // the period does not change that part
  const auto spent_ns = static_cast<int64_t>(now.overhead_total_ns - pacing.overhead_ns);
  const auto switching_ns = static_cast<int64_t>(now.overhead_switching_ns - pacing.switching_ns);
  const auto traces_ns = spent_ns - static_cast<int64_t>(now.overhead_control_ns - pacing.control_ns);
  const uint64_t samples = now.samples - pacing.samples;
  const uint64_t cpu_ns = now.app_cpu_ns - pacing.cpu_ns;
  pacing.overhead_ns = now.overhead_total_ns;
  pacing.control_ns = now.overhead_control_ns;
  pacing.switching_ns = now.overhead_switching_ns;
  pacing.samples = now.samples;
  pacing.cpu_ns = now.app_cpu_ns;
  pacing.window_samples += samples;
  pacing.window_cpu_ns += cpu_ns;
  const uint64_t user_ns = platform::ProcessUserTimeNs();
  // May be negative: handlers' time is measured in nanoseconds, the process's user time often in scheduler ticks.
  pacing.window_user_ns +=
      static_cast<int64_t>(user_ns - pacing.user_ns - (now.overhead_evaluating_ns - pacing.evaluating_ns));
  pacing.user_ns = user_ns;
  pacing.evaluating_ns = now.overhead_evaluating_ns;

  uint64_t affordable_ns = 0;
  if (budget_ppm != 0) {
    const auto earned_ns = static_cast<int64_t>(budget_ppm * (cpu_ns / 1000) / 1000);
    const auto second_ns = static_cast<int64_t>(budget_ppm * 1000);  // what a second of CPU time adds to the budget
    pacing.debt_ns += spent_ns - earned_ns;
    if (pacing.debt_ns < -second_ns / 4) pacing.debt_ns = -second_ns / 4;
    if (pacing.debt_ns > second_ns * 4) pacing.debt_ns = second_ns * 4;
    const int64_t rest_ns = earned_ns - spent_ns;
    const int64_t least_rest_ns = earned_ns / 8;
    if (session->threads.are_events_closed) AddTo(&session->totals.paused_cpu_ns, cpu_ns);
    if (session->timers.is_active) ReconsiderEvents(session, cpu_ns);
    LimitSwitches(session, now, switching_ns, rest_ns > least_rest_ns ? rest_ns : least_rest_ns);
    pacing.recent_ns += traces_ns;
    pacing.recent_samples += samples;
    constexpr uint64_t kRecentSamples = 32;
    while (pacing.recent_samples > kRecentSamples) {
      pacing.recent_samples /= 2;
      pacing.recent_ns /= 2;
    }
    int64_t rest_ppm = static_cast<int64_t>(budget_ppm) - (pacing.debt_ns > 0 ? PpmToPay(now, pacing.debt_ns) : 0);
    const auto least_ppm = static_cast<int64_t>(budget_ppm / 8 + 1);
    if (rest_ppm < least_ppm) rest_ppm = least_ppm;
    if (pacing.recent_samples != 0 && pacing.recent_ns > 0) {
      affordable_ns =
          static_cast<uint64_t>(pacing.recent_ns) / pacing.recent_samples * 1000000 / static_cast<uint64_t>(rest_ppm);
    }
  }

  std::atomic<uint64_t>& present = session->environment.period;
  uint64_t next = session->info.period;
  if (is_clock) {
    if (affordable_ns > next) next = affordable_ns;
  } else {
    constexpr uint64_t kWindowNs = 50000000;
    if (pacing.window_cpu_ns < kWindowNs || (frequency_hz != 0 && pacing.window_user_ns < int64_t{kWindowNs})) return;
    const uint64_t period = present.load(std::memory_order_relaxed);
    uint64_t wanted = ~uint64_t{0};
    if (frequency_hz != 0) wanted = static_cast<uint64_t>(pacing.window_user_ns) * frequency_hz / 1000000000;
    if (affordable_ns != 0 && pacing.window_cpu_ns / affordable_ns < wanted)
      wanted = pacing.window_cpu_ns / affordable_ns;
    if (wanted == ~uint64_t{0}) --wanted;
    const uint64_t adjusted = period * (pacing.window_samples + 1) / (wanted + 1);
    if (frequency_hz != 0 || adjusted > next) next = adjusted;
    // Samples of the window were taken at several periods, so a step is at most a factor of two.
    if (next < period / 2) next = period / 2;
    if (next > period * 2) next = period * 2;
    pacing.window_samples = 0;
    pacing.window_cpu_ns = 0;
    pacing.window_user_ns = 0;
  }
  constexpr uint64_t kLeastPeriod = 1009;
  const uint64_t most = session->info.period * kMostPeriodFactor;
  if (next > most) next = most;
  present.store(next < kLeastPeriod ? kLeastPeriod : next, std::memory_order_relaxed);
}

}  // namespace softlbr
