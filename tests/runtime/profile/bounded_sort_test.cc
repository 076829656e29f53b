#include "runtime/profile/bounded_sort.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

namespace softlbr {
namespace {

// What a sorted map says about the same rows.
std::vector<uint64_t> Expected(const std::vector<uint64_t>& rows, uint32_t words) {
  std::map<std::array<uint64_t, 2>, uint64_t> sums;
  for (size_t i = 0; i < rows.size(); i += words) sums[{rows[i], words == 3 ? rows[i + 1] : 0}] += rows[i + words - 1];
  std::vector<uint64_t> result;
  for (const auto& [key, sum] : sums) {
    result.push_back(key[0]);
    if (words == 3) result.push_back(key[1]);
    result.push_back(sum);
  }
  return result;
}

void Check(std::vector<uint64_t> rows, uint32_t words) {
  const std::vector<uint64_t> expected = Expected(rows, words);
  const uint32_t left = SortAndMerge(rows.data(), words, static_cast<uint32_t>(rows.size() / words));
  rows.resize(size_t{left} * words);
  ASSERT_EQ(rows, expected);
}

TEST(BoundedSort, SortsAndAddsUpLikeTheStandardLibrary) {
  std::mt19937 random(7);
  for (uint32_t count = 0; count < 200; ++count) {
    for (const uint32_t words : {2u, 3u}) {
      for (const uint32_t distinct : {1u, 3u, 1000u}) {
        std::vector<uint64_t> rows(count * words);
        for (uint64_t& word : rows) word = uint64_t{random() % distinct} << 40;
        Check(rows, words);
      }
    }
  }
}

TEST(BoundedSort, SortsWhatIsSortedEitherWay) {
  std::vector<uint64_t> up;
  std::vector<uint64_t> down;
  for (uint64_t i = 0; i < 1000; ++i) {
    for (const uint64_t word : {i / 10, i, uint64_t{1}}) up.push_back(word);
    for (const uint64_t word : {100 - i / 10, 1000 - i, uint64_t{1}}) down.push_back(word);
  }
  Check(up, 3);
  Check(down, 3);
}

}  // namespace
}  // namespace softlbr
