// What vanished between two lists of mappings, and how long reads are guarded then.
#include "runtime/modules/mapping_watch.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <utility>

namespace softlbr {
namespace {

using Ranges = std::initializer_list<std::pair<uint64_t, uint64_t>>;

std::unique_ptr<MappingList> List(Ranges mappings) {
  auto list = std::make_unique<MappingList>();
  for (const auto& [begin, end] : mappings) AddMapping(list.get(), begin, end);
  return list;
}

bool Vanished(Ranges before, Ranges now) { return HasVanished(*List(before), *List(now)); }

// `count` ranges of one page, one page apart.
std::unique_ptr<MappingList> Scattered(uint32_t count) {
  auto list = std::make_unique<MappingList>();
  for (uint64_t i = 0; i < count; ++i) AddMapping(list.get(), 0x10000 + i * 0x2000, 0x11000 + i * 0x2000);
  return list;
}

TEST(MappingList, JoinsNeighbours) {
  const auto list = List({{0x1000, 0x2000}, {0x2000, 0x5000}, {0x6000, 0x7000}});
  ASSERT_EQ(list->count, 2u);
  EXPECT_EQ(list->ranges[0].begin, 0x1000u);
  EXPECT_EQ(list->ranges[0].end, 0x5000u);
  EXPECT_EQ(list->ranges[1].begin, 0x6000u);
  EXPECT_NE(list->sum, List({{0x1000, 0x5000}, {0x6000, 0x7000}})->sum) << "still a change";
}

TEST(MappingList, DistinguishesVanishedFromGrown) {
  EXPECT_FALSE(Vanished({}, {}));
  EXPECT_FALSE(Vanished({}, {{0x1000, 0x2000}}));
  EXPECT_FALSE(Vanished({{0x2000, 0x3000}}, {{0x2000, 0x3000}}));
  EXPECT_FALSE(Vanished({{0x2000, 0x3000}}, {{0x2000, 0x9000}})) << "grown";
  EXPECT_FALSE(Vanished({{0x2000, 0x3000}}, {{0x1000, 0x3000}})) << "grown downwards, as stacks do";
  EXPECT_FALSE(Vanished({{0x2000, 0x3000}, {0x4000, 0x5000}}, {{0x2000, 0x5000}})) << "the gap was filled";
  EXPECT_FALSE(Vanished({{0x2000, 0x5000}}, {{0x2000, 0x3000}, {0x3000, 0x5000}}))
      << "split by mprotect, still complete";
  EXPECT_FALSE(Vanished({{0x4000, 0x5000}}, {{0x1000, 0x2000}, {0x4000, 0x5000}, {0x7000, 0x8000}}));

  EXPECT_TRUE(Vanished({{0x1000, 0x2000}}, {}));
  EXPECT_TRUE(Vanished({{0x1000, 0x3000}}, {{0x1000, 0x2000}})) << "shrunk";
  EXPECT_TRUE(Vanished({{0x1000, 0x3000}}, {{0x2000, 0x3000}})) << "shrunk in front";
  EXPECT_TRUE(Vanished({{0x1000, 0x4000}}, {{0x1000, 0x2000}, {0x3000, 0x4000}})) << "a hole";
  EXPECT_TRUE(Vanished({{0x1000, 0x2000}}, {{0x2000, 0x3000}})) << "moved up";
  EXPECT_TRUE(Vanished({{0x2000, 0x3000}}, {{0x1000, 0x2000}})) << "moved down";
  EXPECT_TRUE(Vanished({{0x1000, 0x2000}, {0x3000, 0x4000}}, {{0x1000, 0x2000}})) << "the last one";
  EXPECT_TRUE(Vanished({{0x1000, 0x2000}, {0x3000, 0x4000}}, {{0x3000, 0x4000}})) << "the first one";
  EXPECT_TRUE(Vanished({{0x1000, 0x2000}, {0x3000, 0x4000}}, {{0x1000, 0x2000}, {0x5000, 0x6000}}));
}

TEST(MappingList, HoldsMaxMappedRanges) {
  auto list = Scattered(kMaxMappedRanges);
  EXPECT_EQ(list->count, kMaxMappedRanges);
  EXPECT_EQ(list->is_full, 0u);
  const uint64_t end = list->ranges[kMaxMappedRanges - 1].end;
  AddMapping(list.get(), end, end + 0x1000);
  EXPECT_EQ(list->is_full, 0u) << "the last range grew, which needs no room";
  const uint64_t sum = list->sum;
  AddMapping(list.get(), end + 0x2000, end + 0x3000);
  EXPECT_EQ(list->is_full, 1u);
  EXPECT_EQ(list->count, kMaxMappedRanges);
  EXPECT_NE(list->sum, sum) << "the sum includes it";
}

TEST(MappingList, AnyChangeOfFullListCountsAsVanished) {
  const auto full = Scattered(kMaxMappedRanges + 1);
  const auto fuller = Scattered(kMaxMappedRanges + 2);
  const auto fits = Scattered(kMaxMappedRanges);
  EXPECT_TRUE(HasVanished(*full, *fuller));
  EXPECT_TRUE(HasVanished(*fits, *full));
  EXPECT_TRUE(HasVanished(*full, *fits));
  EXPECT_FALSE(HasVanished(*Scattered(kMaxMappedRanges - 1), *fits));
}

// A process as its control thread sees it.
class Process {
 public:
  bool Reads(Ranges mappings, uint64_t after_ns, bool has_threads = true) {
    return Reads(*List(mappings), after_ns, has_threads);
  }
  bool Reads(const MappingList& mappings, uint64_t after_ns, bool has_threads = true) {
    now_ns_ += after_ns;
    return is_guarded_ = WatchMappings(watch_.get(), mappings, now_ns_, has_threads, is_guarded_);
  }
  void GiveBirth() {  // thread_registry.cc
    is_guarded_ = true;
    watch_->last_change_ns = now_ns_;
  }
  void StartAt(uint64_t ns) { now_ns_ = ns; }

