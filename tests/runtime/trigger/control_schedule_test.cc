// When the sessions of a schedule begin, with the clock and the random numbers given.
#include "runtime/trigger/control_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace softlbr {
namespace {

constexpr uint32_t kEveryMs = 600000;
constexpr uint64_t kEveryNs = kEveryMs * uint64_t{1000000};

TEST(ControlSchedule, FirstSessionComesWithinTheInterval) {
  EXPECT_EQ(FirstScheduledNs(1000, kEveryMs, 0), 1000u);
  EXPECT_EQ(FirstScheduledNs(1000, kEveryMs, kEveryNs - 1), 1000 + kEveryNs - 1);
  EXPECT_EQ(FirstScheduledNs(1000, kEveryMs, kEveryNs), 1000u);
  EXPECT_EQ(FirstScheduledNs(1000, 0, 5), kNeverNs);
}

TEST(ControlSchedule, GapsAreFromHalfToOneAndAHalfInterval) {
  EXPECT_EQ(NextScheduledNs(1000, 1000, kEveryMs, 0), 1000 + kEveryNs / 2);
  EXPECT_EQ(NextScheduledNs(1000, 1000, kEveryMs, kEveryNs - 1), 1000 + kEveryNs / 2 + kEveryNs - 1);
}

TEST(ControlSchedule, SessionThatBeganLateEndsBeforeTheNext) {
  const uint64_t began_ns = 1000 + kEveryNs / 4;
  EXPECT_EQ(NextScheduledNs(1000, began_ns, kEveryMs, 0), began_ns + kEveryNs / 2);
  EXPECT_EQ(NextScheduledNs(1000, began_ns, kEveryMs, kEveryNs / 2), 1000 + kEveryNs) << "far enough";
}

TEST(ControlSchedule, SessionsMissedInSleepAreNotMadeUpFor) {
  const uint64_t awake_ns = 1000 + 20 * kEveryNs;
  EXPECT_EQ(NextScheduledNs(1000, awake_ns, kEveryMs, 0), awake_ns + kEveryNs / 2);
}

// A thousand devices that started at the same instant: after ten sessions no tenth of an interval has much more than a
// tenth of them.
TEST(ControlSchedule, FleetDoesNotRecordInStep) {
  std::mt19937_64 random(20261123);
  uint32_t devices_of[10] = {};
  for (int device = 0; device < 1000; ++device) {
    uint64_t due_ns = FirstScheduledNs(0, kEveryMs, random());
    for (int session = 0; session < 10; ++session) due_ns = NextScheduledNs(due_ns, due_ns, kEveryMs, random());
    ++devices_of[due_ns % kEveryNs * 10 / kEveryNs];
  }
  EXPECT_LT(*std::max_element(devices_of, devices_of + 10), 150u);
  EXPECT_GT(*std::min_element(devices_of, devices_of + 10), 50u);
}

TEST(ControlSchedule, ShareThatIsSkippedIsAsAsked) {
  EXPECT_FALSE(softlbr::IsSkipped(0, 0));
  EXPECT_TRUE(softlbr::IsSkipped(1, 0));
  EXPECT_FALSE(softlbr::IsSkipped(1, 1));
  EXPECT_TRUE(softlbr::IsSkipped(1000000, 999999));
  std::mt19937_64 random(7);
  uint32_t skipped = 0;
  for (int i = 0; i < 10000; ++i) skipped += softlbr::IsSkipped(250000, random()) ? 1 : 0;
  EXPECT_NEAR(skipped, 2500, 200);
}

}  // namespace
}  // namespace softlbr
