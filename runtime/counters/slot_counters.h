// The counters of one thread slot, and how they are counted and added up.
//
// Life: counters are never reset. Those of a slot are the sum over all threads that have had it, so at any time the
//   session's counters are the sum over its slots (CollectCounters).
// Who: one writer at a time, the owner of the slot; readers at any time (softlbr_get_counters). Every access to a
//   counter that others may see is therefore a relaxed atomic load or store, by the functions below.
#ifndef SOFTLBR_RUNTIME_COUNTERS_SLOT_COUNTERS_H_
#define SOFTLBR_RUNTIME_COUNTERS_SLOT_COUNTERS_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "runtime/counters/session_counters.h"

namespace softlbr {

struct SlotCounters : HandlerCounters {
#define SOFTLBR_RAW_COUNTER(field, unit, meaning) uint64_t field;
#include "runtime/counters/counters.def"
};

SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE uint64_t CounterValue(const uint64_t& counter) {
  return __atomic_load_n(&counter, __ATOMIC_RELAXED);
}

SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void Add(uint64_t& counter, uint64_t amount) {
  __atomic_store_n(&counter, CounterValue(counter) + amount, __ATOMIC_RELAXED);
}

// The same for a total of the session. If two threads add at the same time, one addition may be lost.
SOFTLBR_ALWAYS_INLINE void AddTo(uint64_t* total, uint64_t amount) { Add(*total, amount); }

// Adds `slot` to `sum`, which nobody else sees. Loops over both as arrays of uint64_t: one statement for each counter
// would take 700 bytes of text.
inline void AddSlot(const SlotCounters& slot, SlotCounters* sum) {
  const auto* counters = reinterpret_cast<const uint64_t*>(&slot);
  auto* sums = reinterpret_cast<uint64_t*>(sum);
  for (uint32_t i = 0; i < sizeof(SlotCounters) / sizeof(uint64_t); ++i) sums[i] += CounterValue(counters[i]);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_COUNTERS_SLOT_COUNTERS_H_
