// Finds the threads to trace; opens and closes their slots.
//
// Context: the control thread only. Memory: the session's slots.
// Coverage: every thread alive at start; a new thread from the next look on (control_loop.h), the second thread of a
//   recorded program at once (interpose/thread_functions.cc). A thread is counted as untraced if no slot is left for it
//   or its sampler cannot be opened.
#ifndef SOFTLBR_RUNTIME_WATCH_THREAD_REGISTRY_H_
#define SOFTLBR_RUNTIME_WATCH_THREAD_REGISTRY_H_

#include <cstdint>

#include "platform/base/reasons.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

struct Session;
struct ThreadRegistry;

// Looks for threads that were born or ended. Reads only their number if it is as at the last call, the last scan was
// less than kDeadThreadScanNs ago, and no thread was born for kNewThreadsNs.
void ScanThreads(Session* session, uint64_t now_ns);
// Counts a thread that gets no sampler, once.
void CountUntraced(ThreadRegistry* threads, int32_t tid);
// The first live slot at or after *index; *index becomes the index after it. nullptr at the end.
ThreadSlot* NextLiveSlot(ThreadRegistry* threads, uint32_t* index);
// Closes a slot that the control thread owns: ends its trace, closes its events, queues its buffer. Afterwards the slot
// is free, and the control thread still owns it.
void CloseSlot(Session* session, ThreadSlot* slot, AbortReason reason);
// Adds the cost of a thread's context switches since the last call to totals.switching_ns or, if it has no event, what
// they would have cost with one to timers.switching_ns. Result: the CPU time that it has used since. 3 to 12 us.
uint64_t CountSwitchesOf(Session* session, ThreadSlot* slot);
// The same for several threads. Each call reads the switch counts of the next
// kCountedSlots threads.
void CountSwitches(Session* session);
// Closes the slots of all threads, because each event of a thread takes time at its context switches, even a disabled
// one. Until are_events_closed is false again, ScanThreads opens no slot; then it opens those of all threads. A thread
// that is inside the handler keeps its slot until the next scan; so does one whose breakpoint could not be opened
// again.
void CloseEvents(Session* session);
// At stop: closes every slot. A slot whose thread stays inside the handler for kStopWaitNs is left open, and counted as
// a late sample. True if there was none to close.
bool CloseAllSlots(Session* session);

inline bool TakeSlot(ThreadSlot* slot) { return TakeOwnership(&slot->owner, SlotOwner::kControl); }
inline void GiveSlotBack(ThreadSlot* slot) { slot->owner.store(SlotOwner::kIdle, std::memory_order_seq_cst); }

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_THREAD_REGISTRY_H_
