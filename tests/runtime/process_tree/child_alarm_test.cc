// When a forked child is recorded, by the CPU time that it took to begin.
#include "runtime/process_tree/child_alarm.h"

#include <gtest/gtest.h>

namespace softlbr {
namespace {

TEST(ChildAlarm, ComesAfterAMillisecondWhereChildrenBeginAtOnce) {
  for (const uint64_t birth_ns : {0, 60000, 250000}) EXPECT_EQ(ChildAlarmNs(birth_ns, false), 1000000u) << birth_ns;
}

// A child that took 0.9 ms to begin may take 3 ms more until it executes a program.
TEST(ChildAlarm, ComesLaterWhereChildrenBeginSlowly) {
  EXPECT_EQ(ChildAlarmNs(300000, false), 1200000u);
  EXPECT_GT(ChildAlarmNs(900000, false), 3200000u);
}

TEST(ChildAlarm, ComesAfterEightMillisecondsAtTheLatest) {
  for (const uint64_t birth_ns : {uint64_t{2000001}, uint64_t{50000000}, ~uint64_t{0}}) {
    EXPECT_EQ(ChildAlarmNs(birth_ns, false), 8000000u) << birth_ns;
  }
}

TEST(ChildAlarm, ComesLateInANamespaceOfProcessIds) {
  for (const uint64_t birth_ns : {uint64_t{0}, uint64_t{900000}, ~uint64_t{0}})
    EXPECT_EQ(ChildAlarmNs(birth_ns, true), 100000000u);
}

}  // namespace
}  // namespace softlbr
