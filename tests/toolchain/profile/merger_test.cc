#include "toolchain/profile/merger.h"

#include <gtest/gtest.h>

#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/counters.h"

namespace softlbr::toolchain {
namespace {

Profile Merge(const std::vector<Profile>& inputs) {
  ProfileMerger merger;
  for (const Profile& input : inputs) merger.Add(input, "test");
  return merger.Finish();
}

Profile OtherSession() {
  Profile profile = testing::SyntheticProfile();
  profile.sessions[0].session_id = 2;
  return profile;
}

TEST(ProfileMerger, OfOneInputChangesNothing) {
  const Profile input = testing::SyntheticProfileWithTraces();
  const Profile sum = Merge({input});
  EXPECT_EQ(sum.modules.size(), input.modules.size());
  EXPECT_EQ(TotalBranches(sum), TotalBranches(input));
  EXPECT_EQ(sum.branches.size(), input.branches.size());
  EXPECT_EQ(sum.ranges.size(), input.ranges.size());
  EXPECT_EQ(sum.traces.size(), 2u);
  EXPECT_EQ(sum.counters.samples, 12u);
  EXPECT_EQ(sum.sessions.size(), 1u);
}

TEST(ProfileMerger, AddsCountsAndCountersOfTwoSessions) {
  const Profile sum = Merge({testing::SyntheticProfile(), OtherSession()});
  EXPECT_EQ(sum.modules.size(), 2u);
  EXPECT_EQ(TotalBranches(sum), 2 * TotalBranches(testing::SyntheticProfile()));
  EXPECT_EQ(sum.counters.samples, 24u);
  EXPECT_EQ(sum.sessions.size(), 2u);
}

TEST(ProfileMerger, MatchesModulesByBuildIdWhateverTheirOrderAndName) {
  Profile swapped = OtherSession();
  std::swap(swapped.modules[0], swapped.modules[1]);
  swapped.modules[1].name = "renamed";
  for (BranchCount& branch : swapped.branches) {
    for (Location* place : {&branch.from, &branch.to}) {
      if (place->module != kNoModule) place->module ^= 1;
    }
  }
  const Profile sum = Merge({testing::SyntheticProfile(), swapped});
  EXPECT_EQ(sum.modules.size(), 2u);
  EXPECT_EQ(sum.branches.size(), testing::SyntheticProfile().branches.size());
}

TEST(ProfileMerger, KeepsModulesOfOtherBuildsApart) {
  Profile rebuilt = OtherSession();
  rebuilt.modules[0].build_id[0] ^= 1;
  const Profile sum = Merge({testing::SyntheticProfile(), rebuilt});
  EXPECT_EQ(sum.modules.size(), 3u);
}

TEST(ProfileMerger, TakesTheCountersOfOneSessionOnceAndWarns) {
  Profile later = testing::SyntheticProfile();
  later.counters.samples = 20;  // totals: the later chunk includes the earlier
  ProfileMerger merger;
  EXPECT_TRUE(merger.Add(testing::SyntheticProfile(), "a").empty());
  EXPECT_EQ(merger.Add(later, "b").size(), 1u);
  const Profile sum = merger.Finish();
  EXPECT_EQ(sum.sessions.size(), 1u);
  EXPECT_EQ(sum.counters.samples, 20u);
  EXPECT_EQ(TotalBranches(sum), 2 * TotalBranches(later));
}

TEST(ProfileMerger, SaturatesInsteadOfWrapping) {
  Profile huge = OtherSession();
  huge.branches[0].count = UINT64_MAX;
  const Profile sum = Merge({testing::SyntheticProfile(), huge});
  uint64_t largest = 0;
  for (const BranchCount& branch : sum.branches) largest = std::max(largest, branch.count);
  EXPECT_EQ(largest, UINT64_MAX);
}

TEST(ProfileMerger, TreatsIndicesBeyondTheModulesAsOutside) {
  Profile damaged = testing::SyntheticProfile();
  damaged.branches = {{{77, 1}, {kNoModule, 0}, 5}};
  damaged.ranges = {{77, 1, 2, 5}};
  const Profile sum = Merge({damaged});
  ASSERT_EQ(sum.branches.size(), 1u);
  EXPECT_EQ(sum.branches[0].from.module, kNoModule);
  EXPECT_TRUE(sum.ranges.empty());
}

}  // namespace
}  // namespace softlbr::toolchain
