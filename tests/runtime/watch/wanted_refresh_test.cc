// When the modules are read again: because a handler has met unknown code, and by themselves.
#include <gtest/gtest.h>

#include <memory>

#include "runtime/session/session.h"
#include "runtime/watch/module_refresh.h"

namespace softlbr {
namespace {

constexpr uint64_t kNowNs = 1000000000;

class WantedRefresh : public ::testing::Test {
 protected:
  // ..._ago_ns: since the last reading, and since the last one that found a difference.
  uint64_t TimeTo(uint64_t read_ago_ns, uint64_t changed_ago_ns, uint64_t gap_ns) {
    session_->environment.modules_wanted.store(1);
    session_->modules.last_refresh_ns = kNowNs - read_ago_ns;
    session_->modules.last_change_ns = kNowNs - changed_ago_ns;
    session_->modules.wanted_gap_ns = gap_ns;
    return TimeToWantedRefresh(*session_, kNowNs);
  }
  std::unique_ptr<Session> session_ = std::make_unique<Session>();
};

TEST_F(WantedRefresh, IsNotDueWhileNobodyWantsIt) { EXPECT_EQ(TimeToWantedRefresh(*session_, kNowNs), ~uint64_t{0}); }

TEST_F(WantedRefresh, IsDueAtOnceAfterALongTime) { EXPECT_LE(TimeTo(10 * kModuleGapNs, 10 * kModuleGapNs, 0), 1u); }

TEST_F(WantedRefresh, WaitsUntilHandlersHaveLeftTheMapBefore) { EXPECT_EQ(TimeTo(1000, 1000, 0), kModuleGapNs - 1000); }

TEST_F(WantedRefresh, WaitsForTheGapThatGrowsWhileNothingIsFound) {
  EXPECT_EQ(TimeTo(10 * kModuleGapNs, 100 * kModuleGapNs, 16 * kModuleGapNs), 6 * kModuleGapNs);
}

TEST_F(WantedRefresh, ComesByItselfEachTimeThatAYoungSessionsAgeHasDoubled) {
  constexpr uint64_t kMs = 1000000;
  session_->totals.start_ns = kNowNs;
  const auto is_due = [this](uint64_t read_at_age_ns, uint64_t age_ns) {
    session_->modules.last_refresh_ns = kNowNs + read_at_age_ns;
    return IsRefreshDue(*session_, kNowNs + age_ns);
  };
  EXPECT_TRUE(is_due(0, 8 * kMs)) << "the first look after the start";
  EXPECT_FALSE(is_due(20 * kMs, 39 * kMs));
  EXPECT_TRUE(is_due(20 * kMs, 40 * kMs));
  for (const bool has_threads : {false, true}) {
    session_->threads.has_threads = has_threads;
    const uint64_t period_ns = has_threads ? kModuleRefreshNs : kAloneRefreshNs;
    EXPECT_FALSE(is_due(10000 * kMs, 10000 * kMs + period_ns - 1)) << has_threads;
    EXPECT_TRUE(is_due(10000 * kMs, 10000 * kMs + period_ns)) << has_threads;
  }
}

}  // namespace
}  // namespace softlbr
