// Which threads are traced: finds them, opens and closes their slots.
//
// Context: the control thread only, unless marked. Memory: the session's slots and trace buffers.
// Coverage: every thread alive at start, and one born later within two control periods. A thread beyond the slots, or one whose
//   events cannot be opened, is counted as untraced.
#ifndef SOFTLBR_RUNTIME_SESSION_THREAD_REGISTRY_H_
#define SOFTLBR_RUNTIME_SESSION_THREAD_REGISTRY_H_

#include <atomic>
#include <cstdint>

#include "platform/base/limits.h"
#include "platform/base/reasons.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

struct Session;

struct ThreadRegistry {
  ThreadSlot* slots;
  // Trace buffers: two for each slot, which join the pool when the slot is first used, so that a session of few threads touches
  // little memory; then the spare ones, which are in the pool from the start.
  uint8_t* buffers;
  std::atomic<uint32_t> slot_count;  // slots that have ever been used; handlers compare their slot number with it
  uint32_t scan_number;
  bool has_threads;  // the last scan saw more than the main thread and ours
  uint64_t last_scan_ns;
  uint64_t last_pid_seen;  // newest process id of the system at the last scan; 0: the next scan is a full one
  uint32_t untraced_count;
  int32_t untraced[kMaxUntracedThreads];
  int32_t slot_tids[kMaxThreads];  // thread of each slot, 0 if free: a scan searches this array and not the slots
};

// Puts trace buffer number `index` into the pool.
void AddBuffer(Session* session, uint64_t index);

// Looks for threads that were born or ended. Costs one small read if no process or thread of the system was born since the last
// scan, unless that was kDeadThreadScanNs ago.
void ScanThreads(Session* session, uint64_t now_ns);
// The next live slot from number *index on; *index becomes the number behind it. nullptr at the end.
ThreadSlot* NextLiveSlot(ThreadRegistry* threads, uint32_t* index);
// Gives up a slot that the control thread owns: closes its events, ends its trace, queues its buffer. Afterwards it is free, and
// still owned.
void CloseSlot(Session* session, ThreadSlot* slot, AbortReason reason);
// The session stops: closes every slot. One whose thread stays inside the handler for kStopWaitNs stays open.
void CloseAllSlots(Session* session);

inline bool TakeSlot(ThreadSlot* slot) { return TakeOwnership(&slot->owner, SlotOwner::kControl); }
inline void GiveSlotBack(ThreadSlot* slot) { slot->owner.store(SlotOwner::kIdle, std::memory_order_seq_cst); }

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_THREAD_REGISTRY_H_
