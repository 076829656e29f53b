// The settings and counters of a session. Filled by the session, written by the profile writer, read by the tools.
//
// Fields: session_info.def and counters.def. Memory: plain values.
// Counters are totals of all threads since the start of the session, so the counters of a later frame replace those of
// an earlier frame of the same session.
#ifndef SOFTLBR_RUNTIME_COUNTERS_SESSION_COUNTERS_H_
#define SOFTLBR_RUNTIME_COUNTERS_SESSION_COUNTERS_H_

#include <cstdint>

#include "platform/base/reasons.h"

namespace softlbr {

enum class ResolvePolicy : uint8_t {
  kStatic = 0,     // the paper's: a breakpoint at each branch that decoding alone cannot resolve
  kLookahead = 1,  // evaluate on the shadow context; a breakpoint only at UNKNOWN values
};

// Fixed for a session.
struct SessionInfo {
#define SOFTLBR_INFO(type, field, key, meaning) type field;
#include "runtime/counters/session_info.def"
  uint64_t session_id;  // random; the same in every frame of a session, in its header
};

// The counters of a profile that handlers count: of one thread, or the sum of several.
struct HandlerCounters {
#define SOFTLBR_HANDLER_COUNTER(field, name, key, unit, meaning) uint64_t field;
#define SOFTLBR_HANDLER_ARRAY(field, name, key, reason, unit, meaning) uint64_t field[k##reason##ReasonCount];
#include "runtime/counters/counters.def"
};

// All counters of a profile.
struct SessionCounters : HandlerCounters {
#define SOFTLBR_SESSION_COUNTER(field, name, key, unit, meaning) uint64_t field;
#include "runtime/counters/counters.def"
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_COUNTERS_SESSION_COUNTERS_H_
