// The settings of a session: the app's options, checked, with defaults filled in.
//
// Context: control, before a session starts. Memory: plain values; nothing is kept.
#ifndef SOFTLBR_RUNTIME_SESSION_SESSION_SETTINGS_H_
#define SOFTLBR_RUNTIME_SESSION_SESSION_SETTINGS_H_

#include <cstdint>

#include "platform/base/status.h"
#include "runtime/counters/session_counters.h"
#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {

inline constexpr uint32_t kEverythingPpm = 1000000;

struct SessionSettings {
  // as given, but with the number of branches; fields that the app's version does not have are 0
  softlbr_options options;
  uint32_t max_threads;
  ResolvePolicy resolve;
  uint32_t budget_ppm;         // share of CPU time that the session may use; 0: no limit
  bool is_budget_falling;      // budget_ppm is lowered as the app's CPU time grows (pacing.h)
  bool is_first_sample_early;  // of the threads at the start: it comes within kEarlySampleNs
  bool keep_traces;
  bool keep_paths;
};

// kInvalidArgument if an option is out of its range or unknown. Does not check whether sink_fd can be written; the
// start does.
Status ResolveSettings(const softlbr_options& options, SessionSettings* settings);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SESSION_SETTINGS_H_
