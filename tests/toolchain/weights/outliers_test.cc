#include "toolchain/weights/outliers.h"

#include <gtest/gtest.h>

#include "tests/toolchain/profile/synthetic_uploads.h"

namespace softlbr::toolchain {
namespace {

using testing::SyntheticUpload;
using testing::UploadShape;

// Elsewhere in the program than the others.
Profile Elsewhere(uint64_t number, uint64_t traces = 200) {
  UploadShape shape;
  shape.first_loop = 5000;
  shape.traces = traces;
  return SyntheticUpload(number, shape);
}

TEST(Outliers, FindsTheOneThatRanElsewhere) {
  OutlierFinder finder;
  for (size_t i = 0; i < 20; ++i) finder.Add(i, i == 7 ? Elsewhere(100) : SyntheticUpload(100 + i));
  const std::vector<Outlier> found = finder.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].number, 7u);
  EXPECT_LT(found[0].figure, 0.1);
  EXPECT_GT(found[0].median, 0.5);
}

TEST(Outliers, TakesUploadsOfDifferentSizes) {
  OutlierFinder finder;
  for (size_t i = 0; i < 200; ++i) {
    UploadShape shape;
    shape.traces = kFewestOutlierTraces << (i % 6);
    finder.Add(i, SyntheticUpload(1000 + i, shape));
  }
  EXPECT_TRUE(finder.Find().empty());
}

TEST(Outliers, TakesAllWhereEveryUserDoesSomethingElse) {
  OutlierFinder finder;
  for (size_t i = 0; i < 40; ++i) {
    UploadShape shape;
    shape.first_loop = 300 * (i % 10);
    finder.Add(i, SyntheticUpload(1 + i, shape));
  }
  EXPECT_TRUE(finder.Find().empty());
}

TEST(Outliers, DoesNotJudgeFewTracesOrFewProfiles) {
  OutlierFinder few_traces;
  for (size_t i = 0; i < 20; ++i)
    few_traces.Add(i, i == 7 ? Elsewhere(9, kFewestOutlierTraces - 1) : SyntheticUpload(1 + i));
  EXPECT_TRUE(few_traces.Find().empty());
  OutlierFinder few_profiles;
  for (size_t i = 0; i < kFewestOutlierProfiles; ++i)
    few_profiles.Add(i, i == 0 ? Elsewhere(9) : SyntheticUpload(1 + i));
  EXPECT_TRUE(few_profiles.Find().empty());
}

TEST(Outliers, ComparesProfilesOfOneBuildOnly) {
  OutlierFinder finder;
  for (size_t i = 0; i < 40; ++i) {
    Profile profile = i % 2 == 0 ? SyntheticUpload(1 + i) : Elsewhere(1 + i);
    profile.modules[0].build_id[0] = static_cast<uint8_t>(i % 2);
    finder.Add(i, profile);
  }
  EXPECT_TRUE(finder.Find().empty());
}

TEST(Outliers, DoNotDependOnTheOrder) {
  OutlierFinder forwards, backwards;
  for (size_t i = 0; i < 30; ++i) forwards.Add(i, i % 10 == 3 ? Elsewhere(1 + i) : SyntheticUpload(1 + i));
  for (size_t i = 30; i-- > 0;) backwards.Add(i, i % 10 == 3 ? Elsewhere(1 + i) : SyntheticUpload(1 + i));
  const std::vector<Outlier> a = forwards.Find(), b = backwards.Find();
  ASSERT_EQ(a.size(), 3u);
  ASSERT_EQ(b.size(), 3u);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].number, b[i].number);
    EXPECT_EQ(a[i].figure, b[i].figure);
  }
}

}  // namespace
}  // namespace softlbr::toolchain
