// Tests the weights by start and by balance on a program whose shares are known: a slow and a fast loop in turn,
// sampled by time.
#include <gtest/gtest.h>

#include <map>

#include "toolchain/weights/balance_weights.h"
#include "toolchain/weights/start_weights.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kSlow = 0x100, kFast = 0x200;

// The branch at `position`: `rounds` of the slow loop, which take five times as long each, then as many of the fast
// one.
uint64_t BranchAt(uint64_t position, uint64_t rounds) { return position / rounds % 2 == 0 ? kSlow : kFast; }

Profile Recorded(uint64_t traces, size_t length, uint64_t rounds = 10) {
  Profile profile;
  profile.modules.resize(1);
  // A sample is in the branch that is being reached then.
  for (uint64_t sample = 0; sample < traces; ++sample) {
    const uint64_t time = sample * 37 % (6 * rounds);
    uint64_t position = time < 5 * rounds ? time / 5 : time - 4 * rounds;
    Trace trace;
    for (size_t i = 0; i < length; ++i, ++position) {
      const uint64_t from = BranchAt(position, rounds), to = BranchAt(position + 1, rounds) - 0x20;
      trace.branches.push_back({{0, from}, {0, to}});
    }
    profile.traces.push_back(trace);
  }
  std::map<std::pair<Location, Location>, uint64_t> branches;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> ranges;
  for (const Trace& trace : profile.traces) {
    for (size_t i = 0; i < trace.branches.size(); ++i) {
      ++branches[trace.branches[i]];
      if (i != 0) ++ranges[{trace.branches[i - 1].second.address, trace.branches[i].first.address}];
    }
  }
  for (const auto& [branch, count] : branches) profile.branches.push_back({branch.first, branch.second, count});
  for (const auto& [range, count] : ranges) profile.ranges.push_back({0, range.first, range.second, count});
  return profile;
}

TraceFeed FeedOf(const Profile& profile) {
  return [traces = profile.traces](const TraceVisitor& visit) {
    for (const Trace& trace : traces) visit(trace);
  };
}

double SlowShare(const Profile& profile) {
  double slow = 0, all = 0;
  for (const BranchCount& row : profile.branches) {
    all += static_cast<double>(row.count);
    if (row.from.address == kSlow) slow += static_cast<double>(row.count);
  }
  return slow / all;
}

TEST(StartWeights, BringASlowLoopCloserToItsTrueShare) {
  Profile profile = Recorded(6000, 8);
  const double recorded = SlowShare(profile);
  uint64_t before = 0, after = 0;
  for (const BranchCount& row : profile.branches) before += row.count;
  ASSERT_TRUE(WeightByStarts(FeedOf(profile), &profile));
  for (const BranchCount& row : profile.branches) after += row.count;
  EXPECT_NEAR(recorded, 0.6, 0.01) << "of a true share of 0.5";
  EXPECT_LT(SlowShare(profile) - 0.5, 0.6 * (recorded - 0.5));
  EXPECT_GE(SlowShare(profile), 0.4);
  EXPECT_NEAR(static_cast<double>(after), static_cast<double>(before), 4);
  ASSERT_EQ(profile.ranges.size(), 2u);
  for (const RangeCount& row : profile.ranges) EXPECT_GT(row.count, 0u);
}

// Phases much longer than a trace, of which one in ten leads from one to the other.
TEST(BalanceWeights, FindTheShareOfALoopThatIsLongerThanTraces) {
  const Profile recorded = Recorded(60000, 20, 200);
  ASSERT_GT(SlowShare(recorded), 0.78) << "of a true share of 0.5";
  Profile by_start = recorded, by_balance = recorded;
  ASSERT_TRUE(WeightByStarts(FeedOf(recorded), &by_start));
  EXPECT_GT(SlowShare(by_start), 0.75) << "one round does not reach it";
  ASSERT_TRUE(WeightByBalance(FeedOf(recorded), &by_balance));
  EXPECT_NEAR(SlowShare(by_balance), 0.5, 0.05);
}

TEST(BalanceWeights, LeaveSharesAloneThatNoTraceConnects) {
  const Profile recorded = [] {
    Profile profile = Recorded(6000, 4, 2000);
    std::erase_if(profile.traces,
                  [](const Trace& trace) { return trace.branches[0].first != trace.branches.back().first; });
    return profile;
  }();
  Profile weighted = recorded;
  ASSERT_TRUE(WeightByBalance(FeedOf(recorded), &weighted));
  EXPECT_NEAR(SlowShare(weighted), SlowShare(recorded), 0.002);
}

