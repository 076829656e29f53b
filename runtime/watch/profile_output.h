// Writes the session's counts to the profile.
//
// Trace buffers are aggregated into counts (buffer_drain.h). Flush writes the counts as frames, with the module table
// under which they were aggregated.
// Context: the thread that starts the session, then the control thread.
#ifndef SOFTLBR_RUNTIME_WATCH_PROFILE_OUTPUT_H_
#define SOFTLBR_RUNTIME_WATCH_PROFILE_OUTPUT_H_

#include <cstdint>

#include "platform/base/status.h"

namespace softlbr {

struct Session;

// Weights, with SOFTLBR_DENSE_START: the counts of the dense part count once. Those of each later frame count so often
//   that all samples together are in proportion to the time in user code; rounded down, and what that leaves is made up
//   for in the next frame.
// Starts the writer, or restarts it before its first frame, with the current session->info.
Status InitWriter(Session* session);
// Writes the profile's first frame.
void BeginProfile(Session* session);
// Writes the counts since the last flush and the totals so far, under the current module table. Without new counts
// writes nothing.
void Flush(Session* session, uint64_t now_ns);
// Flushes if the flush interval has passed. Counts that have been written survive a crash.
void FlushIfDue(Session* session, uint64_t now_ns);
// Writes the frame that completes the profile. Called once, after every flush.
void EndProfile(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_PROFILE_OUTPUT_H_
