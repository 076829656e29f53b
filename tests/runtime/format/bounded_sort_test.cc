#include "runtime/format/bounded_sort.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

namespace softlbr {
namespace {

using Words = std::array<uint64_t, 3>;

// Compares SortAndMerge with a sorted map of the same rows.
void Check(std::vector<CountRow> rows) {
  std::map<std::array<uint64_t, 2>, uint64_t> sums;
  for (const CountRow& row : rows) sums[{row.first, row.second}] += row.count;
  std::vector<Words> expected;
  for (const auto& [key, sum] : sums) expected.push_back({key[0], key[1], sum});

  rows.resize(SortAndMerge(rows.data(), static_cast<uint32_t>(rows.size())));
  std::vector<Words> sorted;
  for (const CountRow& row : rows) sorted.push_back({row.first, row.second, row.count});
  ASSERT_EQ(sorted, expected);
}

TEST(BoundedSort, AgreesWithSortedMap) {
  std::mt19937 random(7);
  for (uint32_t count = 0; count < 200; ++count) {
    for (const uint32_t distinct : {1u, 3u, 1000u}) {
      std::vector<CountRow> rows(count);
      const auto word = [&] { return uint64_t{random() % distinct} << 40; };
      for (CountRow& row : rows) row = CountRow{word(), word(), word() + 1};
      Check(rows);
    }
  }
}

TEST(BoundedSort, SortsAscendingAndDescendingInput) {
  std::vector<CountRow> up;
  std::vector<CountRow> down;
  for (uint64_t i = 0; i < 1000; ++i) {
    up.push_back(CountRow{i / 10, i, 1});
    down.push_back(CountRow{100 - i / 10, 1000 - i, 1});
  }
  Check(up);
  Check(down);
}

}  // namespace
}  // namespace softlbr
