// Tests the decision on timed pairs, and the overlap of recordings.
#include "toolchain/optimize/paired_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/optimize/run_agreement.h"

namespace softlbr::toolchain {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

TEST(PairedTimes, TooFewPairsDecideNothing) {
  EXPECT_FALSE(ComparePairs({}).is_faster());
  EXPECT_FALSE(ComparePairs(Pairs(kFewestPairs - 1, {2, 1})).is_faster());
  EXPECT_TRUE(ComparePairs(Pairs(kFewestPairs, {2, 1})).is_faster());
}

TEST(PairedTimes, TellsTheMedianRatioAndItsInterval) {
  Pairs pairs;
  for (int i = 0; i < 11; ++i) pairs.emplace_back(10, 5 + i);
  const PairedTimes times = ComparePairs(pairs);
  EXPECT_DOUBLE_EQ(times.ratio, 1.0);
  EXPECT_DOUBLE_EQ(times.median_after, 10);
  // P(Binomial(11, 1/2) <= 1) is 0.0059 and P(... <= 2) is 0.033: one value may be left out on each side.
  EXPECT_DOUBLE_EQ(times.low, 0.6);
  EXPECT_DOUBLE_EQ(times.high, 1.4);
  EXPECT_FALSE(times.is_faster());
}

TEST(PairedTimes, EqualProgramsAreRarelyFaster) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> noise(0, 0.05);
  int faster = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Pairs pairs;
    for (int i = 0; i < 10; ++i) pairs.emplace_back(noise(random), noise(random));
    faster += ComparePairs(pairs).is_faster();
  }
  EXPECT_LE(faster, kTrials * 0.025 * 1.5);
  EXPECT_GT(faster, 0) << "the interval is wider than it claims";
}

TEST(PairedTimes, OneSlowRunDoesNotHideAGain) {
  Pairs pairs(10, {1.0, 0.9});
  pairs[3].second = 30;
  EXPECT_TRUE(ComparePairs(pairs).is_faster());
}

TEST(RunAgreement, OverlapIsOneForEqualAndZeroForDisjointProfiles) {
  Profile a = testing::SyntheticProfile();
  EXPECT_NEAR(BranchOverlap(a, a), 1, 1e-9);
  Profile b = a;
  for (BranchCount& branch : b.branches) {
    branch.from.address += 1;
    branch.to.address += 1;
  }
  EXPECT_NEAR(BranchOverlap(a, b), 0, 1e-9);
  b.branches.clear();
  EXPECT_EQ(BranchOverlap(a, b), 0);
}

}  // namespace
}  // namespace softlbr::toolchain
