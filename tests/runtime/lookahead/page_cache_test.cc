#include "runtime/lookahead/memory/page_cache.h"

#include <gtest/gtest.h>

#include "tests/runtime/lookahead/uop_harness.h"

namespace softlbr::lookahead_test {
namespace {

class PageCacheTest : public testing::Test {
 protected:
  PageCacheTest() {
    fake::ForgetReadable();
    std::memset(&cache_, 0xff, sizeof(cache_));  // memory of any content
    InitPageCache(&cache_);
  }
  static void Allow(uint64_t begin, uint64_t bytes) { fake::AllowReading(reinterpret_cast<const void*>(begin), bytes); }
  PageCache cache_;
};

TEST_F(PageCacheTest, ProbesEachPageOnceUntilCleared) {
  Allow(0x10000, 0x2000);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  EXPECT_EQ(LookUpPage(&cache_, 0x10fff), PageState::kReadable);
  EXPECT_EQ(fake::ProbeCount(), 1u);
  EXPECT_EQ(LookUpPage(&cache_, 0x11000), PageState::kReadable);
  EXPECT_EQ(fake::ProbeCount(), 2u);
  EXPECT_TRUE(IsKnownReadable(cache_, 0x10123));
  ClearPageCache(&cache_);
  EXPECT_FALSE(IsKnownReadable(cache_, 0x10123));
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  EXPECT_EQ(fake::ProbeCount(), 3u);
}

TEST_F(PageCacheTest, RemembersUnreadablePages) {
  EXPECT_EQ(LookUpPage(&cache_, 0x5000), PageState::kUnreadable);
  EXPECT_EQ(LookUpPage(&cache_, 0x5fff), PageState::kUnreadable);
  EXPECT_EQ(fake::ProbeCount(), 1u);
  EXPECT_FALSE(IsKnownReadable(cache_, 0x5000));
}

TEST_F(PageCacheTest, NeverTouchesSpecialPages) {
  Allow(0, 0x100000);
  SpecialRanges special = {};
  special.count = 2;
  special.ranges[0] = {0x10000, 0x12000, PageState::kSpecial};
  special.ranges[1] = {0x20800, 0x20900, PageState::kSpecial};  // part of a page: the whole page is special
  cache_.special = &special;
  EXPECT_EQ(LookUpPage(&cache_, 0x0ffff), PageState::kReadable);
  EXPECT_EQ(fake::ProbeCount(), 1u);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kSpecial);
  EXPECT_EQ(LookUpPage(&cache_, 0x11fff), PageState::kSpecial);
  EXPECT_EQ(LookUpPage(&cache_, 0x20000), PageState::kSpecial);
  EXPECT_EQ(fake::ProbeCount(), 1u);
  EXPECT_EQ(LookUpPage(&cache_, 0x12000), PageState::kReadable);
  ClearPageCache(&cache_);
  EXPECT_EQ(cache_.special, &special);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kSpecial);
}

TEST_F(PageCacheTest, PagesOfFilesAreProbedButNeverReadPlainly) {
  Allow(0x10000, 0x1000);
  SpecialRanges special = {};
  special.count = 1;
  special.ranges[0] = {0x10000, 0x12000, PageState::kOfFile};
  cache_.special = &special;
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kOfFile);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kOfFile);
  EXPECT_EQ(fake::ProbeCount(), 1u);
  EXPECT_EQ(LookUpPage(&cache_, 0x11000), PageState::kUnreadable);
  EXPECT_FALSE(IsKnownReadable(cache_, 0x10000));
  MarkPage(&cache_, 0x10000);
  MarkAllPages(&cache_);
  EXPECT_FALSE(IsKnownUnmarked(cache_, 0x10000));
  EXPECT_FALSE(IsKnownMarked(cache_, 0x10000));
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kOfFile) << "a store leaves it so";
}

TEST_F(PageCacheTest, PagesThatShareAnEntryAreDistinguished) {
  Allow(0, 0x10000000);
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t address = random() % 0x20000000;
    EXPECT_EQ(LookUpPage(&cache_, address), address < 0x10000000 ? PageState::kReadable : PageState::kUnreadable);
  }
}

