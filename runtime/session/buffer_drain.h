// Aggregates filled trace buffers into the session's counts.
//
// A buffer is aggregated only after the modules have been read again. An address counts for a module only if the module was mapped
// there the whole time from the buffer's first trace until this reading; the buffer's generation and the new table tell that.
// Context: control thread.
#ifndef SOFTLBR_RUNTIME_SESSION_BUFFER_DRAIN_H_
#define SOFTLBR_RUNTIME_SESSION_BUFFER_DRAIN_H_

#include <cstdint>

namespace softlbr {

struct Session;

// Aggregates every filled buffer and returns it to the pool. May sleep for kModuleGapNs, until the modules may be read again.
void DrainBuffers(Session* session, uint64_t now_ns);
// Drains if few buffers are free, or if kDrainIntervalNs has passed since the last drain.
void DrainBuffersIfDue(Session* session, uint64_t now_ns);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_BUFFER_DRAIN_H_
