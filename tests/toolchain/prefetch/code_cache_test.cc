// Sequences of fetches and hints whose results were worked out by hand.
#include "toolchain/prefetch/code_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace softlbr::toolchain {
namespace {

// Two sets of two lines in the L1-I, two sets of four in the L2; a cycle an instruction.
CodeCacheShape SmallShape() {
  CodeCacheShape shape;
  shape.l1_bytes = 4 * kCodeLineBytes;
  shape.l1_ways = 2;
  shape.l2_bytes = 8 * kCodeLineBytes;
  shape.l2_ways = 4;
  shape.next_lines = 0;
  shape.ipc = 1;
  return shape;
}

// "H", "L" or "M" for each line.
std::string FetchAll(CodeCache* cache, std::initializer_list<uint64_t> lines) {
  std::string results;
  for (const uint64_t line : lines) results += "HLM"[static_cast<size_t>(cache->Fetch(line))];
  return results;
}

TEST(CodeCache, EvictsTheLineOfTheSetThatWasUsedLongestAgo) {
  CodeCache cache(SmallShape());
  // Set 0: 0, 2, then 0 again, so that 4 evicts 2. Set 1 only sees 1.
  EXPECT_EQ(FetchAll(&cache, {0, 2, 1, 0, 4, 0, 1, 2, 4}), "MMMHMHHMM");
  EXPECT_EQ(cache.counts().fetches, 9u);
  EXPECT_EQ(cache.counts().misses, 6u);
  EXPECT_EQ(cache.counts().l2_misses, 4u) << "2 and 4 come back from the L2";
  EXPECT_DOUBLE_EQ(cache.counts().stall_cycles, 4 * 76 + 2 * 12);
}

TEST(CodeCache, StayingInALineIsNoFetch) {
  CodeCache cache(SmallShape());
  EXPECT_EQ(FetchAll(&cache, {3, 3, 3}), "MHH");
  EXPECT_EQ(cache.counts().fetches, 1u);
}

TEST(CodeCache, TheNextLineComesWithTheFetchAndIsLateIfExecutionIsFaster) {
  CodeCacheShape shape = SmallShape();
  shape.next_lines = 1;
  CodeCache cache(shape);
  EXPECT_EQ(FetchAll(&cache, {8}), "M");  // and asks for 9 at cycle 0; the program goes on at cycle 76, when 9 is there
  EXPECT_TRUE(cache.Holds(9));
  EXPECT_EQ(FetchAll(&cache, {9}), "H");  // asks for 10 at cycle 76
  cache.Execute(16);
  EXPECT_EQ(FetchAll(&cache, {10}), "L");  // waits for 60 cycles more; asks for 11 at cycle 92
  EXPECT_EQ(cache.counts().next_line.issued, 3u);
  EXPECT_EQ(cache.counts().next_line.useful, 2u);
  EXPECT_EQ(cache.counts().next_line.late, 1u);
  EXPECT_EQ(cache.counts().misses, 1u);
  EXPECT_DOUBLE_EQ(cache.counts().stall_cycles, 76 + 60);
  EXPECT_DOUBLE_EQ(cache.counts().cycles, 76 + 16 + 60);
}

TEST(CodeCache, AHintIsInTimeAfterTheLatency) {
  CodeCache cache(SmallShape());
  cache.Hint(6);
  cache.Execute(76);
  EXPECT_EQ(FetchAll(&cache, {6}), "H");
  cache.Hint(7);
  cache.Execute(75);
  EXPECT_EQ(FetchAll(&cache, {7}), "L");
  cache.Hint(7);  // there already
  const CodeCacheCounts& counts = cache.counts();
  EXPECT_EQ(counts.hints, 3u);
  EXPECT_EQ(counts.hint.issued, 2u);
  EXPECT_EQ(counts.hint.useful, 2u);
  EXPECT_EQ(counts.hint.late, 1u);
  EXPECT_EQ(counts.misses, 0u);
  EXPECT_DOUBLE_EQ(counts.stall_cycles, 1);
}

TEST(CodeCache, AHintTooEarlyIsEvictedUnused) {
  CodeCache cache(SmallShape());
  cache.Hint(0);
  EXPECT_EQ(FetchAll(&cache, {2, 4}), "MM");  // the set of line 0
  EXPECT_EQ(cache.counts().hint.evicted, 1u);
  EXPECT_EQ(FetchAll(&cache, {0}), "M");
  EXPECT_EQ(cache.counts().hint.useful, 0u);
  EXPECT_EQ(cache.counts().l2_misses, 2u) << "line 0 is in the L2 since the hint";
}

TEST(CodeCache, ABufferTakesWhatIsPrefetchedAndGivesItToTheL1WhenItIsFetched) {
  CodeCacheShape shape = SmallShape();
  shape.buffer_lines = 2;
  CodeCache cache(shape);
  EXPECT_EQ(FetchAll(&cache, {0, 2}), "MM");  // the whole set 0
  cache.Hint(4);
  cache.Hint(6);
  cache.Execute(76);
  EXPECT_EQ(FetchAll(&cache, {0, 2}), "HH") << "hints evict nothing from the L1-I";
  EXPECT_EQ(FetchAll(&cache, {4}), "H");  // goes into the L1-I instead of 0, and leaves room in the buffer
  cache.Hint(8);
  EXPECT_TRUE(cache.Holds(6));
  EXPECT_EQ(FetchAll(&cache, {2, 4, 0}), "HHM");
  cache.Hint(10);  // the buffer is full; 6 came first
  EXPECT_FALSE(cache.Holds(6));
  EXPECT_EQ(cache.counts().hint.issued, 4u);
  EXPECT_EQ(cache.counts().hint.useful, 1u);
  EXPECT_EQ(cache.counts().hint.evicted, 1u);
}

TEST(CodeCache, NamesTheHintThatBroughtALineAtItsFirstFetch) {
  CodeCache cache(SmallShape());
  cache.Hint(0, 7);
  cache.Hint(0, 8);  // there already
  FetchAll(&cache, {0});
  EXPECT_EQ(cache.fetched_hint(), 7u);
  FetchAll(&cache, {1});
  EXPECT_EQ(cache.fetched_hint(), kNoHint);
  FetchAll(&cache, {0});
  EXPECT_EQ(cache.fetched_hint(), kNoHint);
}

TEST(CodeCache, CountsAnewWithTheCachesAsTheyAre) {
  CodeCache cache(SmallShape());
  FetchAll(&cache, {0, 1});
  cache.Hint(2);
  cache.ForgetCounts();
  EXPECT_EQ(FetchAll(&cache, {0, 1, 3, 2}), "HHMH") << "the miss takes as long as the hint";
  EXPECT_EQ(cache.counts().misses, 1u);
  EXPECT_EQ(cache.counts().hint.issued, 0u);
  EXPECT_EQ(cache.counts().hint.useful, 1u);
  EXPECT_DOUBLE_EQ(cache.counts().cycles, cache.counts().stall_cycles);
}

TEST(CodeCache, IsWarmOnceItBroughtAsManyLinesAsItHolds) {
  CodeCache cache(SmallShape());
  FetchAll(&cache, {0, 1, 2});
  EXPECT_FALSE(cache.IsWarm());
  FetchAll(&cache, {3});
  EXPECT_TRUE(cache.IsWarm());
  cache.Clear();
  EXPECT_FALSE(cache.IsWarm());
  EXPECT_FALSE(cache.Holds(3));
  EXPECT_EQ(cache.counts().misses, 4u);
}

TEST(CodeCache, AShapeHasAPowerOfTwoOfSets) {
  CodeCacheShape shape;
  EXPECT_TRUE(shape.IsValid());
  shape.l1_bytes = 8u << 10;
  EXPECT_TRUE(shape.IsValid());
  shape.l1_bytes = 24u << 10;
  EXPECT_FALSE(shape.IsValid());
  shape.l1_bytes = 0;
  EXPECT_FALSE(shape.IsValid());
  shape = CodeCacheShape();
  shape.l1_ways = 0;
  EXPECT_FALSE(shape.IsValid());
  shape = CodeCacheShape();
  shape.ipc = 0;
  EXPECT_FALSE(shape.IsValid());
}

}  // namespace
}  // namespace softlbr::toolchain