TEST_F(PageCacheTest, SurvivesGenerationWrap) {
  Allow(0x10000, 0x1000);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  for (uint64_t i = 0; i < 3 * kMaxPageGeneration; ++i) {  // every generation is reused, including this entry's
    ClearPageCache(&cache_);
    ASSERT_FALSE(IsKnownReadable(cache_, 0x10000)) << i;
  }
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  EXPECT_EQ(fake::ProbeCount(), 2u);
}

TEST_F(PageCacheTest, MarkOutlivesEntryUntilCleared) {
  Allow(0, 0x10000000);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  EXPECT_TRUE(IsKnownUnmarked(cache_, 0x10008));
  EXPECT_FALSE(IsKnownMarked(cache_, 0x10008));
  MarkPage(&cache_, 0x10ff0);
  EXPECT_FALSE(IsKnownUnmarked(cache_, 0x10008));
  EXPECT_TRUE(IsKnownMarked(cache_, 0x10008));
  EXPECT_TRUE(IsKnownReadable(cache_, 0x10008));
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  EXPECT_EQ(LookUpPage(&cache_, 0x11000), PageState::kReadable);
  EXPECT_TRUE(IsKnownUnmarked(cache_, 0x11000));
  // Another page replaces the entry and is replaced in turn.
  uint64_t other = 0x20000;
  while (PageCacheIndex(other) != PageCacheIndex(0x10000)) other += kProbePageBytes;
  EXPECT_EQ(LookUpPage(&cache_, other), PageState::kReadable);
  EXPECT_FALSE(IsKnownReadable(cache_, 0x10000));
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  EXPECT_TRUE(IsKnownMarked(cache_, 0x10000));
  ClearPageCache(&cache_);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  EXPECT_TRUE(IsKnownUnmarked(cache_, 0x10000));
}

TEST_F(PageCacheTest, MarkDoesNotMakePageReadable) {
  MarkPage(&cache_, 0x5000);
  EXPECT_FALSE(IsKnownMarked(cache_, 0x5000));
  EXPECT_EQ(LookUpPage(&cache_, 0x5000), PageState::kUnreadable);
  EXPECT_FALSE(IsKnownMarked(cache_, 0x5000));
  MarkAllPages(&cache_);
  EXPECT_EQ(LookUpPage(&cache_, 0x5000), PageState::kUnreadable);
}

// Stores to UNKNOWN addresses mark all pages, and a loop may have many: only the first of them walks the cache.
TEST_F(PageCacheTest, MarkingAllPagesAgainLeavesTheEntriesAlone) {
  Allow(0x10000, 0x2000);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  MarkAllPages(&cache_);
  EXPECT_EQ(LookUpPage(&cache_, 0x11000), PageState::kReadable);
  uint64_t& unmarked = cache_.entries[PageCacheIndex(0x10000)];
  unmarked &= ~kMarkedWithAllPages;  // which a walk would mark again
  MarkAllPages(&cache_);
  EXPECT_TRUE(IsKnownUnmarked(cache_, 0x10000));
  EXPECT_FALSE(IsKnownUnmarked(cache_, 0x11000));
  ClearPageCache(&cache_);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  MarkAllPages(&cache_);
  EXPECT_FALSE(IsKnownUnmarked(cache_, 0x10000)) << "the first time after a clear, they are marked";
}

TEST_F(PageCacheTest, MarkAllPagesIncludesPagesNotYetLookedUp) {
  Allow(0x10000, 0x2000);
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  MarkAllPages(&cache_);
  EXPECT_EQ(LookUpPage(&cache_, 0x11000), PageState::kReadable);
  for (const uint64_t page : {0x10000, 0x11000}) {
    EXPECT_TRUE(IsKnownReadable(cache_, page)) << page;
    EXPECT_FALSE(IsKnownUnmarked(cache_, page)) << page;
    EXPECT_FALSE(IsKnownMarked(cache_, page) || MayBeMarked(cache_, page)) << page << ": nothing was stored to it";
  }
  MarkPage(&cache_, 0x10000);
  EXPECT_TRUE(IsKnownMarked(cache_, 0x10000) && MayBeMarked(cache_, 0x10000));
  EXPECT_EQ(LookUpPage(&cache_, 0x10000), PageState::kReadable);
  ClearPageCache(&cache_);
  EXPECT_EQ(LookUpPage(&cache_, 0x11000), PageState::kReadable);
  EXPECT_TRUE(IsKnownUnmarked(cache_, 0x11000));
}

}  // namespace
}  // namespace softlbr::lookahead_test
