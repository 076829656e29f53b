// The limits of a program: no session that anybody requests exceeds them.
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_POLICY_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_POLICY_H_

#include <cstdint>

#include "runtime/trigger/control_message.h"

namespace softlbr {

// Each limit is set; none is 0.
struct ControlPolicy {
  uint32_t longest_session_ms;
  uint32_t largest_overhead_ppm;
  uint64_t densest_period;
  uint64_t highest_frequency_hz;
};

inline constexpr uint32_t kDefaultLongestSessionMs = 60000;
inline constexpr uint32_t kDefaultLargestOverheadPpm = 20000;
inline constexpr uint64_t kDefaultDensestPeriod = 100000;
inline constexpr uint64_t kDefaultHighestFrequencyHz = 10000;
inline constexpr uint32_t kUsualSessionMs = 10000;
// While a session runs, the kernel's context switches cost a server about as much again (bench/README.md, "Sessions in
// a server under load").
inline constexpr uint32_t kUsualOverheadPpm = 10000;

// Compares a request that ParseRequest accepted with the limits, and replaces its zero fields by defaults within them.
// kNone, or the first limit that it exceeds; *limit is that limit.
Refusal ApplyPolicy(const ControlPolicy& policy, StartRequest* start, uint64_t* limit);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_POLICY_H_
