#include "runtime/profile/bounded_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace softlbr {
namespace {

TEST(BoundedSort, SortsLikeTheStandardLibrary) {
  std::mt19937 random(7);
  for (uint32_t count = 0; count < 200; ++count) {
    for (const uint32_t distinct : {1u, 3u, 1000u}) {
      std::vector<uint32_t> rows(count);
      for (uint32_t& row : rows) row = static_cast<uint32_t>(random() % distinct);
      std::vector<uint32_t> expected = rows;
      std::sort(expected.begin(), expected.end());
      BoundedSort(rows.data(), count, [](uint32_t a, uint32_t b) { return a < b; });
      ASSERT_EQ(rows, expected);
    }
  }
}

TEST(BoundedSort, SortsWhatIsSortedEitherWay) {
  std::vector<uint32_t> up(1000);
  for (uint32_t i = 0; i < 1000; ++i) up[i] = i;
  std::vector<uint32_t> rows = up;
  BoundedSort(rows.data(), 1000, [](uint32_t a, uint32_t b) { return a < b; });
  EXPECT_EQ(rows, up);
  std::reverse(rows.begin(), rows.end());
  BoundedSort(rows.data(), 1000, [](uint32_t a, uint32_t b) { return a < b; });
  EXPECT_EQ(rows, up);
}

}  // namespace
}  // namespace softlbr
