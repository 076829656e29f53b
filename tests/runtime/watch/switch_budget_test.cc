// When the cost of context switches closes the threads' events, and when they are opened again. SessionTsan shows that
// this happens.
#include <gtest/gtest.h>

#include <memory>

#include "platform/thread_list.h"
#include "runtime/session/session.h"
#include "runtime/watch/pacing.h"
#include "runtime/watch/timer_sampling.h"
#include "tests/fake/session_platform_fake.h"

namespace softlbr {
namespace {

void UseCpu(uint64_t ns) {
  const uint64_t end = platform::ProcessCpuTimeNs() + ns;
  while (platform::ProcessCpuTimeNs() < end) continue;
}

// A session without threads, whose switches are counted by the test.
class SwitchBudget : public ::testing::Test {
 protected:
  void Begin(uint32_t budget_ppm) {
    session_->settings.budget_ppm = budget_ppm;
    session_->info.event = static_cast<uint8_t>(platform::SampleEvent::kTaskClock);
    session_->info.period = 5000011;
    session_->environment.period.store(5000011);
    session_->totals.start_cpu_ns = platform::ProcessCpuTimeNs();
    LimitFirstPeriod(session_.get());
  }
  // A millisecond of CPU time, in which the switches took cost_ns. True if the events are closed after it.
  bool AreClosedAfter(uint64_t cost_ns) {
    UseCpu(1000000);
    session_->totals.switching_ns += cost_ns;
    AdjustPeriod(session_.get());
    return session_->threads.are_events_closed;
  }
  std::unique_ptr<Session> session_ = std::make_unique<Session>();
};

TEST_F(SwitchBudget, FewSwitchesCloseNothing) {
  Begin(20000);
  for (int i = 0; i < 50; ++i) ASSERT_FALSE(AreClosedAfter(10000));  // 1 % of the CPU time
  EXPECT_EQ(session_->totals.paused_cpu_ns, 0u);
}

TEST_F(SwitchBudget, ManySwitchesCloseTheEventsUntilTheyArePaid) {
  Begin(1000000 / 2);  // half of the CPU time, so that the test is short
  ASSERT_FALSE(AreClosedAfter(0));
  const uint64_t before_ns = platform::ProcessCpuTimeNs();
  EXPECT_TRUE(AreClosedAfter(200000000));
  int rounds = 0;
  while (AreClosedAfter(0)) ASSERT_LT(++rounds, 100000);
  const uint64_t used_ns = platform::ProcessCpuTimeNs() - before_ns;
  EXPECT_GE(used_ns, 390000000u) << "200 ms, earned at half the CPU time";
  EXPECT_GE(session_->totals.paused_cpu_ns, 380000000u);
  EXPECT_LE(session_->totals.paused_cpu_ns, used_ns);
}

TEST_F(SwitchBudget, ThreadsGetTimersFirstWhereASwitchIsDear) {
  const auto begins_with_timers = [this](uint64_t toggle_ns, uint32_t budget_ppm, bool is_first_sample_early,
                                         bool may_use_timers, uint64_t period = 5000011) {
    Begin(budget_ppm);
    session_->environment.period.store(period);
    session_->timers.is_active = false;
    session_->costs.toggle_ns = toggle_ns;
    session_->settings.is_first_sample_early = is_first_sample_early;
    fake::g_may_timers_sample = may_use_timers;
    BeginWithTimersIfDear(session_.get());
    fake::g_may_timers_sample = false;
    return session_->timers.is_active;
  };
  EXPECT_TRUE(begins_with_timers(16000, 10000, false, true));
  EXPECT_FALSE(begins_with_timers(1000, 10000, false, true)) << "a switch is cheap";
  EXPECT_FALSE(begins_with_timers(16000, 0, false, true)) << "there is no limit";
  EXPECT_FALSE(begins_with_timers(16000, 10000, true, true)) << "a timer gives no early sample";
  EXPECT_FALSE(begins_with_timers(16000, 10000, false, false));
  EXPECT_FALSE(begins_with_timers(16000, 500000, false, true, 1000003))
      << "more samples are asked for than there are ticks";
}

TEST_F(SwitchBudget, SwitchesAreCountedEverMoreSeldomUnderTimers) {
  Begin(10000);
  session_->timers.is_active = true;
  session_->timers.least_cpu_ns = 2000000;
  for (int i = 0; i < 20; ++i) (void)AreClosedAfter(0);
  EXPECT_GE(session_->timers.least_cpu_ns, 16000000u) << "after 2, 4 and 8 ms of CPU time";
  EXPECT_TRUE(session_->timers.is_active);
  session_->timers.least_cpu_ns = 1000000000;
  session_->timers.cpu_ns = 1000000000;
  (void)AreClosedAfter(0);
  EXPECT_EQ(session_->timers.least_cpu_ns, 1000000000u) << "an app whose threads become few gets events again";
  session_->timers.is_active = false;
}

TEST_F(SwitchBudget, ThereIsNoLimitWithoutABudget) {
  Begin(0);
  EXPECT_FALSE(AreClosedAfter(1000000000));
}

TEST_F(SwitchBudget, CostDoesNotChangeThePeriod) {
  Begin(20000);
  const uint64_t before = session_->environment.period.load();
  (void)AreClosedAfter(1000000000);
  EXPECT_EQ(session_->environment.period.load(), before);
}

}  // namespace
}  // namespace softlbr
