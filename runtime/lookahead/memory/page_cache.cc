// Contract: page_cache.h.
#include "runtime/lookahead/memory/page_cache.h"

#include "platform/safe_read.h"

namespace softlbr {
namespace {

static_assert(static_cast<uint8_t>(PageState::kReadable) == 0, "IsKnownReadable compares with state bits 0");
static_assert((kMaxPageGeneration << 3 | 7) < kProbePageBytes, "state and generation share the page offset's bits");

void ClearMarks(PageCache* cache) {
  cache->are_all_marked = 0;
  for (uint64_t& mark : cache->marks) {
    mark = 0;
    asm volatile("" ::: "memory");  // else the compiler would call memset
  }
}

SOFTLBR_COLD void WipeEntries(PageCache* cache) {
  for (uint32_t i = 0; i < kPageCacheEntries; ++i) {
    cache->entries[i] = 0;
    asm volatile("" ::: "memory");
  }
}

}  // namespace

SOFTLBR_COLD void InitPageCache(PageCache* cache) {
  WipeEntries(cache);
  ClearMarks(cache);
  cache->special = nullptr;
  cache->generation = 1;
}

void ClearPageCache(PageCache* cache) {
  ClearMarks(cache);
  if (cache->generation < kMaxPageGeneration) {
    ++cache->generation;
    return;
  }
  WipeEntries(cache);
  cache->generation = 1;
}

PageState ListedState(const SpecialRanges* special, uint64_t page) {
  for (uint32_t i = 0; special != nullptr && i < special->count && i < kMaxSpecialRanges; ++i) {
    const SpecialRanges::Range& range = special->ranges[i];
    if (page + (kProbePageBytes - 1) < range.begin) break;
    if (page < range.end) return range.state;
  }
  return PageState::kReadable;
}

PageState RememberPage(PageCache* cache, uint64_t address, PageState state) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  uint64_t bits = static_cast<uint64_t>(state);
  if (state == PageState::kReadable) {
    if (cache->are_all_marked != 0) bits = kMarkedWithAllPages;
    if (MayBeMarked(*cache, page)) bits = kMarkedPage;
  }
  cache->entries[PageCacheIndex(address)] = page | cache->generation << 3 | bits;
  return state;
}

PageState LookUpPage(PageCache* cache, uint64_t address) {
  if (IsRemembered(*cache, address)) {
    const uint64_t found = cache->entries[PageCacheIndex(address)] & 7;
    return (found & 1) == 0 ? PageState::kReadable : static_cast<PageState>(found);
  }
  const uint64_t page = address & ~(kProbePageBytes - 1);
  PageState state = ListedState(cache->special, page);
  if (state != PageState::kSpecial && !platform::IsReadable(page)) state = PageState::kUnreadable;
  return RememberPage(cache, address, state);
}

void MarkPage(PageCache* cache, uint64_t address) {
  const uint32_t bit = MarkBitOf(address);
  cache->marks[bit / 64] |= uint64_t{1} << (bit % 64);
  if (IsKnownReadable(*cache, address)) (void)RememberPage(cache, address, PageState::kReadable);
}

SOFTLBR_COLD void MarkAllPages(PageCache* cache) {
  if (cache->are_all_marked != 0) return;  // RememberPage has marked what was looked up since
  cache->are_all_marked = 1;
  for (uint32_t i = 0; i < kPageCacheEntries; ++i) {
    uint64_t* entry = &cache->entries[i];
    if ((*entry & 7) == static_cast<uint64_t>(PageState::kReadable)) *entry |= kMarkedWithAllPages;
  }
}

}  // namespace softlbr
