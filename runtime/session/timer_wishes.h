// CPU timers that sample threads in place of events: what the host's threads do. For why, and for what the control
// thread does, see runtime/watch/timer_sampling.h.
#ifndef SOFTLBR_RUNTIME_SESSION_TIMER_WISHES_H_
#define SOFTLBR_RUNTIME_SESSION_TIMER_WISHES_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

struct Session;

struct TimerSampling {
  std::atomic<uint32_t> lock;       // 1: a thread fulfils wishes
  std::atomic<uint32_t> unchecked;  // slots, from the first, whose wish may not be fulfilled yet
  bool is_active;                   // control: threads get timers
  uint32_t unserved_looks;          // control: since all wishes were fulfilled
  // Control, since timers were last chosen or kept:
  uint64_t cpu_ns;        // of the app
  uint64_t switching_ns;  // what its switches would have cost with events
  // CPU time after which events are considered again; twice that each time that timers are chosen
  uint64_t least_cpu_ns;
};

// Thread of the host, in a handler or not: fulfils some wishes.
SOFTLBR_HANDLER_SAFE void ServeTimerWishes(Session* session);
// Handler of the slot's thread. Before a sample by its timer is traced: the slot samples by this timer, which has run
// out.
SOFTLBR_HANDLER_SAFE void AdoptTimer(ThreadSlot* slot);
// Handler of the slot's thread, at the end of a sample by its timer: sets the timer again if the trace did not.
SOFTLBR_HANDLER_SAFE void KeepTimerGoing(Session* session, ThreadSlot* slot);

// The generation in a timer's sig_data.
inline constexpr uint32_t kTimerGeneration = 0xffffffff;

// The thread that stops the session, once no handler uses the session any more.
void DeleteTimers(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_TIMER_WISHES_H_
