// Tests the weights on a program whose shares are known: a slow and a fast loop in turn, sampled by time.
#include "toolchain/profile/start_weights.h"

#include <gtest/gtest.h>

#include <map>

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kSlow = 0x100, kFast = 0x200;

// The branch at `at` in one period: ten rounds of the slow loop, which take five times as long each, then ten of the fast one.
uint64_t BranchAt(uint64_t position) { return position % 20 < 10 ? kSlow : kFast; }

Profile Recorded(uint64_t traces, size_t length) {
  Profile profile;
  profile.modules.resize(1);
  // Time of a period: 10 * 5 + 10. A sample at time t is in the branch that is being reached then.
  for (uint64_t sample = 0; sample < traces; ++sample) {
    const uint64_t time = sample * 37 % 60;
    uint64_t position = time < 50 ? time / 5 : 10 + (time - 50);
    Trace trace;
    for (size_t i = 0; i < length; ++i, ++position) {
      const uint64_t from = BranchAt(position), to = BranchAt(position + 1) - 0x20;
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

TEST(StartWeights, LeaveSharesOfEqualTimesAlone) {
  Profile profile;
  profile.modules.resize(1);
  for (uint64_t i = 0; i < 100; ++i) {
    Trace trace;
    for (uint64_t k = 0; k < 10; ++k) trace.branches.push_back({{0, 8 * ((i + k) % 10)}, {0, 8 * ((i + k + 1) % 10)}});
    profile.traces.push_back(trace);
  }
  for (uint64_t k = 0; k < 10; ++k) profile.branches.push_back({{0, 8 * k}, {0, 8 * ((k + 1) % 10)}, 100});
  ASSERT_TRUE(WeightByStarts(FeedOf(profile), &profile));
  for (const BranchCount& row : profile.branches) EXPECT_EQ(row.count, 100u);
}

TEST(StartWeights, NeedTracesOfTwoBranches) {
  Profile profile = Recorded(10, 1);
  const auto count = profile.branches[0].count;
  EXPECT_FALSE(WeightByStarts(FeedOf(profile), &profile));
  EXPECT_EQ(profile.branches[0].count, count);
}

// Traces of other programs' branches, as in a damaged file, are no rows.
TEST(StartWeights, IgnoreBranchesThatAreNoRows) {
  Profile profile = Recorded(100, 8);
  const Profile before = profile;
  const TraceFeed feed = [&](const TraceVisitor& visit) {
    Trace trace;
    trace.branches = {{{0, 1}, {0, 2}}, {{7, 1}, {}}, {{}, {0, 2}}};
    visit(trace);
  };
  EXPECT_FALSE(WeightByStarts(feed, &profile));
  EXPECT_EQ(profile.branches.size(), before.branches.size());
}

}  // namespace
}  // namespace softlbr::toolchain
