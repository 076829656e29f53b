// Which pages were found readable since the true state was last adopted, and on which of them memory alone does not tell.
//
// Context: handler. Memory: fixed direct-mapped table in the Evaluator. A page is asked for once (0.14 us), then remembered
// until Clear. Pages listed as special (device mappings, vvar, userfaultfd; set by the control thread) count as unknown
// contents without being touched.
// Marked pages: where the shadow program has stored, and where our own handler writes. A filter remembers them (some more may
// seem marked): a load from a readable page without a mark is a plain read, all else asks further (shadow_memory.h).
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_PAGE_CACHE_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_PAGE_CACHE_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"

namespace softlbr {

// The grain of the probe: divides every page size there is, so an answer for one holds for all of it.
inline constexpr uint64_t kProbePageBytes = 4096;

enum class PageState : uint8_t {
  kReadable = 0,
  kUnreadable = 1,  // reading would fault
  kSpecial = 2,     // must not be touched, contents UNKNOWN
};

// Address ranges that must not be read by look-ahead: one list per session, replaced whole by the control thread.
struct SpecialRanges {
  uint32_t count;
  uint32_t is_incomplete;  // more existed than fit; they are unreadable to us only by the probe
  struct Range {
    uint64_t begin;
    uint64_t end;
  } ranges[kMaxSpecialRanges];  // ascending
};

struct PageCache {
  // Page address (12 low bits free) | generation << 2 | PageState, or kMarkedPage for a readable one with a mark. A live
  // entry has the cache's generation.
  uint64_t entries[kPageCacheEntries];
  uint64_t marks[kPageMarkBits / 64];
  const SpecialRanges* special;  // may be null; kept by Clear
  uint64_t generation;           // 1 .. kMaxPageGeneration
};
inline constexpr uint64_t kMaxPageGeneration = 1023;
inline constexpr uint64_t kMarkedPage = 3;

// Once, on memory of any content. `special` becomes null.
SOFTLBR_HANDLER_SAFE void InitPageCache(PageCache* cache);
// Forgets every page and mark: nine stores, and kPageCacheEntries more every 1023rd time.
SOFTLBR_HANDLER_SAFE void ClearPageCache(PageCache* cache);
// State of the page that holds address. Cost: 1 ns when remembered, else a probe.
SOFTLBR_HANDLER_SAFE PageState LookUpPage(PageCache* cache, uint64_t address);

// Marks the page that holds address.
SOFTLBR_HANDLER_SAFE void MarkPage(PageCache* cache, uint64_t address);
// Marks them all, those too that have not been asked for: kPageCacheEntries steps.
SOFTLBR_HANDLER_SAFE void MarkAllPages(PageCache* cache);

SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE uint32_t PageCacheIndex(uint64_t address) {
  const uint64_t page = address / kProbePageBytes;
  return static_cast<uint32_t>((page ^ (page >> 9)) % kPageCacheEntries);
}
// The parts of LookUpPage worth inlining. True only if the page is remembered as readable:
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsKnownReadable(const PageCache& cache, uint64_t address) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  const uint64_t difference = cache.entries[PageCacheIndex(address)] ^ (page | cache.generation << 2);
  return difference == 0 || difference == kMarkedPage;
}
// and has no mark;
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsKnownUnmarked(const PageCache& cache, uint64_t address) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  return cache.entries[PageCacheIndex(address)] == (page | cache.generation << 2);
}
// and has one.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsKnownMarked(const PageCache& cache, uint64_t address) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  return cache.entries[PageCacheIndex(address)] == (page | cache.generation << 2 | kMarkedPage);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_PAGE_CACHE_H_
