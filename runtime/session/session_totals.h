// What a session has counted so far.
//
// Handlers count for their thread, in its slot (runtime/counters/slot_counters.h). What no slot counts is counted here.
// Who: `lost` by any thread, in handlers too, so by fetch_add; `threads_traced` by the control thread alone. Anyone reads.
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
  uint64_t start_ns;
  uint64_t start_cpu_ns;  // of the process
};

// Any context.
SOFTLBR_HANDLER_SAFE void CountLoss(Session* session, LossReason reason);
// Totals of all threads so far. During a session; not in a handler.
void CollectCounters(const Session& session, SessionCounters* counters);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SESSION_TOTALS_H_
