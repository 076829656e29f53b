// At a session's end: waits until no thread has a trap of ours before it.
//
// Why: a thread gets the signal of an overflow on its way back to its program, even if the event was closed meanwhile.
//   One that is preempted on that way gets it when it runs again. If the handler is gone by then, the default action
//   kills the process.
// How: a thread that sleeps is on no such way. A runnable one gets a fence: an event that traps in its program only,
//   and that the handler turns off. Nothing can be before it then. CPU time tells less: the way takes up to 0.2 ms, and
//   on a virtual machine as long as the machine's host takes the CPU away.
// Not waited for: a thread that blocks SIGTRAP; one without a perf event; those beyond kFences; any after kFenceWaitNs,
//   as a thread that stays inside the kernel. For these RestoreTrapHandler waits by CPU time.
// Context: control thread. The handler's part is runtime/session/fences.h.
#ifndef SOFTLBR_RUNTIME_WATCH_LATE_TRAPS_H_
#define SOFTLBR_RUNTIME_WATCH_LATE_TRAPS_H_

namespace softlbr {

struct Session;

// Before the slots are closed.
void NoteTrapThreads(Session* session);
// After that.
void AwaitLateTraps(Session* session);
// Closes what a helper that shared the app's descriptors and was killed left open. The thread that stops the session.
void CloseFences(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_LATE_TRAPS_H_