 private:
  std::unique_ptr<MappingWatch> watch_ = std::make_unique<MappingWatch>();
  uint64_t now_ns_ = 1000000000;
  bool is_guarded_ = false;
};
constexpr uint64_t kGap = 100000000;  // between two readings
constexpr uint64_t kLong = 1000000000000;

TEST(MappingWatch, GuardsAfterMemoryVanished) {
  Process process;
  EXPECT_FALSE(process.Reads({{0x1000, 0x2000}}, kGap)) << "the first reading";
  EXPECT_FALSE(process.Reads({{0x1000, 0x2000}, {0x3000, 0x4000}}, kGap)) << "growth alone";
  EXPECT_TRUE(process.Reads({{0x1000, 0x2000}}, kGap));
  EXPECT_TRUE(process.Reads({{0x1000, 0x2000}}, kGap));
  EXPECT_FALSE(process.Reads({{0x1000, 0x2000}}, kLong));
}

TEST(MappingWatch, NeverGuardsSingleThread) {
  Process process;
  EXPECT_FALSE(process.Reads({{0x1000, 0x3000}}, kGap, false));
  EXPECT_FALSE(process.Reads({{0x1000, 0x2000}}, kGap, false));
  EXPECT_FALSE(process.Reads({{0x1000, 0x2000}}, kGap, true)) << "memory that vanished before does not count";
  EXPECT_TRUE(process.Reads({{0x5000, 0x6000}}, kGap, true));
  EXPECT_FALSE(process.Reads({{0x7000, 0x8000}}, kGap, false)) << "the others have ended";
}

TEST(MappingWatch, AnyChangeProlongsGuarding) {
  Process process;
  process.Reads({{0x1000, 0x2000}}, kGap);
  process.GiveBirth();
  for (uint64_t end = 0x3000; end < 0x20000; end += 0x1000) {
    ASSERT_TRUE(process.Reads({{0x1000, end}}, kGuardLeastNs * 2)) << "growing";
  }
  EXPECT_TRUE(process.Reads({{0x1000, 0x1f000}}, kGuardLeastNs - 1));
  EXPECT_FALSE(process.Reads({{0x1000, 0x1f000}}, 1)) << "no change for the whole period";
}

TEST(MappingWatch, ThreadBirthBeginsGuarding) {
  Process process;
  process.Reads({{0x1000, 0x2000}}, kGap);
  process.Reads({{0x1000, 0x2000}}, kLong);
  process.GiveBirth();
  EXPECT_TRUE(process.Reads({{0x1000, 0x2000}}, kGuardLeastNs - 1));
  EXPECT_FALSE(process.Reads({{0x1000, 0x2000}}, 1));
}

TEST(MappingWatch, PeriodDoublesWhenMemoryVanishesUnguarded) {
  Process process;
  process.Reads({{0x1000, 0x2000}}, kGap);
  uint64_t expected = kGuardLeastNs * 2;
  for (uint64_t i = 1; i < 100; ++i) {
    const uint64_t begin = 0x10000 * (i + 1);
    ASSERT_TRUE(process.Reads({{begin, begin + 0x1000}}, kLong)) << "the previous range has vanished";
    ASSERT_TRUE(process.Reads({{begin, begin + 0x1000}}, expected - 1)) << i;
    ASSERT_FALSE(process.Reads({{begin, begin + 0x1000}}, 1)) << i;
    if (expected < kGuardMostNs) expected *= 2;
  }
  EXPECT_GE(expected, kGuardMostNs);
  EXPECT_LT(expected, 2 * kGuardMostNs);
}

TEST(MappingWatch, AnyChangeOfFullListBeginsGuarding) {
  Process process;
  const auto full = Scattered(kMaxMappedRanges + 1);
  EXPECT_FALSE(process.Reads(*full, kGap, false));
  EXPECT_FALSE(process.Reads(*full, kGap)) << "nothing changed";
  EXPECT_TRUE(process.Reads(*Scattered(kMaxMappedRanges + 2), kGap)) << "beyond the table";
}

TEST(MappingWatch, SurvivesClockWrap) {
  Process process;
  process.StartAt(~uint64_t{0} - 2 * kGap);
  process.Reads({{0x1000, 0x3000}}, kGap);
  EXPECT_TRUE(process.Reads({{0x1000, 0x2000}}, kGap / 2));
  EXPECT_TRUE(process.Reads({{0x1000, 0x2000}}, kGap)) << "after the wrap";
  EXPECT_FALSE(process.Reads({{0x1000, 0x2000}}, kLong));
}

}  // namespace
}  // namespace softlbr
