// The period of a PMU event that follows a frequency, while no sample comes. Runs over a fake platform, which says how
// much of the CPU time is spent in user code.
#include <gtest/gtest.h>

#include <memory>

#include "platform/thread_list.h"
#include "runtime/session/session.h"
#include "runtime/watch/pacing.h"
#include "tests/fake/session_platform_fake.h"

namespace softlbr {
namespace {

constexpr uint64_t kFirstPeriod = 2000003;

uint64_t PeriodAfterWork(uint32_t user_percent) {
  fake::g_user_percent = user_percent;
  const auto session = std::make_unique<Session>();
  session->info.event = static_cast<uint8_t>(platform::SampleEvent::kCycles);
  session->info.frequency_hz = 997;
  session->info.period = kFirstPeriod;
  session->environment.period.store(kFirstPeriod);
  session->totals.start_cpu_ns = platform::ProcessCpuTimeNs();
  LimitFirstPeriod(session.get());
  for (int round = 0; round < 20; ++round) {
    const uint64_t end = platform::ProcessCpuTimeNs() + 20000000;
    while (platform::ProcessCpuTimeNs() < end) continue;
    AdjustPeriod(session.get());
  }
  fake::g_user_percent = 100;
  return session->environment.period.load();
}

TEST(EventPeriod, IsNotShortenedByTimeInTheKernel) { EXPECT_EQ(PeriodAfterWork(5), kFirstPeriod); }

TEST(EventPeriod, IsShortenedByTimeInUserCode) { EXPECT_LT(PeriodAfterWork(100), kFirstPeriod / 16); }

}  // namespace
}  // namespace softlbr
