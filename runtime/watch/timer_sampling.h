// Sampling by CPU timers of the threads, in place of events, while context switches make events too dear.
//
// Why: each open event takes time at each switch of its thread. A loop of frames with a pool of threads switches so
//   often that this alone exceeds its budget. The kernel looks at a timer in the scheduler's tick only, so switches
//   cost nothing; a thread gets at most one sample in a tick. There is no breakpoint then: look-ahead alone
//   (docs/decisions/0021-timers-where-switches-are-dear.md).
// Who: only a thread of the host can create, set or delete the host's timers. The control thread therefore states a
//   wish in each slot, and the handler of the next sample, of whichever thread, fulfils some (session/timer_wishes.h).
//   While there is no timer, one thread, the messenger, keeps an event for this sample. Where the control thread runs
//   in the host, it fulfils the wishes itself.
// A timer fires once; the handler sets it again. So if the app replaces our handler, no thread gets more than one
// signal.
// Not used: on kernels whose timers may end a blocking call (platform/sampler.h), if the event counts something else
//   than time, and where a session was started with SOFTLBR_EVENT_THREAD_TIMER, which has one timer for each thread
//   anyway.
#ifndef SOFTLBR_RUNTIME_WATCH_TIMER_SAMPLING_H_
#define SOFTLBR_RUNTIME_WATCH_TIMER_SAMPLING_H_

#include <cstdint>

#include "runtime/threads/thread_slot.h"

namespace softlbr {

struct Session;

// The thread that starts a session of so many threads: they get timers first, if that is possible, and events once
// their switches are found to be few. So the start waits for no event, and switches cost nothing before they are
// counted.
inline constexpr uint64_t kTimersFromThreads = 4;
void BeginWithTimers(Session* session, uint64_t threads);

// Control thread, before the first scan of a session that has no breakpoints to lose: the threads get timers first,
// too, where a context switch of a thread with an event is dear.
void BeginWithTimersIfDear(Session* session);

// Control thread:
bool MayUseTimers(const Session& session);
// Closes the threads' events, and gives the threads timers. Nothing if there are timers already.
void BeginTimers(Session* session);
// Gives up the threads' timers. The next scan opens events.
void EndTimers(Session* session);
// At each look.
void TendTimers(Session* session);
// For a new thread: its slot gets a timer instead of an event.
void WishForTimer(Session* session, ThreadSlot* slot, int32_t tid);
// For a slot that is closed.
void DropTimer(Session* session, ThreadSlot* slot);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_TIMER_SAMPLING_H_
