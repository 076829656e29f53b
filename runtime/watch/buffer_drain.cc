#include "runtime/watch/buffer_drain.h"

#include "runtime/session/session.h"
#include "runtime/session/session_memory.h"
#include "runtime/watch/module_refresh.h"
#include "runtime/watch/profile_output.h"

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

// Takes branches to, from and within our own code out of the traces, which thereby fall into parts: functions of the
// preload library that the program calls in place of libc's, and its code before main and at the end. In the place of a
// branch there is a header without branches, or the one of the next part. They are counted, because the traces had
// them.
void RemoveOwnCode(Session* session, TraceBuffer* buffer) {
  const TraceEnvironment& environment = session->environment;
  for (uint32_t i = 0; i < buffer->used;) {
    TraceHeader* header = &buffer->entries[i].header;
    const uint32_t last = i + header->branch_count;
    if (IsOwnCode(environment, header->sampled_pc)) header->is_continued = 1;  // and no sample
    uint32_t kept = 0;
    for (uint32_t at = i + 1; at <= last; ++at) {
      const BranchRecord branch = buffer->entries[at].branch;
      if (!IsOwnCode(environment, branch.from) && !IsOwnCode(environment, branch.to)) {
        ++kept;
        continue;
      }
      CountLoss(session, LossReason::kOwnCode);
      TraceHeader next = *header;
      header->branch_count = static_cast<uint16_t>(kept);
      next.is_continued = 1;
      next.sampled_pc = branch.to;  // where the next part begins
      next.branch_count = static_cast<uint16_t>(last - at);
      header = &buffer->entries[at].header;
      *header = next;
      kept = 0;
    }
    i = last + 1;
  }
}

// Buffers that are neither in the queue nor in the pool, in order, linked by queue_link[0].
struct Chain {
  TraceBuffer* first = nullptr;
  TraceBuffer* last = nullptr;

  void Append(TraceBuffer* buffer) {
    buffer->queue_link[0] = nullptr;
    if (first == nullptr) {
      first = buffer;
    } else {
      last->queue_link[0] = buffer;
    }
    last = buffer;
  }
};

Chain TakeFilledBuffers(BufferPool* pool) {
  Chain chain;
  // ends: none goes back to the pool meanwhile
  while (TraceBuffer* buffer = TakeFilledBuffer(pool)) chain.Append(buffer);
  return chain;
}

// Aggregates a chain of buffers, after the modules have been read again.
void Aggregate(Session* session, const Chain& chain, uint64_t now_ns, bool is_put_back) {
  if (chain.first == nullptr) return;
  now_ns = ReadModules(session, now_ns);
  for (TraceBuffer* buffer = chain.first; buffer != nullptr;) {
    auto* next = static_cast<TraceBuffer*>(buffer->queue_link[0]);
    BlankNewerCode(CurrentModules(session->modules), buffer);
    RemoveOwnCode(session, buffer);
    session->output.aggregator.AddBuffer(*buffer);
    if (is_put_back) PutFreeBuffer(&session->environment.pool, buffer);
    if (session->output.aggregator.IsAboveThreshold()) Flush(session, now_ns);
    buffer = next;
  }
}

}  // namespace

void DrainBuffers(Session* session, uint64_t now_ns) {
  session->output.last_drain_ns = now_ns;
  Aggregate(session, TakeFilledBuffers(&session->environment.pool), now_ns, true);
}

void DrainAllBuffers(Session* session, uint64_t now_ns) {
  BufferPool* pool = &session->environment.pool;
  Chain chain = TakeFilledBuffers(pool);
  while (TraceBuffer* buffer = TakeFreeBuffer(pool)) {
    if (buffer->used != 0) chain.Append(buffer);
  }
  Aggregate(session, chain, now_ns, false);
}

void DrainBuffersIfDue(Session* session, uint64_t now_ns) {
  const uint64_t interval_ns = session->threads.has_threads ? kDrainIntervalNs : kAloneRefreshNs;
  bool is_due = now_ns - session->output.last_drain_ns >= interval_ns;
  if (AreFreeBuffersFew(session->environment.pool)) {
    is_due |= session->buffers.added >= kEasyBuffers;
    AddBuffers(session);
  }
  if (is_due) DrainBuffers(session, now_ns);
}

}  // namespace softlbr
