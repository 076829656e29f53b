// The counters of a session as a whole.
//
// Handlers count for their thread, in its slot (runtime/counters/slot_counters.h). What belongs to no slot is counted
// here.
// Who: any thread adds to `lost` and `unmarked_hits`, in handlers too, by fetch_add. Only the control thread writes the
// rest. Anyone reads.
#ifndef SOFTLBR_RUNTIME_SESSION_SESSION_TOTALS_H_
#define SOFTLBR_RUNTIME_SESSION_SESSION_TOTALS_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/reasons.h"
#include "runtime/counters/session_counters.h"

namespace softlbr {

struct Session;

struct SessionTotals {
  uint64_t threads_traced;
  std::atomic<uint64_t> lost[kLossReasonCount];
  std::atomic<uint64_t> unmarked_hits;
  uint64_t start_ns;
  uint64_t start_cpu_ns;   // of the process
  uint64_t start_user_ns;  // of it, in user code
  // of the process, at the control thread's last look: it cannot be read once the host is gone
  std::atomic<uint64_t> seen_cpu_ns;
  std::atomic<uint64_t> seen_user_ns;
  uint64_t control_cpu_ns;  // of the control thread
  uint64_t switching_ns;    // cost of the threads' context switches
  uint64_t timer_cpu_ns;    // of the process, while timers sampled its threads
  uint64_t paused_cpu_ns;   // of the process, while its threads' events were closed
};

// From any context.
SOFTLBR_HANDLER_SAFE void CountLoss(Session* session, LossReason reason);
// The control thread, at each account.
void NoteControlTime(Session* session);
// Totals of all threads so far. Called during a session, not in a handler.
void CollectCounters(const Session& session, SessionCounters* counters);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SESSION_TOTALS_H_
