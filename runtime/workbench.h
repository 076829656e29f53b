// What a handler evaluates with: shadow state and a block being lifted. A few for all threads of a session.
//
// Who: taken at the begin of a handler and given back at its end; nothing of it is needed in between, as every sample and
//   every hit brings the true state. The lowest free one is taken, so one that is warm in the caches.
// Context: handler, lock-free. Memory: kWorkbenches in the session's region; one never taken is never touched.
// Full: as many threads as there are workbenches are inside the handler, running or preempted: the trace is given up and
//   counted.
#ifndef SOFTLBR_RUNTIME_WORKBENCH_H_
#define SOFTLBR_RUNTIME_WORKBENCH_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/ir.h"
#include "runtime/base/attributes.h"
#include "runtime/base/limits.h"
#include "runtime/lookahead/evaluator.h"

namespace softlbr {

struct alignas(64) Workbench {
  bool is_initialised;
  Evaluator evaluator;
  softlbr_block block;  // what a lift call fills before the cache takes it
  uint8_t code[kCodeWindowBytes];  // a copy, so that what is lifted is what is summed, even where code is just being patched
};

struct WorkbenchPool {
  std::atomic<uint32_t> busy;  // one bit each
  Workbench* benches;          // kWorkbenches, zeroed memory
};
static_assert(kWorkbenches < 32, "WorkbenchPool::busy has a bit for each");

// nullptr: none is free.
SOFTLBR_HANDLER_SAFE inline Workbench* TakeWorkbench(WorkbenchPool* pool, ResolvePolicy policy, uint16_t machine) {
  constexpr uint32_t kAll = (1u << kWorkbenches) - 1;
  for (uint32_t attempt = 0; attempt < kWorkbenches; ++attempt) {
    const uint32_t free = ~pool->busy.load(std::memory_order_relaxed) & kAll;
    if (free == 0) return nullptr;
    const uint32_t bit = free & (0 - free);
    if ((pool->busy.fetch_or(bit, std::memory_order_acquire) & bit) != 0) continue;
    Workbench* bench = &pool->benches[__builtin_ctz(bit)];
    if (!bench->is_initialised) {
      InitEvaluator(&bench->evaluator, policy, machine);
      bench->is_initialised = true;
    }
    return bench;
  }
  return nullptr;
}

SOFTLBR_HANDLER_SAFE inline void GiveWorkbench(WorkbenchPool* pool, const Workbench* bench) {
  pool->busy.fetch_and(~(1u << static_cast<uint32_t>(bench - pool->benches)), std::memory_order_release);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WORKBENCH_H_
