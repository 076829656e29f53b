// What a session says of itself: settings, costs, losses. Filled by the session, written by the profile writer.
//
// Memory: plain values. Counters are sums over all threads, taken when the frame is written; a later frame of the same
// session replaces an earlier one (they are totals, not deltas).
#ifndef SOFTLBR_RUNTIME_COUNTERS_SESSION_COUNTERS_H_
#define SOFTLBR_RUNTIME_COUNTERS_SESSION_COUNTERS_H_

#include <cstdint>

#include "platform/base/reasons.h"

namespace softlbr {

enum class ResolvePolicy : uint8_t {
  kStatic = 0,     // the paper's: only what decoding alone can tell, else a breakpoint
  kLookahead = 1,  // evaluate on a shadow of the program's state, breakpoint where UNKNOWN
};

// Fixed for a session.
struct SessionInfo {
  uint16_t arch;  // ELF e_machine
  uint8_t event;  // platform::SampleEvent chosen
  ResolvePolicy resolve;
  uint64_t period;        // in the event's unit (clocks: ns), 0 if frequency
  uint64_t frequency_hz;  // 0 if period
  uint32_t branches_per_trace;
  uint32_t has_breakpoints;  // 0: look-ahead alone
  uint64_t start_time_unix_s;
  uint64_t session_id;  // random; the same in every frame of a session
};

// Totals so far.
struct SessionCounters {
  uint64_t duration_ns;
  uint64_t threads_traced;
  uint64_t threads_untraced;
  uint64_t samples;
  uint64_t traces_complete;
  uint64_t traces_aborted[kAbortReasonCount];  // index AbortReason; [0] unused
  uint64_t taken_branches;                     // recorded, committed
  uint64_t breakpoint_hits;
  uint64_t traces_without_hit;
  uint64_t instructions_evaluated;
  uint64_t instructions_lifted;
  uint64_t block_lookups;
  uint64_t block_hits;
  uint64_t overhead_sampling_ns;
  uint64_t overhead_evaluating_ns;
  uint64_t overhead_lifting_ns;
  uint64_t overhead_breakpoints_ns;
  uint64_t overhead_total_ns;
  uint64_t app_cpu_ns;
  uint64_t verify_traces;      // traces whose predicted end was checked against the true state
  uint64_t verify_mismatches;  // of those, predicted otherwise
  uint64_t verify_hits;        // breakpoint hits of those checks; not among breakpoint_hits
  uint64_t verify_unreached;   // traces whose check did not come about (signal handlers, ends not reached in time)
  uint64_t lost[kLossReasonCount];
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_COUNTERS_SESSION_COUNTERS_H_