TEST(BalanceWeights, DoNotTrustFewTraces) {
  const Profile recorded = Recorded(30, 20, 200);
  Profile weighted = recorded;
  ASSERT_TRUE(WeightByBalance(FeedOf(recorded), &weighted));
  EXPECT_NEAR(SlowShare(weighted), SlowShare(recorded), 0.01);
}

// Traces that end early in one phase still weigh as much as others.
TEST(BalanceWeights, CountAShortTraceAsAWholeOne) {
  Profile recorded = Recorded(60000, 20, 200);
  for (Trace& trace : recorded.traces) {
    const bool is_inside = trace.branches[0].first == trace.branches.back().first;
    if (is_inside && trace.branches[0].first.address == kSlow) trace.branches.resize(5);
  }
  Profile weighted = recorded;
  ASSERT_TRUE(WeightByBalance(FeedOf(recorded), &weighted));
  double slow = 0, all = 0;  // weights of traces, by their branches
  for (const BranchCount& row : weighted.branches) {
    const double traces = static_cast<double>(row.count) / (row.from.address == kSlow ? 4 : 19);
    (row.from.address == kSlow ? slow : all) += traces;
  }
  EXPECT_NEAR(slow / (slow + all), 0.5, 0.1);
}

// A loop in turn with code of no module, and another loop alone: equal times. Of the rows, the other loop has two
// thirds.
TEST(BalanceWeights, CodeOutsideTheModulesIsNoOneWayStreet) {
  Profile profile;
  profile.modules.resize(1);
  constexpr uint64_t kHelper = 0x100, kLoop = 0x200, kBack = 0xe0;
  const Location outside = {7, 1};
  for (int i = 0; i < 4000; ++i) {
    Trace trace;
    for (int k = 0; k < 20; ++k) {
      const bool is_helper = i % 2 == 0;
      const Location from = !is_helper ? Location{0, kLoop} : (i / 2 + k) % 20 < 10 ? Location{0, kHelper} : outside;
      trace.branches.push_back({from, {0, kBack}});
    }
    profile.traces.push_back(trace);
  }
  profile.branches = {{{0, kHelper}, {0, kBack}, 20000}, {{0, kLoop}, {0, kBack}, 40000}};
  Profile weighted = profile;
  ASSERT_TRUE(WeightByBalance(FeedOf(profile), &weighted));
  const double helper = static_cast<double>(weighted.branches[0].count),
               loop = static_cast<double>(weighted.branches[1].count);
  EXPECT_NEAR(loop / (helper + loop), 2. / 3, 0.02);
}

class TimeWeights : public ::testing::TestWithParam<bool (*)(const TraceFeed&, Profile*)> {};
INSTANTIATE_TEST_SUITE_P(Both, TimeWeights, ::testing::Values(&WeightByStarts, &WeightByBalance));

TEST_P(TimeWeights, LeaveSharesOfEqualTimesAlone) {
  Profile profile;
  profile.modules.resize(1);
  for (uint64_t i = 0; i < 100; ++i) {
    Trace trace;
    for (uint64_t k = 0; k < 10; ++k) trace.branches.push_back({{0, 8 * ((i + k) % 10)}, {0, 8 * ((i + k + 1) % 10)}});
    profile.traces.push_back(trace);
  }
  for (uint64_t k = 0; k < 10; ++k) profile.branches.push_back({{0, 8 * k}, {0, 8 * ((k + 1) % 10)}, 100});
  ASSERT_TRUE(GetParam()(FeedOf(profile), &profile));
  for (const BranchCount& row : profile.branches) EXPECT_EQ(row.count, 100u);
}

TEST_P(TimeWeights, NeedTracesOfTwoBranches) {
  Profile profile = Recorded(10, 1);
  const auto count = profile.branches[0].count;
  EXPECT_FALSE(GetParam()(FeedOf(profile), &profile));
  EXPECT_EQ(profile.branches[0].count, count);
}

// Traces of other programs' branches, as in a damaged file, are no rows.
TEST_P(TimeWeights, IgnoreBranchesThatAreNoRows) {
  Profile profile = Recorded(100, 8);
  const Profile before = profile;
  const TraceFeed feed = [&](const TraceVisitor& visit) {
    Trace trace;
    trace.branches = {{{0, 1}, {0, 2}}, {{7, 1}, {}}, {{}, {0, 2}}};
    visit(trace);
    trace.branches = {{{0, kSlow}, {0, 2}}, {{7, 1}, {}}, {{}, {0, 2}}};
    visit(trace);
  };
  EXPECT_FALSE(GetParam()(feed, &profile));
  EXPECT_EQ(profile.branches.size(), before.branches.size());
}

}  // namespace
}  // namespace softlbr::toolchain
