#include "toolchain/profile/profile_builder.h"

#include <gtest/gtest.h>

#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/counters.h"

namespace softlbr::toolchain {
namespace {

Profile Merge(const std::vector<Profile>& inputs) {
  ProfileBuilder builder;
  for (const Profile& input : inputs) EXPECT_TRUE(builder.AddProfile(input, nullptr));
  return builder.Take();
}

Profile OtherSession() {
  Profile profile = testing::SyntheticProfile();
  profile.sessions[0].session_id = 2;
  return profile;
}

TEST(ProfileBuilder, KeepsOneInputUnchanged) {
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

TEST(ProfileBuilder, AddsCountsAndCountersOfTwoSessions) {
  const Profile sum = Merge({testing::SyntheticProfile(), OtherSession()});
  EXPECT_EQ(sum.modules.size(), 2u);
  EXPECT_EQ(TotalBranches(sum), 2 * TotalBranches(testing::SyntheticProfile()));
  EXPECT_EQ(sum.counters.samples, 24u);
  EXPECT_EQ(sum.sessions.size(), 2u);
}

TEST(ProfileBuilder, MatchesModulesByBuildId) {
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

TEST(ProfileBuilder, SeparatesModulesOfDifferentBuilds) {
  Profile rebuilt = OtherSession();
  rebuilt.modules[0].build_id[0] ^= 1;
  const Profile sum = Merge({testing::SyntheticProfile(), rebuilt});
  EXPECT_EQ(sum.modules.size(), 3u);
}

TEST(ProfileBuilder, SeparatesRewrittenModuleWithSameBuildId) {
  Profile rewritten = OtherSession();
  rewritten.modules[0].segments.push_back({0x800000, 0x8000, 0x1000, 0x1000, 5});  // llvm-bolt adds a segment
  const Profile sum = Merge({testing::SyntheticProfile(), rewritten});
  EXPECT_EQ(sum.modules.size(), 3u);
}

TEST(ProfileBuilder, MatchesModulesWithoutBuildIdByName) {
  Profile a = testing::SyntheticProfile();
  a.modules[0].build_id.clear();
  Profile b = a;
  EXPECT_EQ(Merge({a, b}).modules.size(), 2u);
  b.modules[0].name = "another";
  EXPECT_EQ(Merge({a, b}).modules.size(), 3u);
}

TEST(ProfileBuilder, CountsRepeatedSessionOnceAndReportsIt) {
  Profile later = testing::SyntheticProfile();
  later.sessions[0].counters.samples = 20;  // totals: the later profile's include the earlier's
  later.sessions[0].counters.taken_branches = 1;
  ProfileBuilder builder;
  std::vector<uint64_t> repeated;
  EXPECT_TRUE(builder.AddProfile(testing::SyntheticProfile(), &repeated));
  EXPECT_TRUE(repeated.empty());
  EXPECT_TRUE(builder.AddProfile(later, &repeated));
  EXPECT_EQ(repeated, std::vector<uint64_t>{later.sessions[0].session_id});
  const Profile sum = builder.Take();
  EXPECT_EQ(sum.sessions.size(), 1u);
  EXPECT_EQ(sum.counters.samples, 20u);
  EXPECT_EQ(sum.counters.taken_branches, 160u);
  EXPECT_EQ(TotalBranches(sum), 2 * TotalBranches(later));
}

TEST(ProfileBuilder, CountsSessionsOfMergedProfilesOnce) {
  const Profile both = Merge({testing::SyntheticProfile(), OtherSession()});
  const Profile sum = Merge({both, both, OtherSession()});
  EXPECT_EQ(sum.sessions.size(), 2u);
  EXPECT_EQ(sum.counters.samples, 24u);
  EXPECT_EQ(TotalBranches(sum), 5 * TotalBranches(testing::SyntheticProfile()));
}

TEST(ProfileBuilder, AddsDamagedAndMissingFrames) {
  Profile damaged = testing::SyntheticProfile();
  damaged.damaged_frames = 2;
  damaged.missing_frames = 3;
  Profile cut = OtherSession();
  cut.damaged_frames = 1;
  cut.is_truncated = true;
  EXPECT_FALSE(Merge({damaged, OtherSession()}).is_truncated);
  const Profile sum = Merge({damaged, cut});
  EXPECT_EQ(sum.damaged_frames, 3u);
  EXPECT_EQ(sum.missing_frames, 3u);
  EXPECT_TRUE(sum.is_truncated);
}

// Adds distinct rows of one kind until the budget is exhausted. Equal rows must not use budget.
TEST(ProfileBuilder, RefusesContentBeyondBudget) {
  constexpr uint64_t kBudget = 1 << 20;
  constexpr uint64_t kRows = 1000;
  for (const int kind : {0, 1, 2, 3, 4}) {
    SCOPED_TRACE(kind);
    const auto part = [kind](uint64_t number) {
      Profile profile = testing::SyntheticProfile();
      for (uint64_t i = 0; i < kRows; ++i) {
        const uint64_t address = number * kRows + i;
        if (kind == 0) profile.branches.push_back({{0, address}, {0, 1}, 1});
        if (kind == 1) profile.ranges.push_back({0, address, address, 1});
        if (kind == 2) profile.samples.push_back({{0, address}, 1});
        if (kind == 3) profile.traces.push_back({0, {0, address}, AbortReason::kNone, {{{0, address}, {0, 1}}}});
        if (kind == 4) {
          profile.modules.push_back({});
          profile.modules.back().name = std::to_string(address);
        }
      }
      return profile;
    };
    ProfileBuilder builder(kBudget);
    uint64_t taken = 0;
    while (taken < kBudget / kRows && builder.AddProfile(part(taken), nullptr)) ++taken;
    EXPECT_GT(taken, 0u);
    EXPECT_LE(taken * kRows * sizeof(SampleCount), kBudget) << "SampleCount is the smallest row";
    if (kind == 3) continue;  // equal traces are not merged
    ProfileBuilder of_equals(kBudget);
    for (uint64_t i = 0; i < 4 * taken; ++i) ASSERT_TRUE(of_equals.AddProfile(part(0), nullptr)) << i;
  }
}

TEST(ProfileBuilder, SumsSaturate) {
  Profile huge = OtherSession();
  huge.branches[0].count = UINT64_MAX;
  const Profile sum = Merge({testing::SyntheticProfile(), huge});
  uint64_t largest = 0;
  for (const BranchCount& branch : sum.branches) largest = std::max(largest, branch.count);
  EXPECT_EQ(largest, UINT64_MAX);
}

TEST(ProfileBuilder, MapsInvalidModuleIndicesToNoModule) {
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
