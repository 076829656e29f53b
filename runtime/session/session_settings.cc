#include "runtime/session/session_settings.h"

#include "platform/base/limits.h"
#include "platform/sampler.h"

namespace softlbr {

Status ResolveSettings(const softlbr_options& options, SessionSettings* settings) {
  *settings = SessionSettings{};
  settings->options = options;
  if (options.struct_size != sizeof(softlbr_options)) return Status::kInvalidArgument;
  if (options.event >= platform::kSampleEventCount || options.resolve_plus_one > 1 + SOFTLBR_RESOLVE_LOOKAHEAD) {
    return Status::kInvalidArgument;
  }
  if (options.branches_per_trace > kMaxBranchesPerTrace || options.max_threads > kMaxThreads) {
    return Status::kInvalidArgument;
  }
  if (options.period != 0 && options.frequency_hz != 0) return Status::kInvalidArgument;
  constexpr uint64_t kMaxFrequencyHz = 100000;
  if (options.frequency_hz > kMaxFrequencyHz) return Status::kInvalidArgument;
  settings->max_threads = options.max_threads != 0 ? options.max_threads : kDefaultMaxThreads;
  const bool is_static = options.resolve_plus_one == 1 + SOFTLBR_RESOLVE_STATIC;
  settings->resolve = is_static ? ResolvePolicy::kStatic : ResolvePolicy::kLookahead;
  settings->branches_per_trace = options.branches_per_trace;
  if (settings->branches_per_trace == 0) {
    settings->branches_per_trace = is_static ? kDefaultStaticBranchesPerTrace : kDefaultBranchesPerTrace;
  }
  settings->keep_traces = (options.flags & SOFTLBR_KEEP_TRACES) != 0;
  settings->keep_paths = (options.flags & SOFTLBR_KEEP_PATHS) != 0;
  return Status::kOk;
}

}  // namespace softlbr
