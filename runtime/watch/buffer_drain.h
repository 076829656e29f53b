// Supplies trace buffers, and aggregates the filled ones into the session's counts.
//
// A buffer is aggregated only after the modules have been read again. An address counts for a module only if the module
// was mapped there the whole time from the buffer's first trace until this reading; the buffer's generation and the new
// table tell that. Supply: buffers join the pool kAddedBuffers at a time, the first ones at start, more when a look
// finds that few are free. So a
//   session touches memory only for as many buffers as its threads fill between two drains.
// Context: control thread; AddBuffers at start also the thread that starts the session.
#ifndef SOFTLBR_RUNTIME_WATCH_BUFFER_DRAIN_H_
#define SOFTLBR_RUNTIME_WATCH_BUFFER_DRAIN_H_

#include <cstdint>

namespace softlbr {

struct Session;

// Aggregates every filled buffer and returns it to the pool. May sleep for kModuleGapNs, until the modules may be read
// again.
void DrainBuffers(Session* session, uint64_t now_ns);
// The same for all buffers, including those with room left, but returns none to the pool. Call it after all slots have
// been closed.
void DrainAllBuffers(Session* session, uint64_t now_ns);
// Adds buffers if few are free. Drains if kEasyBuffers were not enough, and some time after the last drain:
// kDrainIntervalNs, or kAloneRefreshNs in a process of one thread.
void DrainBuffersIfDue(Session* session, uint64_t now_ns);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_BUFFER_DRAIN_H_
