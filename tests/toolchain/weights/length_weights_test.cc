// Tests the weights on a program whose shares are known: phases of short and of long ranges, sampled by instructions.
#include "toolchain/weights/length_weights.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kShortLoop = 0x1000, kLongLoop = 0x2000;
// of one round of the loop, its branch of 4 bytes included
constexpr uint64_t kShortRoundBytes = 16, kLongRoundBytes = 400;

// Traces that begin at evenly spaced bytes of code in 1000 rounds of the short loop and 1000 of the long one, over and
// over.
Profile RecordedByBytes(uint64_t traces, size_t length) {
  Profile profile;
  profile.modules.resize(1);
  std::map<std::pair<Location, Location>, uint64_t> branches;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> ranges;
  for (uint64_t sample = 0; sample < traces; ++sample) {
    const uint64_t byte = sample * 7919 % (1000 * (kShortRoundBytes + kLongRoundBytes));
    uint64_t round = byte < 1000 * kShortRoundBytes ? byte / kShortRoundBytes
                                                    : 1000 + (byte - 1000 * kShortRoundBytes) / kLongRoundBytes;
    const auto start_of = [](uint64_t number) { return number % 2000 < 1000 ? kShortLoop : kLongLoop; };
    const auto end_of = [](uint64_t number) {
      return number % 2000 < 1000 ? kShortLoop + kShortRoundBytes - 4 : kLongLoop + kLongRoundBytes - 4;
    };
    Trace trace;
    for (size_t i = 0; i < length; ++i, ++round)
      trace.branches.push_back({{0, end_of(round)}, {0, start_of(round + 1)}});
    for (size_t i = 0; i < length; ++i) {
      ++branches[trace.branches[i]];
      if (i != 0) ++ranges[{trace.branches[i - 1].second.address, trace.branches[i].first.address}];
    }
    profile.traces.push_back(trace);
  }
  for (const auto& [branch, count] : branches) profile.branches.push_back({branch.first, branch.second, count});
  for (const auto& [range, count] : ranges) profile.ranges.push_back({0, range.first, range.second, count});
  return profile;
}

TraceFeed FeedOfWindows(const Profile& profile) {
  return [traces = profile.traces](const TraceVisitor& visit) {
    for (const Trace& trace : traces) visit(trace);
  };
}

double LongShare(const Profile& profile) {
  double all = 0, within = 0;
  for (const RangeCount& row : profile.ranges) {
    all += static_cast<double>(row.count);
    if (row.first == kLongLoop) within += static_cast<double>(row.count);
  }
  return within / all;
}

TEST(LengthWeights, BringALoopOfLongRangesToItsTrueShare) {
  Profile profile = RecordedByBytes(20000, 16);
  uint64_t before = 0, after = 0;
  for (const BranchCount& row : profile.branches) before += row.count;
  EXPECT_NEAR(LongShare(profile), 400.0 / 416, 0.01) << "as often as it has instructions";
  ASSERT_TRUE(WeightByLength(FeedOfWindows(profile), &profile));
  for (const BranchCount& row : profile.branches) after += row.count;
  EXPECT_NEAR(LongShare(profile), 0.5, 0.02);
  EXPECT_NEAR(static_cast<double>(after), static_cast<double>(before), 4);
}

TEST(LengthWeights, NeedTracesOfTwoBranches) {
  Profile profile = RecordedByBytes(10, 1);
  const auto count = profile.branches[0].count;
  EXPECT_FALSE(WeightByLength(FeedOfWindows(profile), &profile));
  EXPECT_EQ(profile.branches[0].count, count);
}

// Ranges between modules, without a module and backwards, as in a damaged file.
TEST(LengthWeights, CountRangesOfUnknownLength) {
  Profile profile = RecordedByBytes(100, 8);
  const TraceFeed feed = [&](const TraceVisitor& visit) {
    Trace trace = profile.traces[0];
    trace.branches.insert(trace.branches.begin(),
                          {{{0, 1}, {0, ~uint64_t{0}}}, {{0, 0}, {7, 1}}, {{}, {}}, {{}, {0, kLongLoop}}});
    visit(trace);
  };
  ASSERT_TRUE(WeightByLength(feed, &profile));
  for (const BranchCount& row : profile.branches) EXPECT_GT(row.count, 0u);
}

}  // namespace
}  // namespace softlbr::toolchain
