// Which threads are traced: finding them, opening and closing their events, freeing those that stalled.
//
// Context: the control thread only. Memory: the session's slots.
// Coverage: every thread alive at start, and one born later within two control periods. A thread beyond the slots, or whose
//   events cannot be opened, is counted untraced.
#ifndef SOFTLBR_RUNTIME_SESSION_THREAD_REGISTRY_H_
#define SOFTLBR_RUNTIME_SESSION_THREAD_REGISTRY_H_

#include "runtime/session/session.h"

namespace softlbr {

// Looks for threads that were born or ended. Cheap when the kernel says that none was born (one small read).
void ScanThreads(Session* session, uint64_t now_ns, bool is_forced);
// Gives back threads whose open trace is too old, and disarms breakpoints that are hit without our handler running.
void WatchThreads(Session* session);
// Turns samplers and breakpoints off (TraceEnvironment::sampling_disabled keeps them so), or the samplers on again. A thread that
// is in its handler sees the bar there.
void PauseThreads(Session* session, AbortReason reason, LossReason loss);
void ResumeThreads(Session* session);
// Gives up slots whose descriptors the app closed; the next scan opens them anew.
void ReplaceClosedDescriptors(Session* session);
// Counts threads that use CPU time and give no sample because they block SIGTRAP; once for each time they do. Cost: half a
// microsecond a thread, some 30 for one that runs without samples.
void CountBlockedThreads(Session* session);
// Closes every slot; partial buffers go to the filled queue. False if a thread stayed inside the handler for kStopWaitNs.
bool CloseAllSlots(Session* session, AbortReason reason);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_THREAD_REGISTRY_H_
