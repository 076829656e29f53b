// The period of an event of the PMU for a frequency, where samples are dear: a session without threads of its own,
// whose samples are counted by the test. An emulated PMU slowed a program down 200 times so.
#include <gtest/gtest.h>

#include <memory>

#include "platform/thread_list.h"
#include "runtime/session/session.h"
#include "runtime/watch/pacing.h"

namespace softlbr {
namespace {

class FrequencyBudget : public ::testing::Test {
 protected:
  static constexpr uint64_t kFirstPeriod = 2000003;

  // 997 samples a second of user time, of which each costs sample_ns.
  void Begin(uint64_t sample_ns, uint32_t max_overhead_ppm) {
    session_->settings.options.frequency_hz = 997;
    session_->settings.options.max_overhead_ppm = max_overhead_ppm;
    session_->settings.budget_ppm =
        max_overhead_ppm != 0 ? max_overhead_ppm : static_cast<uint32_t>(kFrequencyMaxOverheadPpm);
    session_->info.event = static_cast<uint8_t>(platform::SampleEvent::kCycles);
    session_->info.frequency_hz = 997;
    session_->info.period = kFirstPeriod;
    session_->environment.period.store(kFirstPeriod);
    session_->costs.sample_ns = sample_ns;
    session_->totals.start_cpu_ns = platform::ProcessCpuTimeNs();
    session_->threads.slots = slot_.get();
    session_->threads.slot_count.store(1);
    LimitFirstPeriod(session_.get());
  }
  // The period after rounds of 70 ms of user time, in each of which there are `samples` samples that are evaluated for
  // evaluated_ns.
  uint64_t PeriodAfter(int rounds, uint64_t samples, uint64_t evaluated_ns) {
    for (int i = 0; i < rounds; ++i) {
      const uint64_t began = platform::ProcessUserTimeNs();
      while (platform::ProcessUserTimeNs() < began + 70000000) continue;
      slot_->counters.samples += samples;
      slot_->counters.limited_ns += evaluated_ns;
      AdjustPeriod(session_.get());
    }
    return session_->environment.period.load();
  }

  std::unique_ptr<Session> session_ = std::make_unique<Session>();
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
};

TEST_F(FrequencyBudget, CheapSamplesComeMoreOftenUntilTheRateIsReached) {
  Begin(2000, 0);
  EXPECT_LT(PeriodAfter(4, 14, 0), kFirstPeriod / 4) << "200 Hz";
}

TEST_F(FrequencyBudget, RateThatIsReachedIsKept) {
  Begin(2000, 0);
  const uint64_t period = PeriodAfter(4, 70, 0);
  EXPECT_GT(period, kFirstPeriod / 2);
  EXPECT_LT(period, kFirstPeriod * 2);
}

// Samples that take 4 ms each cannot come 997 times a second. A shorter period would only keep the program from getting
// on.
TEST_F(FrequencyBudget, DearSamplesComeLessOften) {
  Begin(4000000, 0);
  EXPECT_GE(PeriodAfter(4, 14, 0), kFirstPeriod);
}

// User time that is our own evaluation asks for no samples.
TEST_F(FrequencyBudget, TimeOfHandlersDoesNotCount) {
  Begin(2000, 1000000 - 1);
  EXPECT_GE(PeriodAfter(4, 14, 56000000), kFirstPeriod * 3 / 4) << "14 samples in 14 ms are the rate asked for";
}

}  // namespace
}  // namespace softlbr
