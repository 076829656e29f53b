// What a session says of itself: settings, costs, losses. Filled by the session, written by the profile writer, read by the tools.
//
// Fields: session_info.def and counters.def. Memory: plain values.
// Counters are totals of all threads since the start of the session, not differences: a later frame of the same session replaces
// the counters of an earlier one.
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
#define SOFTLBR_INFO(type, field, key, meaning) type field;
#include "runtime/counters/session_info.def"
  uint64_t session_id;  // random; the same in every frame of a session, in its header
};

// What handlers count and profiles hold: of one thread, or the sum of several.
struct HandlerCounters {
#define SOFTLBR_HANDLER_COUNTER(field, name, key, unit, meaning) uint64_t field;
#define SOFTLBR_HANDLER_ARRAY(field, name, key, reason, unit, meaning) uint64_t field[k##reason##ReasonCount];
#include "runtime/counters/counters.def"
};

// Everything that a profile counts beside its rows.
struct SessionCounters : HandlerCounters {
#define SOFTLBR_SESSION_COUNTER(field, name, key, unit, meaning) uint64_t field;
#include "runtime/counters/counters.def"
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_COUNTERS_SESSION_COUNTERS_H_
