#include "toolchain/code/executor_counts.h"

#include <algorithm>
#include <tuple>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {
namespace {

using RangeKey = std::tuple<uint32_t, uint64_t, uint64_t>;  // module, first, last

// The numbers in `all` of the modules of one of its files.
std::vector<uint32_t> NumbersIn(const Profile& all, const Profile& file) {
  std::map<std::string, uint32_t> numbers;
  for (uint32_t i = 0; i < all.modules.size(); ++i) numbers.emplace(ModuleIdentity(all.modules[i]), i);
  std::vector<uint32_t> found;
  for (const ProfileModule& module : file.modules) {
    const auto known = numbers.find(ModuleIdentity(module));
    found.push_back(known != numbers.end() ? known->second : kNoModule);
  }
  return found;
}

ExecutedCode CodeOf(const Profile& all, const std::map<RangeKey, uint64_t>& ranges, Symbolizer* symbolizer) {
  Profile part;
  part.modules = all.modules;
  for (const auto& [range, count] : ranges) {
    part.ranges.push_back({std::get<0>(range), std::get<1>(range), std::get<2>(range), count});
  }
  return DecodeExecutedCode(part, symbolizer);
}

std::string NameOfProcess(const Profile& file, const std::string& path) {
  if (file.sessions.size() != 1) {
    throw StatedFailure(
        SafeText(path) + ": its counts are sums over " + std::to_string(file.sessions.size()) +
        " sessions and do not tell processes apart; record with -o FOLDER/, which gets a file of each process, and"
        " name that folder");
  }
  const std::string name = ProcessName(file.sessions[0]);
  return name.empty() ? "(not known)" : name;
}

}  // namespace

ExecutorCounts::ExecutorCounts(const Profile& profile, const std::vector<std::string>& paths, Wanted wanted,
                               Symbolizer* symbolizer)
    : wanted_(wanted) {
  if (!wanted.processes) threads_.resize(1);
  if (wanted.threads && profile.whole_traces == 0) {
    throw StatedFailure(
        SafeText(paths[0]) +
        ": the counts of a profile do not tell threads apart, and it holds no whole traces; record it with"
        " --traces, and leave it unmerged");
  }
  for (const std::string& path : ListProfiles(paths)) {
    const Profile file = LoadProfile(path, DamageWarnings::kLeftOut);
    const std::vector<uint32_t> numbers = NumbersIn(profile, file);
    if (wanted.processes) {
      const auto index = static_cast<uint32_t>(names_.size());
      names_.push_back(NameOfProcess(file, path));
      std::map<RangeKey, uint64_t> ranges;
      for (const RangeCount& range : file.ranges) {
        if (range.module >= numbers.size()) continue;  // code in no module
        uint64_t& count = ranges[{numbers[range.module], range.first, range.last}];
        count = SaturatingAdd(count, range.count);
      }
      processes_.Add(index, CodeOf(profile, ranges, symbolizer));
      threads_.emplace_back();
    }
    if (!wanted.threads) continue;
    std::map<uint32_t, std::map<RangeKey, uint64_t>> ranges;
    VisitTraces(file, [&](const Trace& trace) {
      for (size_t i = 1; i < trace.branches.size(); ++i) {
        const Location& first = trace.branches[i - 1].second;
        const Location& last = trace.branches[i].first;
        if (first.module != last.module || first.module == kNoModule || first.address > last.address) continue;
        ++ranges[trace.thread][{numbers[first.module], first.address, last.address}];
      }
    });
    for (const auto& [thread, counts] : ranges) threads_.back().Add(thread, CodeOf(profile, counts, symbolizer));
  }
}

void ExecutorCounts::Executions::Add(uint32_t executor, const ExecutedCode& code) {
  for (const ExecutedModule& module : code.modules) {
    for (const ExecutedInstruction& instruction : module.instructions) {
      by_executor_[{module.module, instruction.address}].emplace_back(executor, instruction.executions);
    }
  }
}

std::vector<ExecutorCounts::Executions::Share> ExecutorCounts::Executions::Divide(const Location& place,
                                                                                  uint64_t executions,
                                                                                  uint64_t count) const {
  std::vector<Share> shares;
  const auto found = by_executor_.find(place);
  if (found == by_executor_.end()) return {{std::nullopt, executions, count}};
  uint64_t sum = 0;
  for (const auto& [executor, its] : found->second) sum = SaturatingAdd(sum, its);
  // Weights may have made fewer of the executions in traces. The end of each share is rounded, so that the shares add
  // up.
  const auto all = static_cast<long double>(std::max(sum, executions));
  uint64_t before = 0, given = 0;
  for (const auto& [executor, its] : found->second) {
    before = SaturatingAdd(before, its);
    const long double end = static_cast<long double>(count) * (static_cast<long double>(before) / all);
    const uint64_t upto = before >= executions && before == sum ? count : static_cast<uint64_t>(end);
    shares.push_back({executor, its, std::max(upto, given) - given});
    given = std::max(upto, given);
  }
  if (given < count) shares.push_back({std::nullopt, executions - std::min(sum, executions), count - given});
  return shares;
}

std::vector<ExecutorCounts::Part> ExecutorCounts::Divide(uint32_t module,
                                                         const ExecutedInstruction& instruction) const {
  const Location place{module, instruction.address};
  std::vector<Part> parts;
  const auto add_threads = [&](const std::optional<std::string>& process, const Executions* threads,
                               uint64_t executions, uint64_t count) {
    if (!wanted_.threads || threads == nullptr) {
      parts.push_back({process, std::nullopt, count});
      return;
    }
    for (const Executions::Share& share : threads->Divide(place, executions, count)) {
      parts.push_back({process, share.executor, share.count});
    }
  };
  if (!wanted_.processes) {
    add_threads(std::nullopt, &threads_[0], instruction.executions, instruction.count);
    return parts;
  }
  for (const Executions::Share& share : processes_.Divide(place, instruction.executions, instruction.count)) {
    const bool is_known = share.executor.has_value();
    add_threads(is_known ? names_[*share.executor] : "(not known)", is_known ? &threads_[*share.executor] : nullptr,
                share.executions, share.count);
  }
  return parts;
}

}  // namespace softlbr::toolchain
