// Fences: events by which the end of a session finds out that a thread is back in its program
// (runtime/watch/late_traps.h).
//
// A fence traps in the thread's program only. The handler turns it off, so that it traps once.
#ifndef SOFTLBR_RUNTIME_SESSION_FENCES_H_
#define SOFTLBR_RUNTIME_SESSION_FENCES_H_

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

enum FenceState : uint32_t { kFenceClosed, kFenceOpen, kFenceBusy, kFencePassed };
// A trap of an earlier turn, whose event was closed, changes nothing.
SOFTLBR_HANDLER_SAFE inline uint32_t StateOfFence(uint32_t turn, FenceState state) { return turn * 4 + state; }

struct Fence {
  int32_t tid;
  uint32_t turn;                // of the event that is open, or was last; 0: none yet
  std::atomic<uint32_t> state;  // StateOfFence
  platform::Sampler sampler;    // the handler's while it is busy
  uint32_t blocked_polls;       // in which the thread blocked SIGTRAP
  bool is_done;
};

struct LateTraps {
  uint32_t count;
  std::atomic<bool> has_gaps;  // a thread was not waited for, or a fence may be on still
  bool is_complete;            // at the end: every thread that had an event sleeps or has passed its fence
  Fence fences[kFences];       // of the threads that had an event
};

// The trap of a fence; by DispatchTrap (trap_dispatch.cc). Handler.
SOFTLBR_HANDLER_SAFE void PassFence(Session* session, const platform::Trap& trap);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_FENCES_H_
