#include "toolchain/profile/counters.h"

#include <algorithm>

#include "platform/base/sample_event.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

template <typename Combine>
SessionCounters Combined(const SessionCounters& a, const SessionCounters& b, Combine combine) {
  SessionCounters result{};
#define SOFTLBR_COUNTER(field, name, key, unit, meaning) result.field = combine(a.field, b.field);
#define SOFTLBR_COUNTER_ARRAY(field, name, key, reason, unit, meaning) \
  for (uint32_t i = 0; i < k##reason##ReasonCount; ++i) result.field[i] = combine(a.field[i], b.field[i]);
#include "runtime/counters/counters.def"
  return result;
}

// The first reason to report: AbortReason 0 (kNone) belongs to complete traces.
constexpr uint32_t kFirstAbortReason = 1;
constexpr uint32_t kFirstLossReason = 0;

// CPU time from which shares of it are told.
constexpr uint64_t kLeastCpuNs = 50000000;

}  // namespace

void ForEachCounter(const SessionCounters& counters, const std::function<void(const std::string&, uint64_t)>& visit) {
#define SOFTLBR_COUNTER(field, name, key, unit, meaning) visit(name, counters.field);
#define SOFTLBR_COUNTER_ARRAY(field, name, key, reason, unit, meaning)         \
  for (uint32_t i = kFirst##reason##Reason; i < k##reason##ReasonCount; ++i) { \
    visit(name "." + reason##Key(i), counters.field[i]);                       \
  }
#include "runtime/counters/counters.def"
}

SessionCounters AddCounters(const SessionCounters& a, const SessionCounters& b) {
  return Combined(a, b, SaturatingAdd);
}

SessionCounters MaxCounters(const SessionCounters& a, const SessionCounters& b) {
  return Combined(a, b, [](uint64_t x, uint64_t y) { return std::max(x, y); });
}

uint64_t AbortedTraces(const SessionCounters& counters) {
  uint64_t total = 0;
  for (uint32_t i = kFirstAbortReason; i < kAbortReasonCount; ++i)
    total = SaturatingAdd(total, counters.traces_aborted[i]);
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

std::string ProcessName(const ProfileSession& session) {
  if (session.process_id == 0) return "";
  return (session.program.empty() ? "process" : SafeText(session.program)) + "[" + std::to_string(session.process_id) +
         "]";
}

std::string DescribeProcess(const ProfileSession& session) {
  const std::string name = ProcessName(session);
  return name.empty() ? name : name + ", ";
}

std::string DescribeLabels(const Labels& labels) {
  std::string text;
  for (const auto& [key, value] : labels) text += (text.empty() ? "" : ", ") + key + "=" + value;
  return text;
}

std::string DescribeKernelTime(uint64_t kernel_ns, uint64_t cpu_ns) {
  if (cpu_ns < kLeastCpuNs || kernel_ns < cpu_ns / 10) return "";
  return Share(kernel_ns, cpu_ns) + " of its CPU time was in the kernel, where nothing is recorded";
}

bool HasOverheadShare(const SessionCounters& counters) {
  return counters.samples != 0 && counters.app_cpu_ns >= kLeastCpuNs;
}

std::string DescribeSampling(const SessionInfo& session) {
  std::string text = EventName(session.event);
  if (session.frequency_hz != 0) {
    text += " at " + GroupedCount(session.frequency_hz) + " Hz";
  } else if (session.period != 0) {
    text += " every " + (platform::IsClock(static_cast<platform::SampleEvent>(session.event))
                             ? Duration(session.period)
                             : GroupedCount(session.period));
  }
  return text;
}

std::string DescribeMeanPeriod(const SessionInfo& session, const SessionCounters& counters) {
  constexpr uint64_t kLeastSamples = 20;
  constexpr double kNoticeable = 0.25;
  const uint64_t wanted_ns = session.frequency_hz != 0 ? 1000000000 / session.frequency_hz : session.period;
  if (!platform::IsClock(static_cast<platform::SampleEvent>(session.event)) || wanted_ns == 0) return "";
  if (counters.samples < kLeastSamples || counters.app_cpu_ns <= counters.paused_cpu_ns) return "";
  const uint64_t mean_ns = (counters.app_cpu_ns - counters.paused_cpu_ns) / counters.samples;
  const double ratio = static_cast<double>(mean_ns) / static_cast<double>(wanted_ns);
  if (ratio >= 1 - kNoticeable && ratio <= 1 + kNoticeable) return "";
  return ", on average every " + Duration(mean_ns) + " of CPU time";
}

}  // namespace softlbr::toolchain
