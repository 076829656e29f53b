// Keeps an eye on the traced threads: frees those that are stuck over a breakpoint, pauses and resumes all of them, and opens anew
// what the app has closed.
//
// Context: the control thread only. A thread that is inside its handler owns its slot; it is passed over until the next round.
#ifndef SOFTLBR_RUNTIME_SESSION_THREAD_WATCH_H_
#define SOFTLBR_RUNTIME_SESSION_THREAD_WATCH_H_

#include "platform/base/reasons.h"

namespace softlbr {

struct Session;

// Ends open traces that are too old, and disarms breakpoints that are hit without our handler running. Every round.
void WatchThreads(Session* session);
// Turns all samplers and breakpoints off; TraceEnvironment::sampling_disabled, which a thread inside its handler reads there, keeps
// them off. Open traces end for this reason; each thread is counted as `loss`.
void PauseThreads(Session* session, AbortReason reason, LossReason loss);
// Turns the samplers on again.
void ResumeThreads(Session* session);
// Gives up the slots whose descriptors the app has closed; the next scan opens new ones.
void ReplaceClosedDescriptors(Session* session);
// Counts threads that use CPU time and give no sample because they block SIGTRAP, once for each time they do. Cost: half a
// microsecond a thread, some 30 for one that runs without samples.
void CountBlockedThreads(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_THREAD_WATCH_H_
