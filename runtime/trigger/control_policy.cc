#include "runtime/trigger/control_policy.h"

namespace softlbr {
namespace {

uint32_t Smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

}  // namespace

Refusal ApplyPolicy(const ControlPolicy& policy, StartRequest* start, uint64_t* limit) {
  *limit = policy.longest_session_ms;
  if (start->duration_ms > policy.longest_session_ms) return Refusal::kTooLong;
  *limit = policy.densest_period;
  if (start->period != 0 && start->period < policy.densest_period) return Refusal::kTooDense;
  *limit = policy.highest_frequency_hz;
  if (start->frequency_hz > policy.highest_frequency_hz) return Refusal::kTooFrequent;
  *limit = policy.largest_overhead_ppm;
  if (start->max_overhead_ppm > policy.largest_overhead_ppm) return Refusal::kTooCostly;
  *limit = 0;
  if (start->duration_ms == 0) start->duration_ms = Smaller(kUsualSessionMs, policy.longest_session_ms);
  // Always set, because with a period or a frequency softlbr_start would use no limit, or a high one.
  if (start->max_overhead_ppm == 0) start->max_overhead_ppm = Smaller(kUsualOverheadPpm, policy.largest_overhead_ppm);
  return Refusal::kNone;
}

}  // namespace softlbr
