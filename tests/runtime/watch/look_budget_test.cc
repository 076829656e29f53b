// How long the control thread rests after a look: a session without threads, whose app and looks the test plays.
#include "runtime/watch/look_budget.h"

#include <gtest/gtest.h>

#include <memory>

#include "platform/base/limits.h"
#include "runtime/session/session.h"
#include "tests/fake/session_platform_fake.h"

namespace softlbr {
namespace {

constexpr uint64_t kLookMs = 1000000;

class LookBudgetTest : public ::testing::Test {
 protected:
  void Begin(uint32_t budget_ppm) {
    session_->settings.budget_ppm = budget_ppm;
    session_->control.thread.kept_fd = 3;
    BeginLooks(session_.get(), now_ns_, cpu_ns_);
  }
  // A look of 5 ms, 100 ms after the last one. The app has used percent of that time.
  uint64_t RestAfter(uint64_t percent) {
    fake::g_thread_cpu_ns += 5 * kLookMs;
    now_ns_ += 100 * kLookMs;
    cpu_ns_ += percent * kLookMs;
    return RestAfterLook(session_.get(), now_ns_, cpu_ns_);
  }
  std::unique_ptr<Session> session_ = std::make_unique<Session>();
  uint64_t now_ns_ = 1000 * kLookMs;
  uint64_t cpu_ns_ = 1000 * kLookMs;
};

TEST_F(LookBudgetTest, AppThatUsesLittleIsLookedAtSeldom) {
  Begin(10000);
  EXPECT_EQ(RestAfter(9), kLongestRestNs);
  EXPECT_EQ(RestAfter(0), kLongestRestNs);
}

TEST_F(LookBudgetTest, RestFollowsTheRateOfTheApp) {
  Begin(100000);
  EXPECT_EQ(RestAfter(100), 0u) << "10 ms were saved";
  (void)RestAfter(0);
  (void)RestAfter(0);
  // The first look left 5 ms saved. 15 ms of looks came since, and 1 ms is earned. Half of a CPU earns 10 ms a second.
  EXPECT_NEAR(static_cast<double>(RestAfter(50)), 900e6, 9e6);
}

TEST_F(LookBudgetTest, BusyAppIsLookedAtAsOften) {
  Begin(1000000 / 2);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(RestAfter(100), 0u);
}

TEST_F(LookBudgetTest, HelperThatHoldsTheAppsFilesRestsLessLong) {
  Begin(10000);
  session_->control.thread.kept_fd = -1;
  EXPECT_EQ(RestAfter(1), kSparsePeriodNs);
}

TEST_F(LookBudgetTest, NothingRestsWithoutABudget) {
  Begin(0);
  EXPECT_EQ(RestAfter(1), 0u);
}

}  // namespace
}  // namespace softlbr
