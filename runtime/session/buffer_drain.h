// Folds filled trace buffers into the session's counts.
//
// A buffer is folded only after the modules have been read once more. The generation it began under and the table of now then say
// together which modules stood where all the while; an address counts for a module only if that module did.
// Context: control thread.
#ifndef SOFTLBR_RUNTIME_SESSION_BUFFER_DRAIN_H_
#define SOFTLBR_RUNTIME_SESSION_BUFFER_DRAIN_H_

#include <cstdint>

namespace softlbr {

struct Session;

// Folds every filled buffer and returns it to the pool. May sleep for kModuleGapNs, until the modules may be read again.
void DrainBuffers(Session* session, uint64_t now_ns);
// Drains if free buffers are few, or if filled ones have waited for kFoldIntervalNs.
void DrainBuffersIfDue(Session* session, uint64_t now_ns);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_BUFFER_DRAIN_H_
