#include "toolchain/profile/merger.h"

#include <algorithm>

#include "toolchain/host/text.h"
#include "toolchain/profile/counters.h"

namespace softlbr::toolchain {

std::string ModuleKey(const ProfileModule& module) {
  std::string key = std::to_string(module.machine);
  if (!module.build_id.empty()) {
    key += ":b";
    key.append(module.build_id.begin(), module.build_id.end());
    return key;
  }
  key += ":n" + module.name;
  for (const Segment& segment : module.segments) {
    key += ":" + std::to_string(segment.vaddr) + "," + std::to_string(segment.memory_bytes) + "," + std::to_string(segment.flags);
  }
  return key;
}

uint32_t ProfileMerger::MapModule(const ProfileModule& module) {
  const auto [it, is_new] = modules_.try_emplace(ModuleKey(module), static_cast<uint32_t>(sum_.modules.size()));
  if (is_new) {
    sum_.modules.push_back(module);
  } else {
    sum_.modules[it->second].is_main |= module.is_main;
  }
  return it->second;
}

std::vector<std::string> ProfileMerger::Add(const Profile& input, const std::string& display_name) {
  std::vector<std::string> warnings;
  std::vector<uint32_t> map;
  for (const ProfileModule& module : input.modules) map.push_back(MapModule(module));
  const auto place = [&](Location location) {
    return location.module < map.size() ? Location{map[location.module], location.address} : Location{};
  };
  const auto add = [](uint64_t* total, uint64_t count) { *total = SaturatingAdd(*total, count); };

  for (const BranchCount& branch : input.branches) add(&branches_[{place(branch.from), place(branch.to)}], branch.count);
  for (const RangeCount& range : input.ranges) {
    if (range.module < map.size()) add(&ranges_[{map[range.module], range.first, range.last}], range.count);
  }
  for (const SampleCount& sample : input.samples) add(&samples_[place(sample.pc)], sample.count);
  for (const Trace& trace : input.traces) {
    Trace mapped = trace;
    mapped.sampled_pc = place(trace.sampled_pc);
    for (auto& [from, to] : mapped.branches) {
      from = place(from);
      to = place(to);
    }
    sum_.traces.push_back(std::move(mapped));
  }

  for (const SessionInfo& session : input.sessions) {
    const bool is_known = std::any_of(sum_.sessions.begin(), sum_.sessions.end(),
                                      [&](const SessionInfo& other) { return other.session_id == session.session_id; });
    if (!is_known) {
      sum_.sessions.push_back(session);
      continue;
    }
    warnings.push_back(display_name + ": session " + Hex(session.session_id) +
                       " is already in; branch counts are added, session counters taken once. Was it named twice?");
  }
  if (input.sessions.size() == 1) {
    SessionCounters& counters = counters_by_session_[input.sessions[0].session_id];
    counters = MaxCounters(counters, input.counters);
  } else {
    other_counters_ = AddCounters(other_counters_, input.counters);
  }
  sum_.format_version = std::max(sum_.format_version, input.format_version);
  sum_.damaged_frames = SaturatingAdd(sum_.damaged_frames, input.damaged_frames);
  sum_.missing_frames = SaturatingAdd(sum_.missing_frames, input.missing_frames);
  sum_.is_truncated |= input.is_truncated;
  return warnings;
}

Profile ProfileMerger::Finish() {
  sum_.counters = other_counters_;
  for (const auto& [id, counters] : counters_by_session_) sum_.counters = AddCounters(sum_.counters, counters);
  for (const auto& [key, count] : branches_) sum_.branches.push_back({key.first, key.second, count});
  for (const auto& [key, count] : ranges_) {
    sum_.ranges.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  }
  for (const auto& [pc, count] : samples_) sum_.samples.push_back({pc, count});
  return std::move(sum_);
}

}  // namespace softlbr::toolchain
