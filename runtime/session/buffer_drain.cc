#include "runtime/session/buffer_drain.h"

#include "runtime/session/session.h"

namespace softlbr {
namespace {

// Zeroes the addresses in modules that were mapped after the buffer's first trace began.
void BlankNewerCode(const ModuleTable& modules, TraceBuffer* buffer) {
  if (buffer->generation == modules.generation) return;
  const uint32_t known = buffer->generation == kFirstReadingAgain ? kFirstReading : buffer->generation;
  auto blank = [&](uint64_t* address) {
    const Module* module = FindModule(modules, *address);
    if (module != nullptr && modules.since[module - modules.modules] > known) *address = 0;
  };
  for (uint32_t i = 0; i < buffer->used;) {
    TraceHeader& header = buffer->entries[i].header;
    blank(&header.sampled_pc);
    for (uint32_t last = i + header.branch_count; i < last;) {
      BranchRecord& branch = buffer->entries[++i].branch;
      blank(&branch.from);
      blank(&branch.to);
    }
    ++i;
  }
}

// The filled buffers, linked by queue_link[0], which the pool does not use until a buffer is put back. nullptr: there are none.
TraceBuffer* TakeFilledBuffers(BufferPool* pool) {
  TraceBuffer* first = TakeFilledBuffer(pool);
  if (first == nullptr) return nullptr;
  TraceBuffer* last = first;
  while (TraceBuffer* buffer = TakeFilledBuffer(pool)) {  // ends, because none goes back to the free pool meanwhile
    last->queue_link[0] = buffer;
    last = buffer;
  }
  last->queue_link[0] = nullptr;
  return first;
}

}  // namespace

void DrainBuffers(Session* session, uint64_t now_ns) {
  session->output.last_drain_ns = now_ns;
  TraceBuffer* buffer = TakeFilledBuffers(&session->environment.pool);
  if (buffer == nullptr) return;
  while (!RefreshModules(session, now_ns)) {
    platform::SleepNs(kModuleGapNs);
    now_ns = platform::MonotonicNs();
  }
  while (buffer != nullptr) {
    auto* next = static_cast<TraceBuffer*>(buffer->queue_link[0]);
    BlankNewerCode(CurrentModules(session->modules), buffer);
    session->output.aggregator.AddBuffer(*buffer);
    PutFreeBuffer(&session->environment.pool, buffer);
    if (session->output.aggregator.IsAboveThreshold()) Flush(session, now_ns);
    buffer = next;
  }
}

void DrainBuffersIfDue(Session* session, uint64_t now_ns) {
  if (AreFreeBuffersFew(session->environment.pool) || now_ns - session->output.last_drain_ns >= kDrainIntervalNs) {
    DrainBuffers(session, now_ns);
  }
}

}  // namespace softlbr
