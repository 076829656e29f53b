// The memory of a session: one region, given by the app or mapped at start, laid out once and returned as a whole at
// stop.
//
//   SessionMemory     the same size for every session
//     ZeroedMemory      must be zero when the session starts
//     the rest          any content, except for what ClearRegion resets; the user of a part initialises it
//   slots             max_threads; a slot is cleared when it is first used (thread_registry.cc)
//   trace buffers     BufferCount; any content
//   aggregator        tables and, if whole traces are kept, their log; any content
//
// Unused memory is never touched, so a session with few threads has little memory resident. To this end the parts of
// SessionMemory begin at multiples of SOFTLBR_REGION_ALIGNMENT, and slots and buffers are used in ascending order.
#ifndef SOFTLBR_RUNTIME_SESSION_SESSION_MEMORY_H_
#define SOFTLBR_RUNTIME_SESSION_SESSION_MEMORY_H_

#include <cstdint>

#include "runtime/session/session.h"

namespace softlbr {

#define SOFTLBR_REGION_PART alignas(SOFTLBR_REGION_ALIGNMENT)

struct ZeroedMemory {
  Session session;
  SOFTLBR_REGION_PART BlockCache block_cache;
  SOFTLBR_REGION_PART CodeMap code_maps[2];
};

struct SessionMemory {
  ZeroedMemory zeroed;
  SOFTLBR_REGION_PART ModuleTable module_tables[2];
  SOFTLBR_REGION_PART ScratchState scratch_states[kScratchStates];
  SOFTLBR_REGION_PART GuardLines guard_lines[kGuardStates];
  SOFTLBR_REGION_PART uint8_t block_store[kBlockCacheBytes];
  SOFTLBR_REGION_PART uint8_t writer[ProfileWriter::WorkspaceBytes()];
  SOFTLBR_REGION_PART uint8_t decoder_arena[kDecoderArenaBytes];
  SOFTLBR_REGION_PART uint8_t control_stack[kControlStackBytes];
  SOFTLBR_REGION_PART uint8_t handler_stacks[kHandlerStacks * kHandlerStackBytes];
};

#undef SOFTLBR_REGION_PART
static_assert(kTraceBufferBytes % alignof(TraceBuffer) == 0 && sizeof(ThreadSlot) % alignof(TraceBuffer) == 0 &&
                  kTraceBufferBytes % alignof(CountRow) == 0,
              "slots, buffers and the aggregator follow each other without gaps");

// Offsets of the trace buffers and of the aggregator's workspace in the region, and the size of the region.
struct RegionPlan {
  uint64_t buffers;
  uint64_t aggregator;
  uint64_t bytes;
};
RegionPlan PlanRegion(const SessionSettings& settings);

// Table and log sizes of the aggregator.
inline AggregatorSizes AggregatorSizesOf(const SessionSettings& settings) {
  AggregatorSizes sizes;
  if (settings.keep_traces) sizes.trace_entries = kTraceLogEntries;
  return sizes;
}

inline constexpr uint32_t BufferCount(uint32_t max_threads) { return 2 * max_threads + kSpareBuffers; }

inline SessionMemory* MemoryOf(Session* session) { return reinterpret_cast<SessionMemory*>(session); }
// Zeroes what must be zero in a region of any content: 220 KB and a few fields on ten other pages. Not needed in a
// fresh mapping.
void ClearRegion(void* region);
// Points the session's parts at their memory, and puts the first buffers into the pool.
void LayOutRegion(Session* session, const RegionPlan& plan);
// Lets kAddedBuffers more join the pool, or as many as are left.
void AddBuffers(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SESSION_MEMORY_H_
