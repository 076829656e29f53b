// `softlbr stats`: prints the settings and counters of the sessions as tables or as stable JSON (docs/cli.md lists the
// keys).
#include <nlohmann/json.hpp>

#include "toolchain/base/json_text.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"
#include "toolchain/symbols/symbolizer.h"
#include "toolchain/weights/expected_overlap.h"

namespace softlbr::toolchain {
namespace {

using Align = TextTable::Align;

using Json = nlohmann::ordered_json;

Json SessionJson(const ProfileSession& session) {
  char id[24];
  std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(session.session_id));
  return Json{{"session_id", id},
              {"program", session.program.empty() ? Json() : Json(session.program)},
              {"pid", session.process_id == 0 ? Json() : Json(session.process_id)},
              {"app_cpu_ns", session.counters.app_cpu_ns},
              {"samples", session.counters.samples},
              {"taken_branches", session.counters.taken_branches},
              {"start_time_unix_s", session.start_time_unix_s},
              {"arch", MachineName(session.arch)},
              {"event", EventName(session.event)},
              {"period", session.period},
              {"frequency_hz", session.frequency_hz},
              {"branches_per_trace", session.branches_per_trace},
              {"resolve", ResolveName(static_cast<uint32_t>(session.resolve))},
              {"has_breakpoints", session.has_breakpoints != 0},
              {"labels", Json(session.labels)}};
}

// Null for a label on which the sessions differ, or that some do not have.
Json CommonLabels(const std::vector<ProfileSession>& sessions) {
  Json common = Json::object();
  for (const ProfileSession& session : sessions) {
    for (const auto& [key, value] : session.labels) common[key] = value;
  }
  for (auto& [key, value] : common.items()) {
    for (const ProfileSession& session : sessions) {
      const auto found = session.labels.find(key);
      if (found == session.labels.end() || value != found->second) value = Json();
    }
  }
  return common;
}

Json StatsJson(const Profile& profile) {
  Json json;
  json["format_version"] = profile.format_version;
  // A setting on which the sessions differ is null; "sessions" lists each session's own.
  Json sessions = Json::array();
  for (const ProfileSession& session : profile.sessions) sessions.push_back(SessionJson(session));
  for (const char* key :
       {"arch", "event", "period", "frequency_hz", "branches_per_trace", "resolve", "has_breakpoints"}) {
    Json common = sessions.empty() ? Json() : sessions[0][key];
    for (const Json& session : sessions) {
      if (session[key] != common) common = Json();
    }
    json[key] = common;
  }
  json["labels"] = CommonLabels(profile.sessions);
  ForEachCounter(profile.counters, [&](const std::string& name, uint64_t value) {
    const size_t dot = name.find('.');
    if (dot == std::string::npos) {
      json[name] = value;
    } else {
      json[name.substr(0, dot)][name.substr(dot + 1)] = value;
    }
  });
  const std::vector<uint64_t> by_module = BranchesByModule(profile);
  Json modules = Json::array();
  for (size_t i = 0; i < profile.modules.size(); ++i) {
    const ProfileModule& module = profile.modules[i];
    modules.push_back(Json{{"name", module.name},
                           {"build_id", HexBytes(module.build_id)},
                           {"is_main", module.is_main},
                           {"taken_branches", by_module[i]}});
  }
  json["modules"] = modules;
  json["taken_branches_outside_modules"] = by_module.back();
  json["distinct_branches"] = profile.branches.size();
  json["distinct_ranges"] = profile.ranges.size();
  json["whole_traces"] = profile.whole_traces;
  // If rows are missing, the figure would only describe the rows that are there.
  const std::optional<double> overlap = ExpectedOverlap(profile);
  json["expected_overlap"] = overlap ? Json(*overlap) : Json();
  for (const auto& [use, enough] : {std::pair{"layout", kEnoughForLayout}, std::pair{"sources", kEnoughForSources}})
    json["times_as_much"][use] = overlap ? Json(TimesAsMuch(*overlap, enough)) : Json();
  json["damaged_frames"] = profile.damaged_frames;
  json["missing_frames"] = profile.missing_frames;
  json["repeated_frames"] = profile.repeated_frames;
  json["is_truncated"] = profile.is_truncated;
  json["sessions"] = sessions;
  return json;
}

std::string PerSample(uint64_t count, uint64_t samples) {
  if (samples == 0) return "";
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.2f a trace", static_cast<double>(count) / static_cast<double>(samples));
  return buffer;
}

void PrintStats(const Profile& profile, const std::string& path, std::ostream& out) {
  const SessionCounters& c = profile.counters;
  out << SafeText(path) << ": softlbr profile, format " << profile.format_version << '\n';
  for (const ProfileSession& session : profile.sessions) {
    out << "  session: " << (profile.sessions.size() > 1 ? DescribeProcess(session) : "") << MachineName(session.arch)
        << ", " << DescribeSampling(session) << DescribeMeanPeriod(session, session.counters) << ", "
        << session.branches_per_trace << " branches a trace, " << ResolveName(static_cast<uint32_t>(session.resolve))
        << ", " << (session.has_breakpoints != 0 ? "with breakpoints" : "without breakpoints") << '\n';
    if (!session.labels.empty()) out << "    labels: " << DescribeLabels(session.labels) << '\n';
  }
  const uint64_t aborted = AbortedTraces(c);
  const uint64_t traces = SaturatingAdd(c.traces_complete, aborted);
  out << "\nRecorded\n";
  TextTable recorded({{"what", Align::kLeft}, {"count", Align::kRight}, {"", Align::kLeft}});
  recorded.AddRow({"taken branches", GroupedCount(c.taken_branches), PerSample(c.taken_branches, traces)});
  recorded.AddRow({"samples", GroupedCount(c.samples)});
  recorded.AddRow({"traces complete", GroupedCount(c.traces_complete), Share(c.traces_complete, traces)});
  recorded.AddRow(
      {"traces without a breakpoint hit", GroupedCount(c.traces_without_hit), Share(c.traces_without_hit, traces)});
  recorded.AddRow({"traces ended early", GroupedCount(aborted), Share(aborted, traces)});
  for (uint32_t i = 1; i < kAbortReasonCount; ++i) {
    if (c.traces_aborted[i] != 0) {
      recorded.AddRow({"  " + AbortKey(i), GroupedCount(c.traces_aborted[i]), AbortMeaning(i)});
    }
  }
  recorded.AddRow({"breakpoint hits", GroupedCount(c.breakpoint_hits), PerSample(c.breakpoint_hits, traces)});
  if (c.unmarked_hits != 0) {
    recorded.AddRow(
        {"  without their mark", GroupedCount(c.unmarked_hits), "not in the number above: each hit again, marked"});
  }
  recorded.AddRow(
      {"instructions evaluated", GroupedCount(c.instructions_evaluated), PerSample(c.instructions_evaluated, traces)});
  recorded.AddRow({"instructions lifted", GroupedCount(c.instructions_lifted)});
  recorded.AddRow({"block cache hits", GroupedCount(c.block_hits), Share(c.block_hits, c.block_lookups)});
  recorded.AddRow({"traces verified", GroupedCount(c.verify_traces)});
  recorded.AddRow(
      {"  predicted otherwise", GroupedCount(c.verify_mismatches), Share(c.verify_mismatches, c.verify_traces)});
  recorded.AddRow({"  end not reached", GroupedCount(c.verify_unreached)});
  recorded.AddRow({"threads traced", GroupedCount(c.threads_traced)});
  recorded.AddRow({"threads not traced", GroupedCount(c.threads_untraced)});
  recorded.Print(out);

  const std::string sufficiency = DescribeSufficiency(profile);
  if (!sufficiency.empty()) out << "\nExpected: " << sufficiency << '\n';

  out << "\nTime\n";
  TextTable time({{"what", Align::kLeft}, {"time", Align::kRight}, {"of CPU time", Align::kRight}});
  time.AddRow({"session", Duration(c.duration_ns)});
  time.AddRow({"CPU time of the program", Duration(c.app_cpu_ns)});
  if (c.kernel_cpu_ns != 0) {
    time.AddRow({"  in the kernel, where nothing is recorded", Duration(c.kernel_cpu_ns),
                 Share(c.kernel_cpu_ns, c.app_cpu_ns)});
  }
  if (c.paused_cpu_ns != 0) {
    time.AddRow(
        {"  paused because of context switches", Duration(c.paused_cpu_ns), Share(c.paused_cpu_ns, c.app_cpu_ns)});
  }
  const auto add = [&](const char* what, uint64_t ns) {
    time.AddRow({what, Duration(ns), HasOverheadShare(c) ? Share(ns, c.app_cpu_ns) : ""});
  };
  add("overhead", c.overhead_total_ns);
  add("  sampling", c.overhead_sampling_ns);
  add("  evaluating", c.overhead_evaluating_ns);
  add("  lifting", c.overhead_lifting_ns);
  add("  breakpoints", c.overhead_breakpoints_ns);
  add("  control thread", c.overhead_control_ns);
  add("  context switches", c.overhead_switching_ns);
  time.Print(out);

  TextTable lost({{"what", Align::kLeft}, {"count", Align::kRight}, {"meaning", Align::kLeft}});
  for (uint32_t i = 0; i < kLossReasonCount; ++i) {
    if (c.lost[i] != 0) lost.AddRow({LossKey(i), GroupedCount(c.lost[i]), LossMeaning(i)});
  }
  if (profile.damaged_frames != 0) {
    lost.AddRow({"damaged_frames", GroupedCount(profile.damaged_frames), "frames of the file that were not intact"});
  }
  if (profile.missing_frames > profile.damaged_frames) {
    lost.AddRow({"missing_frames", GroupedCount(profile.missing_frames - profile.damaged_frames),
                 "frames that were written but are not in the file"});
  }
  if (lost.empty()) {
    out << "\nLost: nothing\n";
  } else {
    out << "\nLost\n";
    lost.Print(out);
  }
  if (profile.repeated_frames != 0) {
    out << "\nRepeated: " << Counted(profile.repeated_frames, "frame") << ", each counted once\n";
  }

  const std::vector<std::string> labels = ModuleLabels(profile);
  const std::vector<uint64_t> by_module = BranchesByModule(profile);
  const uint64_t total = TotalBranches(profile);
  out << "\nModules\n";
  TextTable modules({{"share", Align::kRight},
                     {"taken branches", Align::kRight},
                     {"module", Align::kLeft},
                     {"build id", Align::kLeft}});
  for (size_t i = 0; i < profile.modules.size(); ++i) {
    if (by_module[i] == 0 && !profile.modules[i].is_main) continue;
    const std::string id = HexBytes(profile.modules[i].build_id);
    modules.AddRow({Share(by_module[i], total), GroupedCount(by_module[i]), labels[i], id.empty() ? "(none)" : id});
  }
  if (by_module.back() != 0) {
    modules.AddRow({Share(by_module.back(), total), GroupedCount(by_module.back()), "(outside)", ""});
  }
  modules.Print(out);
}

}  // namespace

int RunStats(const StatsOptions& options, std::ostream& out) {
  const Profile profile = LoadProfiles(options.profiles);
  if (options.json) {
    out << JsonText(StatsJson(profile)) << '\n';
  } else {
    PrintStats(profile,
               options.profiles.size() == 1 ? options.profiles[0] : GroupedCount(options.profiles.size()) + " inputs",
               out);
  }
  return 0;
}

}  // namespace softlbr::toolchain
