// At a session's end: waits until no thread has a trap of ours before it.
//
// Why: a thread gets the signal of an overflow on its way back to its program, even if the event was closed meanwhile. One that is
//   preempted on that way gets it when it runs again. If the handler is gone by then, the default action kills the process.
// How: a thread that sleeps is on no such way. A runnable one gets a fence: an event that traps in its program only, and that the handler
//   turns off. Nothing can be before it then. CPU time tells less: the way takes up to 0.2 ms, and on a virtual machine as long as the
//   machine's host takes the CPU away.
// Not waited for: a thread that blocks SIGTRAP; one without a perf event; those beyond kFences; any after kFenceWaitNs, as a thread that
//   stays inside the kernel. For these RestoreTrapHandler waits by CPU time.
// Context: control thread, after all slots were closed; PassFence: handlers.
#ifndef SOFTLBR_RUNTIME_SESSION_LATE_TRAPS_H_
#define SOFTLBR_RUNTIME_SESSION_LATE_TRAPS_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/sampler.h"
#include "platform/trap_signal.h"
#include "runtime/session/calibration.h"

namespace softlbr {

struct Session;

// Slot number in the sig_data of fences. The generation is turn * kFences + index.
inline constexpr uint32_t kFenceSlot = kCalibrationSlot - 2;
inline constexpr uint32_t kFences = 64;

struct Fence {
  int32_t tid;
  uint32_t turn;                // of the event that is open, or was last; 0: none yet
  std::atomic<uint32_t> state;  // turn * 4 + FenceState
  platform::Sampler sampler;    // the handler's while it is busy
  uint32_t blocked_polls;       // in which the thread blocked SIGTRAP
  bool is_done;
};

enum FenceState : uint32_t { kFenceClosed, kFenceOpen, kFenceBusy, kFencePassed };

struct LateTraps {
  uint32_t count;
  std::atomic<bool> has_gaps;  // a thread was not waited for, or a fence may be on still
  bool is_complete;            // at the end: every thread that had an event sleeps or has passed its fence
  Fence fences[kFences];       // of the threads that had an event
};

// Before the slots are closed.
void NoteTrapThreads(Session* session);
// After that.
void AwaitLateTraps(Session* session);
// Of a helper that shared the app's descriptors and was killed meanwhile. By the thread that stops the session.
void CloseFences(Session* session);
SOFTLBR_HANDLER_SAFE void PassFence(Session* session, const platform::Trap& trap);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_LATE_TRAPS_H_
