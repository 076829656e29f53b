#include "runtime/session/session_memory.h"

#include <cstring>

namespace softlbr {
namespace {

constexpr uint64_t kPageBytes = 65536;  // the largest page size in use; the region is a multiple of it

constexpr uint64_t RoundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

RegionPlan PlanRegion(const SessionSettings& settings) {
  RegionPlan plan;
  plan.buffers = sizeof(SessionMemory) + uint64_t{settings.max_threads} * sizeof(ThreadSlot);
  plan.aggregator = plan.buffers + uint64_t{BufferCount(settings.max_threads)} * kTraceBufferBytes;
  plan.bytes = RoundUp(plan.aggregator + Aggregator::WorkspaceBytes(AggregatorSizesOf(settings)), kPageBytes);
  return plan;
}

void ClearRegion(void* region) {
  auto* memory = static_cast<SessionMemory*>(region);
  memset(static_cast<void*>(&memory->zeroed), 0, sizeof memory->zeroed);
  ModuleTable& first = memory->module_tables[0];  // current until the first refresh, so it must be empty
  first.count = 0;
  first.generation = 0;
  first.dropped = 0;
  for (ScratchState& scratch : memory->scratch_states) scratch.is_initialised = false;
}

void AddBuffers(Session* session) {
  BufferSupply& supply = session->buffers;
  for (uint32_t i = 0; i < kAddedBuffers && supply.added < supply.count; ++i) {
    uint8_t* buffer = supply.memory + uint64_t{supply.added++} * kTraceBufferBytes;
    PutFreeBuffer(&session->environment.pool, reinterpret_cast<TraceBuffer*>(buffer));
  }
}

void LayOutRegion(Session* session, const RegionPlan& plan) {
  SessionMemory* memory = MemoryOf(session);
  TraceEnvironment& environment = session->environment;
  environment.cache = &memory->zeroed.block_cache;
  InitBlockCache(environment.cache, memory->block_store, kBlockCacheBytes);
  session->modules.code_maps = memory->zeroed.code_maps;
  environment.code_map.store(&memory->zeroed.code_maps[0], std::memory_order_release);
  session->modules.tables = memory->module_tables;
  environment.scratch_states.scratch_states = memory->scratch_states;
  environment.scratch_states.guard_lines = memory->guard_lines;
  session->handler_stacks.memory = memory->handler_stacks;
  session->threads.slots = reinterpret_cast<ThreadSlot*>(memory + 1);
  InitBufferPool(&environment.pool);
  session->buffers =
      BufferSupply{reinterpret_cast<uint8_t*>(session) + plan.buffers, BufferCount(session->settings.max_threads), 0};
  AddBuffers(session);
}

}  // namespace softlbr
