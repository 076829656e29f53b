#include "runtime/session/session_settings.h"

#include <cstddef>
#include <cstring>

#include "platform/base/limits.h"
#include "platform/sampler.h"

namespace softlbr {

namespace {

constexpr uint32_t kFlags = SOFTLBR_KEEP_TRACES | SOFTLBR_KEEP_PATHS | SOFTLBR_FIXED_PERIOD | SOFTLBR_NO_BREAKPOINTS |
                            SOFTLBR_SHARE_DESCRIPTORS | SOFTLBR_DENSE_START;

// Takes the fields that the app's version of the structure has; false if it sets one that this version does not know.
// Fields are only ever added at the end.
bool TakeOptions(const softlbr_options& from, softlbr_options* options) {
  constexpr uint32_t kFewestBytes = offsetof(softlbr_options, region);  // of the first version that is accepted
  constexpr uint32_t kMostBytes = 4096;
  const uint32_t bytes = from.struct_size;
  if (bytes < kFewestBytes || bytes > kMostBytes) return false;
  const auto* source = reinterpret_cast<const unsigned char*>(&from);
  for (uint32_t i = sizeof *options; i < bytes; ++i) {
    if (source[i] != 0) return false;
  }
  memcpy(static_cast<void*>(options), source, bytes < sizeof *options ? bytes : sizeof *options);
  return true;
}

}  // namespace

Status ResolveSettings(const softlbr_options& given, SessionSettings* settings) {
  *settings = SessionSettings{};
  softlbr_options& options = settings->options;
  if (!TakeOptions(given, &options)) return Status::kInvalidArgument;
  if ((options.flags & ~kFlags) != 0 || options.reserved != 0 || options.max_overhead_ppm > kEverythingPpm) {
    return Status::kInvalidArgument;
  }
  if (options.event >= platform::kSampleEventCount || options.resolve_plus_one > 1 + SOFTLBR_RESOLVE_LOOKAHEAD) {
    return Status::kInvalidArgument;
  }
  if (options.branches_per_trace > kMaxBranchesPerTrace || options.max_threads > kMaxThreads) {
    return Status::kInvalidArgument;
  }
  if (options.period != 0 && options.frequency_hz != 0) return Status::kInvalidArgument;
  if (options.frequency_hz > kMostFrequencyHz) return Status::kInvalidArgument;
  settings->max_threads = options.max_threads != 0 ? options.max_threads : kDefaultMaxThreads;
  const bool is_static = options.resolve_plus_one == 1 + SOFTLBR_RESOLVE_STATIC;
  settings->resolve = is_static ? ResolvePolicy::kStatic : ResolvePolicy::kLookahead;
  const bool is_rate_given = (options.period | options.frequency_hz) != 0;
  const bool is_dense = (options.flags & SOFTLBR_DENSE_START) != 0 && !is_rate_given;
  if (options.branches_per_trace == 0) {
    options.branches_per_trace = is_static       ? kDefaultStaticBranchesPerTrace
                                 : is_rate_given ? kBranchesPerTraceAtGivenRate
                                 : is_dense      ? kDenseBranchesPerTrace
                                                 : kDefaultBranchesPerTrace;
  }
  settings->budget_ppm = options.max_overhead_ppm;
  if (settings->budget_ppm == 0 && options.period == 0) {
    settings->budget_ppm = options.frequency_hz != 0 ? kFrequencyMaxOverheadPpm
                           : is_dense                ? kDenseMaxOverheadPpm
                                                     : kDefaultMaxOverheadPpm;
    settings->is_budget_falling = is_dense;
  }
  if (settings->budget_ppm == kEverythingPpm) settings->budget_ppm = 0;
  settings->keep_traces = (options.flags & SOFTLBR_KEEP_TRACES) != 0;
  settings->keep_paths = (options.flags & SOFTLBR_KEEP_PATHS) != 0;
  return Status::kOk;
}

}  // namespace softlbr
