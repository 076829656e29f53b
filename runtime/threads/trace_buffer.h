// Fixed-size buffer of committed traces, filled by one thread's signal handler and drained by the control thread.
//
// Writer:  the owning thread, inside its SIGTRAP handler. The buffer belongs to it alone until it is queued.
// Reader:  the control thread, after it has taken the buffer off the filled queue.
// Memory:  kTraceBufferBytes each, from the session's region; never grows.
// Full:    a trace begins only if the buffer has room for the longest one, so no record of an open trace is ever
//          dropped.
// Bytes:   in memory only; not a file format.
#ifndef SOFTLBR_RUNTIME_THREADS_TRACE_BUFFER_H_
#define SOFTLBR_RUNTIME_THREADS_TRACE_BUFFER_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "platform/base/reasons.h"

namespace softlbr {

// One taken branch: run-time addresses of the branch instruction's first byte and of its target.
struct BranchRecord {
  uint64_t from;
  uint64_t to;
};

// Precedes the records of a trace. Has the size of a record, so that both share one array.
struct TraceHeader {
  uint64_t sampled_pc;
  uint16_t branch_count;
  AbortReason reason;    // kNone: complete
  uint8_t is_continued;  // the trace begins where the thread leaves a critical section, not at a sample
  uint32_t thread;       // low bits of the tid, for --traces
};
static_assert(sizeof(BranchRecord) == 16 && sizeof(TraceHeader) == 16, "they share TraceBuffer::entries");

inline constexpr uint32_t kTraceBufferHeaderBytes = 32;
inline constexpr uint32_t kTraceBufferEntries = (kTraceBufferBytes - kTraceBufferHeaderBytes) / sizeof(BranchRecord);
static_assert(kTraceBufferEntries >= kMaxBranchesPerTrace + 1, "the longest trace and its header must fit one buffer");

// Invariants:
//   I1  entries [0, used) are whole traces: a TraceHeader, then branch_count records, repeated.
//   I2  an open trace is at [used, used + 1 + open_count), and not counted in `used` until CommitTrace.
struct TraceBuffer {
  void* queue_link[2];  // room for a liburcu node; owned by buffer_pool.cc
  uint32_t used;
  uint32_t open_count;
  uint32_t generation;  // of the module table that was current when the first trace of this buffer began
  uint32_t reserved;
  union Entry {
    TraceHeader header;
    BranchRecord branch;
  } entries[kTraceBufferEntries];

  SOFTLBR_HANDLER_SAFE bool HasRoomFor(uint32_t branches) const { return used + 1 + branches <= kTraceBufferEntries; }

  // Opens a trace. The caller has checked HasRoomFor(branches per trace).
  SOFTLBR_HANDLER_SAFE void BeginTrace(uint64_t sampled_pc, uint32_t thread) {
    entries[used].header = TraceHeader{sampled_pc, 0, AbortReason::kNone, 0, thread};
    open_count = 0;
  }
  SOFTLBR_HANDLER_SAFE void Append(uint64_t from, uint64_t to) {
    entries[used + 1 + open_count].branch = BranchRecord{from, to};
    ++open_count;
  }
  // Drops the branches of the open trace from the one of that number on.
  SOFTLBR_HANDLER_SAFE void Truncate(uint32_t branches) {
    if (open_count > branches) open_count = branches;
  }
  SOFTLBR_HANDLER_SAFE void MarkContinued() { entries[used].header.is_continued = 1; }
  // Makes the open trace part of the buffer.
  SOFTLBR_HANDLER_SAFE void CommitTrace(AbortReason reason) {
    entries[used].header.branch_count = static_cast<uint16_t>(open_count);
    entries[used].header.reason = reason;
    used += 1 + open_count;
    open_count = 0;
  }
};
static_assert(sizeof(TraceBuffer) <= kTraceBufferBytes, "kTraceBufferBytes is what the session reserves for each");

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_THREADS_TRACE_BUFFER_H_
