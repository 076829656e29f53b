// When the modules are read again because a handler has met unknown code.
#include <gtest/gtest.h>

#include <memory>

#include "runtime/session/session.h"

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

}  // namespace
}  // namespace softlbr
