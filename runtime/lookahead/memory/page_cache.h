// Remembers which pages can be read, and marks those on which a load cannot simply read the program's memory.
//
// Context: handler. Memory: fixed direct-mapped table in the Evaluator. The kernel is asked once for a page (0.14 us);
// the answer is kept until ClearPageCache, at the next true state.
// Special pages (device mappings, vvar; listed by the control thread) are never touched; their contents are UNKNOWN.
// Pages of files that another process may shorten (listed, too) are read through the kernel (guarded_read.h): beyond
// the new end of the file a plain read is a SIGBUS.
// Memory mapped at two addresses (listed, too): a store ends the path, because loads from the other address would not
// see it. Marked pages: those that the shadow program has stored to, and those that our own handler writes. A load from
// a readable page without a mark is a plain read; every other load takes the slow path (shadow_memory.h). The marks are
// kept in a filter, so an unmarked page may be taken for a marked one, but never the reverse.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_PAGE_CACHE_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_PAGE_CACHE_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"

namespace softlbr {

// The unit of the probe. It divides every page size, so one answer holds for the whole unit.
inline constexpr uint64_t kProbePageBytes = 4096;

enum class PageState : uint8_t {
  kReadable = 0,    // 2 and 4 stand for this state with a mark
  kUnreadable = 1,  // reading would fault
  kSpecial = 3,     // must not be touched; contents UNKNOWN
  kOfFile = 5,      // readable now, by guarded reads only
  kTwice = 7,       // the same, and mapped at another address, too
};
SOFTLBR_HANDLER_SAFE inline bool MustGuard(PageState state) { return state >= PageState::kOfFile; }
SOFTLBR_HANDLER_SAFE inline bool CanBeRead(PageState state) {
  return state == PageState::kReadable || MustGuard(state);
}
// False: a store ends the path there.
SOFTLBR_HANDLER_SAFE inline bool CanBeStoredTo(PageState state) {
  return state != PageState::kUnreadable && state != PageState::kTwice;
}

// Address ranges that look-ahead must not read, or not plainly. One list per session, replaced as a whole by the
// control thread.
struct SpecialRanges {
  uint32_t count;
  uint32_t is_incomplete;  // there were more than fit; only the probe protects the rest
  uint64_t sum;            // checksum of all bounds
  struct Range {
    uint64_t begin;
    uint64_t end;
    PageState state;            // kReadable: as if not listed
  } ranges[kMaxSpecialRanges];  // ascending
};

struct PageCache {
  const SpecialRanges* special;        // may be null; kept by Clear
  uint64_t generation;                 // 1 .. kMaxPageGeneration
  uint64_t are_all_marked;             // 0 or 1
  uint64_t marks[kPageMarkBits / 64];  // of single pages
  // Page address (its 12 low bits are 0) | generation << 3 | PageState, or the mark of a readable page. An entry is
  // live if it has the cache's generation.
  uint64_t entries[kPageCacheEntries];
};
inline constexpr uint64_t kMaxPageGeneration = 511;
inline constexpr uint64_t kMarkedPage = 2;          // by MarkPage
inline constexpr uint64_t kMarkedWithAllPages = 4;  // by MarkAllPages only

// Call once, on memory of any content. `special` becomes null.
SOFTLBR_HANDLER_SAFE void InitPageCache(PageCache* cache);
// Forgets every page and mark. Cost: ten stores, and kPageCacheEntries more every 511th time.
SOFTLBR_HANDLER_SAFE void ClearPageCache(PageCache* cache);
// State of the page that holds address. Cost: 1 ns if it is remembered, else a probe.
SOFTLBR_HANDLER_SAFE PageState LookUpPage(PageCache* cache, uint64_t address);

// What the list says of a page that can be read.
SOFTLBR_HANDLER_SAFE PageState ListedState(const SpecialRanges* special, uint64_t page);
// Remembers the page that holds address, which the caller has read or probed. Result: `state`.
SOFTLBR_HANDLER_SAFE PageState RememberPage(PageCache* cache, uint64_t address, PageState state);

// Marks the page that holds address.
SOFTLBR_HANDLER_SAFE void MarkPage(PageCache* cache, uint64_t address);
// Marks all pages, including those not looked up yet. kPageCacheEntries steps; one if they are marked.
SOFTLBR_HANDLER_SAFE void MarkAllPages(PageCache* cache);

// Adjacent pages have different bits.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE uint32_t MarkBitOf(uint64_t address) {
  const uint64_t page = address / kProbePageBytes;
  return static_cast<uint32_t>((page ^ (page >> 9) ^ (page >> 18)) % kPageMarkBits);
}
// False: the page that holds address was not marked by MarkPage.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool MayBeMarked(const PageCache& cache, uint64_t address) {
  const uint32_t bit = MarkBitOf(address);
  return (cache.marks[bit / 64] >> (bit % 64) & 1) != 0;
}

SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE uint32_t PageCacheIndex(uint64_t address) {
  const uint64_t page = address / kProbePageBytes;
  return static_cast<uint32_t>((page ^ (page >> 9)) % kPageCacheEntries);
}
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsRemembered(const PageCache& cache, uint64_t address) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  return (cache.entries[PageCacheIndex(address)] & ~uint64_t{7}) == (page | cache.generation << 3);
}
// The inline parts of LookUpPage. True only if the page is remembered as readable:
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsKnownReadable(const PageCache& cache, uint64_t address) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  const uint64_t difference = cache.entries[PageCacheIndex(address)] ^ (page | cache.generation << 3);
  return (difference & ~(kMarkedPage | kMarkedWithAllPages)) == 0;
}
// Remembered as readable, without a mark:
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsKnownUnmarked(const PageCache& cache, uint64_t address) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  return cache.entries[PageCacheIndex(address)] == (page | cache.generation << 3);
}
// Remembered as readable, with a mark of its own:
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsKnownMarked(const PageCache& cache, uint64_t address) {
  const uint64_t page = address & ~(kProbePageBytes - 1);
  return cache.entries[PageCacheIndex(address)] == (page | cache.generation << 3 | kMarkedPage);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_PAGE_CACHE_H_
