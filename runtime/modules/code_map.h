// What handlers know of the address space: where code may be cached, where no breakpoint may be armed, which memory
// must not be read, and which is pinned.
//
// Who: the control thread builds a map and publishes it by one pointer store; handlers only read. Two maps alternate. A
//   replaced map is rebuilt only after every handler that may have read it has left (runtime/watch/module_refresh.cc).
// Memory: fixed, in the session's region.
#ifndef SOFTLBR_RUNTIME_MODULES_CODE_MAP_H_
#define SOFTLBR_RUNTIME_MODULES_CODE_MAP_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "runtime/lookahead/memory/page_cache.h"

namespace softlbr {

struct AddressRange {
  uint64_t begin;
  uint64_t end;
};

struct CodeMap {
  uint32_t code_count;
  uint32_t critical_section_count;
  // some table is not valid yet, as its module is being relocated, or none was read
  uint32_t has_unsettled_critical_sections;
  // start addresses of 8-byte reads in the main program, which is never unloaded; may be empty
  AddressRange pinned;
  SpecialRanges special;              // must not be read, not plainly, or not be stored to
  AddressRange code[kMaxCodeRanges];  // executable, file-backed, not writable; ascending
  // rseq; ascending, not touching; no breakpoint may be armed there
  AddressRange critical_sections[kMaxCriticalSections];
};

struct ModuleTable;

// Control. Fills the map for these modules and for what is mapped beside them. last: the map of the table before, from
// which the critical sections of modules that were there already are taken; nullptr: none. lists_critical_sections
// false: no breakpoint is armed as long as this map is current. Their list is empty then and counts as unsettled.
void BuildCodeMap(const ModuleTable& modules, const CodeMap* last, bool lists_critical_sections, CodeMap* map);

// The range that holds address, or nullptr.
SOFTLBR_HANDLER_SAFE inline const AddressRange* FindRange(const AddressRange* ranges, uint32_t count,
                                                          uint64_t address) {
  uint32_t low = 0;
  uint32_t high = count;
  while (low < high) {  // at most log2(kMaxCodeRanges) + 1 steps
    const uint32_t middle = (low + high) / 2;
    if (address < ranges[middle].begin) {
      high = middle;
    } else if (address >= ranges[middle].end) {
      low = middle + 1;
    } else {
      return &ranges[middle];
    }
  }
  return nullptr;
}
SOFTLBR_HANDLER_SAFE inline bool IsInRanges(const AddressRange* ranges, uint32_t count, uint64_t address) {
  return FindRange(ranges, count, address) != nullptr;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_CODE_MAP_H_
