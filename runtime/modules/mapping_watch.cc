// Contract: mapping_watch.h.
#include "runtime/modules/mapping_watch.h"

#include <cstring>

namespace softlbr {

void AddMapping(MappingList* list, uint64_t begin, uint64_t end) {
  list->sum = ((list->sum ^ begin) + end) * 0x9e3779b97f4a7c15ull;
  if (list->count != 0 && list->ranges[list->count - 1].end == begin) {
    list->ranges[list->count - 1].end = end;
  } else if (list->count != kMaxMappedRanges) {
    list->ranges[list->count++] = {begin, end};
  } else {
    list->is_full = 1;
  }
}

bool HasVanished(const MappingList& before, const MappingList& now) {
  if ((before.is_full | now.is_full) != 0) return true;
  uint32_t at = 0;
  for (uint32_t i = 0; i < before.count; ++i) {
    // Adjacent ranges are joined, so either one range of `now` holds this one entirely or a part has vanished.
    while (at < now.count && now.ranges[at].end < before.ranges[i].end) ++at;
    if (at == now.count || now.ranges[at].begin > before.ranges[i].begin) return true;
  }
  return false;
}

bool WatchMappings(MappingWatch* watch, const MappingList& mapped, uint64_t now_ns, bool has_threads, bool is_guarded) {
  const uint64_t stillness_ns = kGuardLeastNs << watch->doublings;
  bool must_begin = false;
  if (mapped.sum != watch->last.sum) {
    must_begin = has_threads && !is_guarded && HasVanished(watch->last, mapped);
    memcpy(&watch->last, &mapped, sizeof mapped);
    watch->last_change_ns = now_ns;
    if (must_begin && stillness_ns < kGuardMostNs) ++watch->doublings;
  }
  return must_begin || (is_guarded && has_threads && now_ns - watch->last_change_ns < stillness_ns);
}

}  // namespace softlbr
