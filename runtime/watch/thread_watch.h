// Watches the traced threads: frees those that are stuck at a breakpoint, pauses and resumes sampling of all, and gives
// up slots whose descriptors the app has closed.
//
// Context: the control thread only. A thread that is inside its handler owns its slot; it is skipped until the next
// look.
#ifndef SOFTLBR_RUNTIME_WATCH_THREAD_WATCH_H_
#define SOFTLBR_RUNTIME_WATCH_THREAD_WATCH_H_

#include "platform/base/reasons.h"

namespace softlbr {

struct Session;

// Called at each look. Serves the slots' requests, ends open traces that are too old, and disarms breakpoints that are
// hit without our handler running, because the thread blocks SIGTRAP. True if a breakpoint was armed, or a request
// could not be served, so that the next look must not be late.
bool WatchThreads(Session* session);
// Turns all samplers and breakpoints off. The caller has set TraceEnvironment::sampling_disabled, which keeps them off;
// a thread that is inside its handler reads it before it enables anything. Open traces end with `reason`; each thread
// is counted as `loss`.
void PauseThreads(Session* session, AbortReason reason, LossReason loss);
// Turns the samplers on again.
void ResumeThreads(Session* session);
// Closes the slots whose descriptors the app has closed; the next scan opens new slots for their threads.
void ReplaceClosedDescriptors(Session* session);
// Counts each thread that uses CPU time and is not sampled because it blocks SIGTRAP, and turns its sampler off until
// it does not any more. It is counted again only if it has been sampled in between. Cost: 0.5 us a thread, about 30 us
// for one that runs without samples.
void StopBlockedThreads(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_THREAD_WATCH_H_
