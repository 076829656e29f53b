// SOFTLBR_DENSE_START: what it makes of the defaults, and the budget over the app's CPU time.
#include <gtest/gtest.h>

#include "platform/base/limits.h"
#include "runtime/session/session_settings.h"
#include "runtime/watch/pacing.h"

namespace softlbr {
namespace {

SessionSettings Resolved(softlbr_options options, uint32_t flags = SOFTLBR_DENSE_START) {
  options.struct_size = sizeof options;
  options.flags = flags;
  SessionSettings settings;
  EXPECT_EQ(ResolveSettings(options, &settings), Status::kOk);
  return settings;
}

TEST(DenseStart, ShortensTracesAndThePeriodAndRaisesTheBudget) {
  const SessionSettings dense = Resolved({});
  EXPECT_EQ(dense.options.branches_per_trace, 256u);
  EXPECT_EQ(dense.budget_ppm, 40000u);
  EXPECT_EQ(WantedPeriod(dense.options, platform::SampleEvent::kTaskClock), 1000003u);
  const SessionSettings usual = Resolved({}, 0);
  EXPECT_EQ(usual.options.branches_per_trace, 1024u);
  EXPECT_EQ(usual.budget_ppm, 12500u);
  EXPECT_EQ(BudgetAt(usual, 0), 12500u);
  EXPECT_LT(WantedPeriod(dense.options, platform::SampleEvent::kCycles),
            WantedPeriod(usual.options, platform::SampleEvent::kCycles));
}

TEST(DenseStart, LeavesWhatIsGivenAsItIs) {
  softlbr_options options{};
  options.frequency_hz = 997;
  EXPECT_EQ(Resolved(options).options.branches_per_trace, 128u);
  EXPECT_EQ(Resolved(options).budget_ppm, 100000u);
  EXPECT_FALSE(Resolved(options).is_budget_falling);
  options = {};
  options.period = 5000011;
  EXPECT_EQ(Resolved(options).budget_ppm, 0u);
  EXPECT_FALSE(Resolved(options).is_budget_falling);
  EXPECT_EQ(WantedPeriod(Resolved(options).options, platform::SampleEvent::kTaskClock), 5000011u);
  options = {};
  options.max_overhead_ppm = 30000;
  EXPECT_EQ(BudgetAt(Resolved(options), 60000000000), 30000u);
}

// The first second and the nine that follow: 1.25 % of ten seconds. The account that ends the dense part comes up to
// half a second late.
TEST(DenseStart, CostsOneAndAQuarterPercentOfTenSeconds) {
  const SessionSettings dense = Resolved({});
  double spent_ns = 0;
  for (uint64_t at_ns = 0; at_ns < 10000000000; at_ns += 1000000) {
    const uint64_t noticed_ns = at_ns < 200000000 ? 0 : at_ns - 200000000;
    spent_ns += BudgetAt(dense, noticed_ns) * 1e-6 * 1e6;
  }
  EXPECT_LE(spent_ns / 10e9, 0.0126);
  EXPECT_GT(spent_ns / 10e9, 0.0115);
  EXPECT_EQ(BudgetAt(dense, 60000000000), 12500u);
}

}  // namespace
}  // namespace softlbr
