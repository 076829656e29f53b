// The table of rows against a map, for tables and chunks of all sizes: its passes give each row once, in order, with
// its whole count.
#include "runtime/compact/row_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

namespace softlbr::compact {
namespace {

using RowKey = std::pair<uint64_t, uint64_t>;

TEST(RowTable, PassesGiveEachRowOnce) {
  std::mt19937_64 random(4);
  for (uint32_t round = 0; round < 300; ++round) {
    std::vector<CountRow> added(random() % 400);
    std::map<RowKey, uint64_t> expected;
    for (CountRow& row : added) {
      const auto kind = static_cast<RowKind>(random() % 3);
      row = CountRow{PackSource(random() % 40, kind), kind == RowKind::kSample ? 0 : random() % 8, 1 + random() % 5};
      expected[{row.first, row.second}] += row.count;
    }
    std::vector<CountRow> rows(1 + random() % 50);
    std::vector<CountRow> chunk(1 + random() % 30);
    RowTable table;
    table.Init(rows.data(), static_cast<uint32_t>(rows.size()), chunk.data(), static_cast<uint32_t>(chunk.size()));
    auto next = expected.begin();
    for (size_t pass = 0;; ++pass) {
      ASSERT_LE(pass, added.size()) << "passes come to an end";
      for (const CountRow& row : added) table.Add(row);
      table.EndPass();
      for (uint32_t i = 0; i < table.count(); ++i, ++next) {
        ASSERT_NE(next, expected.end());
        ASSERT_EQ(next->first, RowKey(table.rows()[i].first, table.rows()[i].second));
        ASSERT_EQ(next->second, table.rows()[i].count);
      }
      if (!table.IsCut()) break;
      ASSERT_NE(table.count(), 0u);
      table.BeginNextPass();
    }
    EXPECT_EQ(next, expected.end());
  }
}

TEST(RowTable, PassesEndBetweenSources) {
  std::vector<CountRow> rows(10);
  std::vector<CountRow> chunk(4);
  RowTable table;
  table.Init(rows.data(), 10, chunk.data(), 4);
  // Four rows of each source: two sources fit.
  for (uint64_t i = 0; i < 40; ++i) table.Add(CountRow{PackSource(5 + i % 10, RowKind::kBranch), i / 10, 1});
  table.EndPass();
  EXPECT_TRUE(table.IsCut());
  ASSERT_EQ(table.count(), 8u);
  EXPECT_EQ(SourceOf(table.rows()[7]), 6u);
}

TEST(RowTable, SumsSaturate) {
  std::vector<CountRow> rows(10);
  std::vector<CountRow> chunk(1);
  RowTable table;
  table.Init(rows.data(), 10, chunk.data(), 1);
  table.Add(CountRow{4, 4, ~0ull - 1});
  table.Add(CountRow{4, 4, 5});
  ASSERT_EQ(table.count(), 1u);
  EXPECT_EQ(table.rows()[0].count, ~0ull);
}

}  // namespace
}  // namespace softlbr::compact
