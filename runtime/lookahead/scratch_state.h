// The memory that a handler evaluates with: the shadow context and the block being lifted. A session has a few for all
// threads.
//
// Who: a handler takes one at its start and returns it at its end. Between two handlers it keeps only the addresses
//   that were read (memory/guarded_read.h), since every sample and hit brings the true state. Because of these
//   addresses a thread gets the same one of the first kGuardStates each time, if it is free; else the lowest free one,
//   which is likely to be in the CPU's caches.
// Context: handler, lock-free. Memory: kScratchStates in the session's region; one that is never taken is never
// touched.
// Full: if kScratchStates threads are inside the handler, running or preempted, the next one ends its trace, which is
// counted.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_SCRATCH_STATE_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_SCRATCH_STATE_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "runtime/lookahead/evaluator.h"

namespace softlbr {

// The blocks of generated code whose bytes were compared since the last true state (runtime/blocks/generated_code.h).
struct ComparedBlocks {
  uint32_t round;                     // counts true states
  uint64_t entries[kComparedBlocks];  // round << 32 | number of the block
};

struct alignas(64) ScratchState {
  bool is_initialised;
  softlbr_block block;             // filled by the plugin, then copied into the block cache
  uint8_t code[kCodeWindowBytes];  // a copy, so that the bytes lifted are the bytes summed even while code is patched
  ComparedBlocks compared;
  Evaluator evaluator;
};

struct ScratchPool {
  std::atomic<uint32_t> busy;    // one bit for each scratch state
  ScratchState* scratch_states;  // kScratchStates, zeroed memory
  GuardLines* guard_lines;       // kGuardStates
};
static_assert(kScratchStates < 32, "ScratchPool::busy has a bit for each");

// slot: the number of the thread's slot. nullptr: none is free.
SOFTLBR_HANDLER_SAFE inline ScratchState* TakeScratchState(ScratchPool* pool, uint32_t slot, ResolvePolicy policy,
                                                           uint16_t machine) {
  constexpr uint32_t kAll = (1u << kScratchStates) - 1;
  for (uint32_t attempt = 0; attempt < kScratchStates; ++attempt) {
    const uint32_t free = ~pool->busy.load(std::memory_order_relaxed) & kAll;
    if (free == 0) return nullptr;
    const uint32_t usual = 1u << slot % kGuardStates;
    const uint32_t bit = (free & usual) != 0 ? usual : free & (0 - free);
    if ((pool->busy.fetch_or(bit, std::memory_order_acquire) & bit) != 0) continue;
    const auto index = static_cast<uint32_t>(__builtin_ctz(bit));
    ScratchState* scratch = &pool->scratch_states[index];
    if (!scratch->is_initialised) {
      InitEvaluator(&scratch->evaluator, policy, machine);
      if (index < kGuardStates) {
        scratch->evaluator.memory.guarded = &pool->guard_lines[index];
        InitGuardLines(&pool->guard_lines[index]);
      }
      scratch->compared.round = ~uint32_t{0};  // the next true state clears the entries
      scratch->is_initialised = true;
    }
    return scratch;
  }
  return nullptr;
}

SOFTLBR_HANDLER_SAFE inline void ReturnScratchState(ScratchPool* pool, const ScratchState* scratch) {
  pool->busy.fetch_and(~(1u << static_cast<uint32_t>(scratch - pool->scratch_states)), std::memory_order_release);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_SCRATCH_STATE_H_
