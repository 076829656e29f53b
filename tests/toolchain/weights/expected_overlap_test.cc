#include "toolchain/weights/expected_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/toolchain/profile/synthetic_uploads.h"
#include "toolchain/optimize/run_agreement.h"
#include "toolchain/profile/counters.h"

namespace softlbr::toolchain {
namespace {

using testing::SyntheticUpload;
using testing::UploadShape;

// Mean over pairs of recordings.
double MeasuredOverlap(const UploadShape& shape) {
  constexpr uint64_t kPairs = 40;
  double sum = 0;
  for (uint64_t i = 0; i < kPairs; ++i)
    sum += BranchOverlap(SyntheticUpload(100 + 2 * i, shape), SyntheticUpload(101 + 2 * i, shape));
  return sum / kPairs;
}

double MeanExpected(const UploadShape& shape, uint64_t drawn = kDrawnBranches) {
  constexpr uint64_t kRecordings = 8;
  double sum = 0;
  for (uint64_t i = 0; i < kRecordings; ++i) sum += *ExpectedOverlap(SyntheticUpload(300 + i, shape), drawn);
  return sum / kRecordings;
}

TEST(ExpectedOverlap, AgreesWithPairsOfRecordings) {
  for (const uint64_t loops : {3, 40, 400}) {
    for (const uint64_t traces : {loops * 10, loops * 40}) {
      UploadShape shape;
      shape.loops = loops;
      shape.traces = traces;
      EXPECT_NEAR(MeanExpected(shape), MeasuredOverlap(shape), 0.03) << loops << " loops, " << traces << " traces";
    }
  }
}

// The figure depends on the number of traces: branches of one trace are of one loop, so longer traces tell nothing
// more.
TEST(ExpectedOverlap, LongTracesAreNotMoreTraces) {
  UploadShape shape;
  shape.loops = 40;
  shape.traces = 400;
  for (const uint64_t length : {16, 128, 1024}) {
    shape.per_trace = length;
    EXPECT_NEAR(MeanExpected(shape), MeasuredOverlap(shape), 0.03) << length;
  }
}

TEST(ExpectedOverlap, FewDrawnTracesStandForMany) {
  UploadShape shape;
  shape.loops = 40;
  shape.traces = 4000;
  EXPECT_NEAR(MeanExpected(shape, 1u << 16), MeasuredOverlap(shape), 0.03);
}

TEST(ExpectedOverlap, IsTheSameEachTime) {
  EXPECT_EQ(*ExpectedOverlap(SyntheticUpload(1)), *ExpectedOverlap(SyntheticUpload(1)));
}

TEST(ExpectedOverlap, IsOneForAnExactlyRepeatedLoop) {
  UploadShape shape;
  shape.loops = 1;
  EXPECT_NEAR(*ExpectedOverlap(SyntheticUpload(1, shape)), 1, 0.001);
}

TEST(ExpectedOverlap, IsNotKnownWithoutTracesOrBranches) {
  Profile exact = SyntheticUpload(1);
  exact.counters = {};
  EXPECT_FALSE(ExpectedOverlap(exact).has_value());
  Profile empty = SyntheticUpload(1);
  empty.branches.clear();
  EXPECT_FALSE(ExpectedOverlap(empty).has_value());
}

TEST(ExpectedOverlap, IsNotToldFromFewTraces) {
  UploadShape shape;
  shape.traces = kLeastTraces - 1;
  EXPECT_FALSE(ExpectedOverlap(SyntheticUpload(1, shape)).has_value());
  EXPECT_EQ(DescribeSufficiency(SyntheticUpload(1, shape)),
            "too few samples (29) to tell how far a second recording would agree; record longer");
  shape.traces = kLeastTraces;
  EXPECT_TRUE(ExpectedOverlap(SyntheticUpload(1, shape)).has_value());
  Profile exact = SyntheticUpload(1);
  exact.counters = {};
  EXPECT_EQ(DescribeSufficiency(exact), "");
}

// A loop in code of no module repeats itself exactly, and is of no use.
TEST(ExpectedOverlap, MostlyOutsideOfModulesIsNotEnough) {
  UploadShape shape;
  shape.loops = 1;
  Profile profile = SyntheticUpload(1, shape);
  EXPECT_NE(DescribeSufficiency(profile).find("enough for every consumer"), std::string::npos);
  uint64_t& lost = profile.counters.lost[static_cast<int>(LossReason::kUnmapped)];
  lost = TotalBranches(profile) / 2;
  EXPECT_NE(DescribeSufficiency(profile).find("enough for every consumer"), std::string::npos) << "a third";
  lost = 3 * TotalBranches(profile);
  EXPECT_EQ(DescribeSufficiency(profile).find("75% of the taken branches are in code of no known module"), 0u)
      << DescribeSufficiency(profile);
  lost = 0;
  for (BranchCount& branch : profile.branches) branch.from = {};
  EXPECT_EQ(DescribeSufficiency(profile).find("100% of the taken branches"), 0u) << DescribeSufficiency(profile);
}

// `record` reads frames whose modules are in the order of their first use, `stats` a file whose order may be another.
TEST(ExpectedOverlap, DoesNotDependOnTheOrderOfModules) {
  Profile profile = SyntheticUpload(1);
  profile.modules[1].segments = profile.modules[0].segments;
  for (BranchCount& row : profile.branches) row.from.module = row.to.module = row.from.address / 64 % 2;
  for (RangeCount& row : profile.ranges) row.module = row.first / 64 % 2;
  const auto sorted = [](Profile rows) {
    std::sort(rows.branches.begin(), rows.branches.end(), [](const BranchCount& a, const BranchCount& b) {
      return std::make_pair(a.from, a.to) < std::make_pair(b.from, b.to);
    });
    std::sort(rows.ranges.begin(), rows.ranges.end(), [](const RangeCount& a, const RangeCount& b) {
      return std::make_pair(a.module, a.first) < std::make_pair(b.module, b.first);
    });
    return rows;
  };
  Profile swapped = profile;
  std::swap(swapped.modules[0], swapped.modules[1]);
  for (BranchCount& row : swapped.branches) row.from.module = row.to.module = 1 - row.from.module;
  for (RangeCount& row : swapped.ranges) row.module = 1 - row.module;
  EXPECT_EQ(*ExpectedOverlap(sorted(profile)), *ExpectedOverlap(sorted(swapped)));
}

// Rows that lead nowhere, addresses at the ends of the address space, counts that saturate.
TEST(ExpectedOverlap, TakesAnyRows) {
  Profile profile = SyntheticUpload(1);
  profile.branches = {{{0, 0}, {0, ~0ull}, ~0ull}, {{0, ~0ull}, {}, 1}, {{}, {0, 5}, ~0ull}};
  profile.ranges = {{0, 5, ~0ull, 1}, {0, ~0ull, ~0ull, ~0ull}};
  const std::optional<double> overlap = ExpectedOverlap(profile);
  ASSERT_TRUE(overlap.has_value());
  EXPECT_TRUE(*overlap >= 0 && *overlap <= 1) << *overlap;
}

TEST(ExpectedOverlap, FourTimesAsMuchHalvesTheDifference) {
  EXPECT_DOUBLE_EQ(TimesAsMuch(0.96, 0.95), 1);
  EXPECT_NEAR(TimesAsMuch(0.90, 0.95), 4, 1e-9);
}

TEST(ExpectedOverlap, SaysForWhatItIsEnough) {
  EXPECT_NE(DescribeExpectedOverlap(0.96).find("96%: enough for every consumer"), std::string::npos);
  EXPECT_NE(DescribeExpectedOverlap(0.92).find("enough for bolt and propeller; for llvm"), std::string::npos);
  EXPECT_NE(DescribeExpectedOverlap(0.9499).find("autofdo record 1.1 times"), std::string::npos) << "not 1.0 times";
  EXPECT_NE(DescribeExpectedOverlap(0.899).find("89%: too little"), std::string::npos) << "not 90%";
  EXPECT_NE(DescribeExpectedOverlap(0.90).find("90%: enough for bolt"), std::string::npos);
  EXPECT_NE(DescribeExpectedOverlap(0.80).find("too little; record 4.0 times"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::toolchain
