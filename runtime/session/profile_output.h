// Counts on their way into the profile.
//
// Trace buffers are folded into counts (buffer_drain.h); counts are flushed as frames, with the module table they were taken under.
// Context: the thread that starts the session, then the control thread.
#ifndef SOFTLBR_RUNTIME_SESSION_PROFILE_OUTPUT_H_
#define SOFTLBR_RUNTIME_SESSION_PROFILE_OUTPUT_H_

#include <cstdint>

#include "platform/base/status.h"
#include "runtime/profile/aggregator.h"
#include "runtime/profile/profile_writer.h"

namespace softlbr {

struct Session;

struct ProfileOutput {
  Aggregator aggregator;
  ProfileWriter writer;
  uint64_t last_fold_ns;
  uint64_t last_flush_ns;
  uint64_t flush_interval_ns;
};

// (Re)starts the writer with session->info as it is now. Before its first frame.
Status InitWriter(Session* session);
// The profile's first frame.
void BeginProfile(Session* session);
// Writes what has been folded and the totals so far, under the current module table. Nothing if nothing has been folded.
void Flush(Session* session, uint64_t now_ns);
// Flushes if it is time for it: what has been written survives a crash.
void FlushIfDue(Session* session, uint64_t now_ns);
// The frame that makes the profile complete. Once, last.
void EndProfile(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_PROFILE_OUTPUT_H_
