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

struct SessionSettings {
  softlbr_options options;  // as given
  uint32_t max_threads;
  uint32_t branches_per_trace;
  ResolvePolicy resolve;
  bool keep_traces;
  bool keep_paths;
};

// kInvalidArgument if an option is out of its range.
Status ResolveSettings(const softlbr_options& options, SessionSettings* settings);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SESSION_SETTINGS_H_
