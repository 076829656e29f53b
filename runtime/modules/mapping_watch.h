// Is memory of this process being taken away? From one reading of its mappings to the next.
//
// Why: what another thread unmaps while a trace reads it kills the process, unless the kernel reads for us, which is dear
//   (lookahead/guarded_read.h). So it does where something that could be read has vanished, for as long as that may be expected to
//   happen again: kGuardLeastNs after the last change at first, twice as long each time that proved too short. Memory that only
//   grows says nothing of the kind, but neither does it say that all is still: it keeps a guard up that is up.
// Who: the control thread. Memory: fixed. Cost: a step per range, when anything changed at all.
// Full: more ranges than kMaxMappedRanges, and any change counts as something vanished.
// Not seen: what came and went between two readings; a mapping put in another's place.
#ifndef SOFTLBR_RUNTIME_MODULES_MAPPING_WATCH_H_
#define SOFTLBR_RUNTIME_MODULES_MAPPING_WATCH_H_

#include <cstdint>

#include "platform/base/limits.h"

namespace softlbr {

// What can be read, neighbours joined; ascending. All zero: nothing.
struct MappingList {
  uint64_t sum;  // over where each begins and ends, those too that do not fit
  uint32_t count;
  uint32_t is_full;  // more existed than fit
  struct Range {
    uint64_t begin;
    uint64_t end;
  } ranges[kMaxMappedRanges];
};

// All zero: nothing was read yet.
struct MappingWatch {
  MappingList last;
  uint64_t last_change_ns;  // or birth of a thread (thread_registry.cc)
  uint32_t doublings;       // of kGuardLeastNs, until it is no less than kGuardMostNs; never taken back
};

// Takes in the next readable mapping, in ascending order.
void AddMapping(MappingList* list, uint64_t begin, uint64_t end);

// Something of `before` is not in `now`, or may not be.
bool HasVanished(const MappingList& before, const MappingList& now);

// After each reading: is the kernel to read for us until the next? is_guarded: it was until now. Never in a process of one thread.
bool WatchMappings(MappingWatch* watch, const MappingList& mapped, uint64_t now_ns, bool has_threads, bool is_guarded);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_MAPPING_WATCH_H_
