// Decides whether reads of the program's memory must be guarded, by comparing successive readings of its mappings.
//
// Why: a plain read of memory that another thread unmaps kills the process. A guarded read fails instead, but is
//   expensive (lookahead/memory/guarded_read.h).
// Begin: reads are guarded once readable memory has vanished between two readings, or a thread was born
//   (thread_registry.cc). In a process of one thread they never are.
// End: after a period without any change. Growth alone does not begin guarding, but it restarts this period.
// Period: kGuardLeastNs. It doubles each time memory vanishes while reads are unguarded, until it is at least
// kGuardMostNs.
// Who: the control thread. Memory: fixed. Cost: one step for each range, if anything has changed.
// Full: with more than kMaxMappedRanges ranges, any change counts as memory that vanished.
// Not detected: memory that was mapped and unmapped between two readings; a mapping replaced by another.
#ifndef SOFTLBR_RUNTIME_MODULES_MAPPING_WATCH_H_
#define SOFTLBR_RUNTIME_MODULES_MAPPING_WATCH_H_

#include <cstdint>

#include "platform/base/limits.h"

namespace softlbr {

// Readable memory, adjacent mappings joined; ascending. All zero: none.
struct MappingList {
  uint64_t sum;  // checksum of the bounds of every mapping, including those that do not fit
  uint32_t count;
  uint32_t is_full;  // there were more ranges than fit
  struct Range {
    uint64_t begin;
    uint64_t end;
  } ranges[kMaxMappedRanges];
};

// All zero: nothing was read yet.
struct MappingWatch {
  uint64_t last_change_ns;  // or birth of a thread (thread_registry.cc)
  uint32_t doublings;       // of the period; never decreases
  MappingList last;
};

// Adds the next readable mapping, in ascending order.
void AddMapping(MappingList* list, uint64_t begin, uint64_t end);

// True if some memory of `before` is not in `now`, or may not be.
bool HasVanished(const MappingList& before, const MappingList& now);

// Call after each reading. True if reads must be guarded until the next one; is_guarded: they were guarded until now.
bool WatchMappings(MappingWatch* watch, const MappingList& mapped, uint64_t now_ns, bool has_threads, bool is_guarded);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_MAPPING_WATCH_H_
