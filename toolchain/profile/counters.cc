#include "toolchain/profile/counters.h"

#include <algorithm>

#include "toolchain/host/names.h"
#include "toolchain/host/text.h"

namespace softlbr::toolchain {
namespace {

struct Field {
  const char* name;
  uint64_t SessionCounters::*member;
};

constexpr Field kFields[] = {
    {"duration_ns", &SessionCounters::duration_ns},
    {"threads_traced", &SessionCounters::threads_traced},
    {"threads_untraced", &SessionCounters::threads_untraced},
    {"samples", &SessionCounters::samples},
    {"traces_complete", &SessionCounters::traces_complete},
    {"taken_branches", &SessionCounters::taken_branches},
    {"breakpoint_hits", &SessionCounters::breakpoint_hits},
    {"traces_without_hit", &SessionCounters::traces_without_hit},
    {"instructions_evaluated", &SessionCounters::instructions_evaluated},
    {"instructions_lifted", &SessionCounters::instructions_lifted},
    {"block_lookups", &SessionCounters::block_lookups},
    {"block_hits", &SessionCounters::block_hits},
    {"overhead_ns.sampling", &SessionCounters::overhead_sampling_ns},
    {"overhead_ns.evaluating", &SessionCounters::overhead_evaluating_ns},
    {"overhead_ns.lifting", &SessionCounters::overhead_lifting_ns},
    {"overhead_ns.breakpoints", &SessionCounters::overhead_breakpoints_ns},
    {"overhead_ns.total", &SessionCounters::overhead_total_ns},
    {"app_cpu_ns", &SessionCounters::app_cpu_ns},
    {"verify_traces", &SessionCounters::verify_traces},
    {"verify_mismatches", &SessionCounters::verify_mismatches},
    {"verify_hits", &SessionCounters::verify_hits},
    {"verify_unreached", &SessionCounters::verify_unreached},
};
static_assert(std::size(kFields) + kAbortReasonCount + kLossReasonCount == sizeof(SessionCounters) / sizeof(uint64_t),
              "a counter was added to SessionCounters: list it here");

template <typename Combine>
SessionCounters Combined(const SessionCounters& a, const SessionCounters& b, Combine combine) {
  SessionCounters result{};
  for (const Field& field : kFields) result.*field.member = combine(a.*field.member, b.*field.member);
  for (uint32_t i = 0; i < kAbortReasonCount; ++i) {
    result.traces_aborted[i] = combine(a.traces_aborted[i], b.traces_aborted[i]);
  }
  for (uint32_t i = 0; i < kLossReasonCount; ++i) result.lost[i] = combine(a.lost[i], b.lost[i]);
  return result;
}

}  // namespace

void ForEachCounter(const SessionCounters& counters, const std::function<void(const std::string&, uint64_t)>& visit) {
  for (const Field& field : kFields) visit(field.name, counters.*field.member);
  for (uint32_t i = 1; i < kAbortReasonCount; ++i) visit("traces_aborted." + AbortKey(i), counters.traces_aborted[i]);
  for (uint32_t i = 0; i < kLossReasonCount; ++i) visit("lost." + LossKey(i), counters.lost[i]);
}

SessionCounters AddCounters(const SessionCounters& a, const SessionCounters& b) { return Combined(a, b, SaturatingAdd); }

SessionCounters MaxCounters(const SessionCounters& a, const SessionCounters& b) {
  return Combined(a, b, [](uint64_t x, uint64_t y) { return std::max(x, y); });
}

uint64_t AbortedTraces(const SessionCounters& counters) {
  uint64_t total = 0;
  for (uint32_t i = 1; i < kAbortReasonCount; ++i) total = SaturatingAdd(total, counters.traces_aborted[i]);
  return total;
}

std::vector<uint64_t> BranchesByModule(const Profile& profile) {
  std::vector<uint64_t> counts(profile.modules.size() + 1);
  for (const BranchCount& branch : profile.branches) {
    const size_t index = std::min<size_t>(branch.from.module, profile.modules.size());
    counts[index] = SaturatingAdd(counts[index], branch.count);
  }
  return counts;
}

uint64_t TotalBranches(const Profile& profile) {
  uint64_t total = 0;
  for (const BranchCount& branch : profile.branches) total = SaturatingAdd(total, branch.count);
  return total;
}

std::string DescribeSampling(const SessionInfo& session) {
  std::string text = EventName(session.event);
  if (session.frequency_hz != 0) {
    text += " at " + GroupedCount(session.frequency_hz) + " Hz";
  } else if (session.period != 0) {
    text += " every " + (IsClockEvent(session.event) ? Duration(session.period) : GroupedCount(session.period));
  }
  return text;
}

}  // namespace softlbr::toolchain
