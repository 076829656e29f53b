#include "toolchain/code/thread_counts.h"

#include <algorithm>
#include <tuple>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {

ThreadCounts::ThreadCounts(const Profile& profile, const std::string& name, Symbolizer* symbolizer) {
  if (profile.whole_traces == 0) {
    throw StatedFailure(SafeText(name) +
                        ": the counts of a profile do not tell threads apart, and it holds no whole traces; record it with"
                        " --traces, and leave it unmerged");
  }
  std::map<uint32_t, std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint64_t>> ranges;
  VisitTraces(profile, [&](const Trace& trace) {
    for (size_t i = 1; i < trace.branches.size(); ++i) {
      const Location& first = trace.branches[i - 1].second;
      const Location& last = trace.branches[i].first;
      if (first.module != last.module || first.module == kNoModule || first.address > last.address) continue;
      ++ranges[trace.thread][{first.module, first.address, last.address}];
    }
  });
  Profile of_thread;
  of_thread.modules = profile.modules;
  for (const auto& [thread, counts] : ranges) {
    of_thread.ranges.clear();
    for (const auto& [range, count] : counts) {
      of_thread.ranges.push_back({std::get<0>(range), std::get<1>(range), std::get<2>(range), count});
    }
    const ExecutedCode code = DecodeExecutedCode(of_thread, symbolizer);
    for (const ExecutedModule& module : code.modules) {
      for (const ExecutedInstruction& instruction : module.instructions) {
        executions_[{module.module, instruction.address}].emplace_back(thread, instruction.executions);
      }
    }
  }
}

std::vector<ThreadCounts::Part> ThreadCounts::Divide(uint32_t module, const ExecutedInstruction& instruction) const {
  std::vector<Part> parts;
  const auto found = executions_.find({module, instruction.address});
  if (found == executions_.end()) return {{std::nullopt, instruction.count}};
  uint64_t in_traces = 0;
  for (const auto& [thread, executions] : found->second) in_traces = SaturatingAdd(in_traces, executions);
  // Weights may have made fewer of the executions in traces. The end of each part is rounded, so that the parts add up.
  const auto all = static_cast<long double>(std::max(in_traces, instruction.executions));
  uint64_t before = 0, given = 0;
  for (const auto& [thread, executions] : found->second) {
    before = SaturatingAdd(before, executions);
    const long double end = static_cast<long double>(instruction.count) * (static_cast<long double>(before) / all);
    const uint64_t upto = before >= instruction.executions && before == in_traces ? instruction.count : static_cast<uint64_t>(end);
    parts.push_back({thread, std::max(upto, given) - given});
    given = std::max(upto, given);
  }
  if (given < instruction.count) parts.push_back({std::nullopt, instruction.count - given});
  return parts;
}

}  // namespace softlbr::toolchain
