// Budgets of hour, day and week, with the clocks given.
#include "runtime/trigger/control_budget.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <utility>

namespace softlbr {
namespace {

constexpr uint64_t kStartS = 1790000000;
constexpr uint64_t kDayOfSeconds = 24 * 3600;
constexpr ControlBudgets kBudgets = {60000, 180000, 600000};

// A device whose clocks the test sets.
struct Device {
  BudgetLedger ledger = {};
  DeviceClock clock = {kStartS, 1000, 1};
  Device() { AdvanceLedger(&ledger, clock); }
  void Pass(uint64_t seconds) {
    clock.unix_s += seconds;
    clock.boot_s += seconds;
  }
  void Reboot(uint64_t seconds_off) {
    clock.unix_s += seconds_off;
    clock.boot_s = 10;
    ++clock.boot_id;
  }
  Refusal Spend(uint32_t ms, uint64_t* left_ms) {
    AdvanceLedger(&ledger, clock);
    return SpendBudget(&ledger, kBudgets, ms, left_ms);
  }
  Refusal Spend(uint32_t ms) {
    uint64_t left_ms;
    return Spend(ms, &left_ms);
  }
};

TEST(ControlBudget, EachBudgetIsReachedButNotExceeded) {
  Device device;
  uint64_t left_ms = 0;
  EXPECT_EQ(device.Spend(60000), Refusal::kNone);
  EXPECT_EQ(device.Spend(1, &left_ms), Refusal::kHourSpent);
  EXPECT_EQ(left_ms, 0u);
  device.Pass(2 * 3600);
  EXPECT_EQ(device.Spend(60001, &left_ms), Refusal::kHourSpent);
  EXPECT_EQ(left_ms, 60000u);
  EXPECT_EQ(device.Spend(60000), Refusal::kNone);
  device.Pass(2 * 3600);
  EXPECT_EQ(device.Spend(59000), Refusal::kNone);
  device.Pass(2 * 3600);
  EXPECT_EQ(device.Spend(1001, &left_ms), Refusal::kDaySpent);
  EXPECT_EQ(left_ms, 1000u);
}

TEST(ControlBudget, WeekIsABudgetOfItsOwn) {
  Device device;
  uint64_t left_ms = 0;
  for (int day = 0; day < 5; ++day, device.Pass(kDayOfSeconds)) {
    for (int hour = 0; hour < 2; ++hour, device.Pass(2 * 3600)) EXPECT_EQ(device.Spend(60000), Refusal::kNone) << day;
  }
  EXPECT_EQ(device.Spend(1, &left_ms), Refusal::kWeekSpent);
  EXPECT_EQ(left_ms, 0u);
}

TEST(ControlBudget, RefusalLeavesTheLedgerAsItWas) {
  Device device;
  ASSERT_EQ(device.Spend(50000), Refusal::kNone);
  const BudgetLedger before = device.ledger;
  EXPECT_EQ(device.Spend(50000), Refusal::kHourSpent);
  EXPECT_EQ(std::memcmp(&before, &device.ledger, sizeof before), 0);
}

TEST(ControlBudget, WithoutABudgetNothingIsRefused) {
  Device device;
  uint64_t left_ms;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(SpendBudget(&device.ledger, {0, 0, 0}, ~0u, &left_ms), Refusal::kNone);
}

TEST(ControlBudget, WhatWasNotUsedComesBack) {
  Device device;
  ASSERT_EQ(device.Spend(60000), Refusal::kNone);
  device.Pass(600);  // into another step of the hour
  AdvanceLedger(&device.ledger, device.clock);
  SettleBudget(&device.ledger, 60000, 20000);
  EXPECT_EQ(device.Spend(40001), Refusal::kHourSpent);
  EXPECT_EQ(device.Spend(40000), Refusal::kNone);
}

TEST(ControlBudget, ClockThatIsSetChangesNothingWithinABoot) {
  for (const int64_t hours : {-1000, -24, -1, 1, 24, 24 * 8, 1000}) {
    Device device;
    ASSERT_EQ(device.Spend(60000), Refusal::kNone);
    device.clock.unix_s += static_cast<uint64_t>(hours * 3600);
    EXPECT_EQ(device.Spend(1), Refusal::kHourSpent) << hours;
    device.Pass(3600 + 300);
    EXPECT_EQ(device.Spend(60000), Refusal::kNone) << hours << ": an hour has passed";
  }
}

TEST(ControlBudget, ClockSetBackAcrossARebootForgivesNothing) {
  for (uint64_t hours = 1; hours <= 24; ++hours) {
    Device device;
    ASSERT_EQ(device.Spend(60000), Refusal::kNone);
    device.Reboot(60);
    device.clock.unix_s -= hours * 3600;
    EXPECT_EQ(device.Spend(1), Refusal::kHourSpent) << hours;
    device.Pass(3600 + 300);
    EXPECT_EQ(device.Spend(60000), Refusal::kNone) << hours << ": it does not take until the clock is where it was";
  }
}

TEST(ControlBudget, TimeSwitchedOffCounts) {
  Device device;
  ASSERT_EQ(device.Spend(60000), Refusal::kNone);
  device.Reboot(2 * 3600);
  EXPECT_EQ(device.Spend(60000), Refusal::kNone);
}

TEST(ControlBudget, UnknownBootsFollowTheClockOfTheDay) {
  Device device;
  device.clock.boot_id = 0;
  AdvanceLedger(&device.ledger, device.clock);
  ASSERT_EQ(device.Spend(60000), Refusal::kNone);
  device.clock.unix_s -= kDayOfSeconds;
  EXPECT_EQ(device.Spend(1), Refusal::kHourSpent);
  device.clock.unix_s += 2 * 3600;
  EXPECT_EQ(device.Spend(60000), Refusal::kNone);
}

// Compares with every session kept: no window of an hour, a day or a week, however it is placed, has more than its
// budget.
TEST(ControlBudget, NoWindowExceedsItsBudget) {
  std::mt19937_64 random(20261123);
  Device device;
  std::deque<std::pair<uint64_t, uint32_t>> sessions;  // true time of the end, ms
  uint64_t true_s = 0;
  uint64_t spent_ms = 0;
  for (int i = 0; i < 20000; ++i) {
    const uint64_t pause_s = random() % 1200;
    device.Pass(pause_s);
    true_s += pause_s;
    if (random() % 50 == 0) device.Reboot(0);
    if (random() % 50 == 0) device.clock.unix_s -= random() % kDayOfSeconds;
    const auto ms = static_cast<uint32_t>(random() % 30000 + 1);
    if (device.Spend(ms) != Refusal::kNone) continue;
    sessions.emplace_back(true_s, ms);
    spent_ms += ms;
    uint64_t sums[3] = {};
    while (sessions.front().first + 7 * kDayOfSeconds <= true_s) sessions.pop_front();
    for (const auto& [end_s, session_ms] : sessions) {
      sums[0] += end_s + 3600 > true_s ? session_ms : 0;
      sums[1] += end_s + kDayOfSeconds > true_s ? session_ms : 0;
      sums[2] += session_ms;
    }
    ASSERT_LE(sums[0], kBudgets.hour_ms) << i;
    ASSERT_LE(sums[1], kBudgets.day_ms) << i;
    ASSERT_LE(sums[2], kBudgets.week_ms) << i;
  }
  const uint64_t weeks = true_s / (7 * kDayOfSeconds);
  EXPECT_GT(spent_ms, weeks * kBudgets.week_ms / 2) << "and the budgets are of use";
}

TEST(ControlBudget, ExhaustedBudgetsComeBackWithTime) {
  Device device;
  ExhaustBudgets(&device.ledger);
  EXPECT_EQ(device.Spend(1), Refusal::kHourSpent);
  device.Pass(2 * 3600);
  EXPECT_EQ(device.Spend(1), Refusal::kDaySpent);
  device.Pass(2 * kDayOfSeconds);
  EXPECT_EQ(device.Spend(1), Refusal::kWeekSpent);
  device.Pass(7 * kDayOfSeconds);
  EXPECT_EQ(device.Spend(60000), Refusal::kNone);
}

}  // namespace
}  // namespace softlbr
