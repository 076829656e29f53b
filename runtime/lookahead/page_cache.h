// Which pages were found readable since the true state was last adopted.
//
// Context: handler. Memory: fixed direct-mapped table in the Evaluator. A page is asked for once (0.14 us), then remembered
// until Clear. Pages listed as special (device mappings, vvar, userfaultfd; set by the control thread) count as unknown
// contents without being touched.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_PAGE_CACHE_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_PAGE_CACHE_H_

#include <cstdint>

#include "runtime/base/attributes.h"

namespace softlbr {

inline constexpr uint32_t kPageCacheEntries = 64;

enum class PageState : uint8_t {
  kReadable = 0,
  kUnreadable = 1,  // reading would fault
  kSpecial = 2,     // must not be touched, contents UNKNOWN
};

// Address ranges that must not be read by look-ahead: one list per session, replaced whole by the control thread.
struct SpecialRanges {
  static constexpr uint32_t kMaxRanges = 64;
  uint32_t count;
  uint32_t is_incomplete;  // more existed than fit; they are unreadable to us only by the probe
  struct Range {
    uint64_t begin;
    uint64_t end;
  } ranges[kMaxRanges];  // ascending
};

struct PageCache {
  uint64_t pages[kPageCacheEntries];  // page number + 1, 0 = empty
  PageState states[kPageCacheEntries];
  const SpecialRanges* special;  // may be null
};

SOFTLBR_HANDLER_SAFE void ClearPageCache(PageCache* cache);
SOFTLBR_HANDLER_SAFE PageState LookUpPage(PageCache* cache, uint64_t address);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_PAGE_CACHE_H_
