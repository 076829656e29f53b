// Contract: page_cache.h.
#include "runtime/lookahead/page_cache.h"

#include "platform/safe_read.h"

namespace softlbr {
namespace {

static_assert(static_cast<uint8_t>(PageState::kReadable) == 0, "IsKnownReadable compares with state bits 0");
static_assert((kMaxPageGeneration << 2 | 3) < kProbePageBytes, "state and generation share the page offset's bits");

SOFTLBR_HANDLER_SAFE void WipeEntries(PageCache* cache) {
  for (uint32_t i = 0; i < kPageCacheEntries; ++i) {
    cache->entries[i] = 0;
    asm volatile("" ::: "memory");  // or the compiler makes it a call of memset
  }
}

SOFTLBR_HANDLER_SAFE bool IsSpecial(const SpecialRanges& special, uint64_t page) {
  const uint32_t count = special.count < SpecialRanges::kMaxRanges ? special.count : SpecialRanges::kMaxRanges;
  for (uint32_t i = 0; i < count; ++i) {
    if (page + (kProbePageBytes - 1) < special.ranges[i].begin) return false;
    if (page < special.ranges[i].end) return true;
  }
  return false;
}

}  // namespace

void InitPageCache(PageCache* cache) {
  WipeEntries(cache);
  cache->special = nullptr;
  cache->generation = 1;
}

void ClearPageCache(PageCache* cache) {
  if (cache->generation < kMaxPageGeneration) {
    ++cache->generation;
    return;
  }
  WipeEntries(cache);
  cache->generation = 1;
}

PageState LookUpPage(PageCache* cache, uint64_t address) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  const uint64_t tag = page | cache->generation << 2;
  uint64_t* entry = &cache->entries[PageCacheIndex(address)];
  if ((*entry & ~uint64_t{3}) == tag) return static_cast<PageState>(*entry & 3);

  PageState state = PageState::kUnreadable;
  if (cache->special != nullptr && IsSpecial(*cache->special, page)) {
    state = PageState::kSpecial;
  } else if (platform::IsReadable(page)) {
    state = PageState::kReadable;
  }
  *entry = tag | static_cast<uint64_t>(state);
  return state;
}

}  // namespace softlbr
