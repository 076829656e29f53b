// `softlbr report`: prints the profile's summary as tables or as JSON.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "platform/base/sample_event.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_agreement.h"
#include "toolchain/commands/commands.h"
#include "toolchain/commands/report_data.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

double Fraction(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json PlaceJson(const Profile& profile, Symbolizer* symbolizer, const Location& location) {
  if (location.module >= profile.modules.size()) return Json();
  const FunctionSymbol* function = symbolizer->Function(location);
  Json json{{"module", profile.modules[location.module].name}, {"address", location.address}};
  json["function"] = function != nullptr ? Json(*symbolizer->FunctionName(location)) : Json();
  json["offset"] = function != nullptr ? Json(location.address - function->start) : Json();
  return json;
}

std::optional<double> Ratio(const FunctionReport& function, const ReportData& data) {
  const double time = Fraction(function.samples, data.samples);
  const double instructions = Fraction(function.executed_instructions, data.executed_instructions);
  if (instructions == 0 || data.samples == 0) return std::nullopt;
  return time / instructions;
}

// Code without a name, in words.
std::string Description(const FunctionReport& function) {
  switch (function.kind) {
    case FunctionKind::kNamed: return *function.name;
    case FunctionKind::kNameless: return "(no symbols)";
    case FunctionKind::kUnread: return "(code not read)";
    case FunctionKind::kUnknown: break;
  }
  return "(generated or unknown code)";
}

const char* KindName(FunctionKind kind) {
  constexpr const char* kNames[] = {"named", "no_symbols", "not_read", "unknown"};
  return kNames[static_cast<size_t>(kind)];
}

Json ReportJson(const Profile& profile, const ReportData& data, const std::vector<FunctionReport>& functions,
                Symbolizer* symbolizer) {
  const auto module_name = [&](uint32_t module) {
    return module < profile.modules.size() ? Json(profile.modules[module].name) : Json();
  };
  Json json;
  json["samples"] = data.samples;
  json["taken_branches"] = data.taken_branches;
  json["executed_bytes"] = data.executed_bytes;
  json["executed_instructions"] = data.executed_instructions;
  json["undecodable_ranges"] = data.undecodable_ranges;
  json["undecodable_executions"] = data.undecodable_executions;
  json["modules"] = Json::array();
  for (const ModuleReport& module : data.modules) {
    json["modules"].push_back(Json{{"name", profile.modules[module.module].name},
                                   {"build_id", HexBytes(profile.modules[module.module].build_id)},
                                   {"samples", module.samples},
                                   {"taken_branches", module.taken_branches},
                                   {"share", Fraction(module.taken_branches, data.taken_branches)},
                                   {"executed_bytes", module.executed_bytes},
                                   {"executed_instructions", module.executed_instructions},
                                   {"estimated_instructions", module.unread_instructions},
                                   {"file", module.file.empty() ? Json() : Json(module.file)},
                                   {"has_symbols", module.has_symbols}});
  }
  json["outside_modules"] = Json{{"taken_branches", data.unknown_taken_branches},
                                 {"share", Fraction(data.unknown_taken_branches, data.taken_branches)}};
  json["functions"] = Json::array();
  for (const FunctionReport& function : functions) {
    const std::optional<double> ratio = Ratio(function, data);
    const bool is_estimate = function.kind == FunctionKind::kUnread || function.kind == FunctionKind::kUnknown;
    json["functions"].push_back(Json{{"name", function.name.has_value() ? Json(*function.name) : Json()},
                                     {"kind", KindName(function.kind)},
                                     {"module", module_name(function.module)},
                                     {"address", function.name.has_value() ? Json(function.start) : Json()},
                                     {"samples", function.samples},
                                     {"time_share", Fraction(function.samples, data.samples)},
                                     {"share", Fraction(function.executed_instructions, data.executed_instructions)},
                                     {"time_per_instruction", ratio.has_value() ? Json(*ratio) : Json()},
                                     {"executed_bytes", function.executed_bytes},
                                     {"executed_instructions", function.executed_instructions},
                                     {"is_estimate", is_estimate},
                                     {"taken_branches", function.taken_branches},
                                     {"entered", function.entered}});
  }
  json["branches"] = Json::array();
  for (const BranchReport& branch : data.branches) {
    json["branches"].push_back(Json{{"count", branch.count},
                                    {"share", Fraction(branch.count, data.taken_branches)},
                                    {"kind", branch.kind.empty() ? Json() : Json(branch.kind)},
                                    {"from", PlaceJson(profile, symbolizer, branch.from)},
                                    {"to", PlaceJson(profile, symbolizer, branch.to)}});
  }
  return json;
}

void PrintCsv(const Profile& profile, const ReportData& data, const std::vector<FunctionReport>& functions,
              std::ostream& out) {
  out << "function,module,address,samples,time_share,instructions,instruction_share,taken_branches,entered\r\n";
  for (const FunctionReport& function : functions) {
    out << CsvField(Description(function)) << ','
        << CsvField(function.module < profile.modules.size() ? profile.modules[function.module].name : "") << ','
        << (function.name.has_value() ? Hex(function.start) : "") << ',' << function.samples << ','
        << Fraction(function.samples, data.samples) << ',' << function.executed_instructions << ','
        << Fraction(function.executed_instructions, data.executed_instructions) << ',' << function.taken_branches << ','
        << function.entered << "\r\n";
  }
}

// What the sampled pcs are shares of: time, or the samples of other events, or of several.
std::string SampleHeading(const Profile& profile) {
  for (const ProfileSession& session : profile.sessions) {
    if (!platform::IsClock(static_cast<platform::SampleEvent>(session.event))) return "samples";
  }
  return "time";
}

void PrintProcesses(const Profile& profile, size_t top, std::ostream& out) {
  std::vector<const ProfileSession*> order;
  for (const ProfileSession& session : profile.sessions) order.push_back(&session);
  std::stable_sort(order.begin(), order.end(), [](const ProfileSession* a, const ProfileSession* b) {
    return a->counters.app_cpu_ns > b->counters.app_cpu_ns;
  });
  out << "\nSessions, by CPU time\n";
  TextTable table({{"CPU time", Align::kRight},
                   {"samples", Align::kRight},
                   {"taken branches", Align::kRight},
                   {"process", Align::kLeft},
                   {"sampled by", Align::kLeft}});
  const size_t shown = std::min(top, order.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileSession& session = *order[i];
    table.AddRow({Duration(session.counters.app_cpu_ns), GroupedCount(session.counters.samples),
                  GroupedCount(session.counters.taken_branches), ProcessName(session), DescribeSampling(session)});
  }
  table.Print(out);
  if (order.size() > shown) out << "  and " << GroupedCount(order.size() - shown) << " more\n";
}

void PrintHeader(const Profile& profile, const ReportData& data, const std::string& path, std::ostream& out) {
  const SessionCounters& c = profile.counters;
  out << SafeText(path) << ": " << Counted(data.taken_branches, "taken branch", "taken branches") << " over "
      << Counted(data.executed_instructions, "instruction") << " in "
      << Counted(SaturatingAdd(c.traces_complete, AbortedTraces(c)), "trace") << '\n';
  if (profile.sessions.size() == 1) {
    const ProfileSession& session = profile.sessions[0];
    out << "  " << MachineName(session.arch) << ", " << DescribeSampling(session) << ", " << session.branches_per_trace
        << " branches a trace, " << ResolveName(static_cast<uint32_t>(session.resolve)) << '\n';
  } else if (profile.sessions.size() > 1) {
    out << "  " << GroupedCount(profile.sessions.size()) << " sessions\n";
  }
  if (c.app_cpu_ns != 0) {
    out << "  " << Duration(c.duration_ns) << ", " << Counted(c.threads_traced, "thread") << ", overhead "
        << (HasOverheadShare(c) ? Share(c.overhead_total_ns, c.app_cpu_ns) + " of "
                                : Duration(c.overhead_total_ns) + " beside ")
        << Duration(c.app_cpu_ns) << " CPU time\n";
    const std::string kernel = DescribeKernelTime(c.kernel_cpu_ns, c.app_cpu_ns);
    if (!kernel.empty()) out << "  " << kernel << '\n';
  }
}

void PrintModules(const Profile& profile, const ReportData& data, const ModuleFiles& files, Symbolizer* symbolizer,
                  std::ostream& out) {
  out << "\nModules: shares of the " << (SampleHeading(profile) == "time" ? "sampled time" : "samples")
      << ", of all instructions and of all "
      << "taken branches\n";
  TextTable modules({{SampleHeading(profile), Align::kRight},
                     {"instr", Align::kRight},
                     {"branches", Align::kRight},
                     {"module", Align::kLeft},
                     {"file", Align::kLeft}});
  for (const ModuleReport& module : data.modules) {
    if (module.taken_branches == 0 && module.executed_bytes == 0 && module.samples == 0) continue;
    std::string file = SafeText(module.file);
    if (module.file.empty()) {
      const std::string other = files.DescribeOtherBuild(profile.modules[module.module]);
      file = other.empty() ? "(not found; name it with -b, or record without --no-paths)"
                           : "(" + other + "; keep the file that ran, or name it with -b)";
    }
    if (!module.file.empty() && !module.has_symbols) file += " (no symbols)";
    modules.AddRow({Share(module.samples, data.samples),
                    Share(module.executed_instructions, data.executed_instructions),
                    Share(module.taken_branches, data.taken_branches), symbolizer->ModuleLabel(module.module), file});
  }
  for (const FunctionReport& function : data.functions) {
    if (function.kind != FunctionKind::kUnknown) continue;
    modules.AddRow({Share(function.samples, data.samples),
                    Share(function.executed_instructions, data.executed_instructions),
                    Share(function.taken_branches, data.taken_branches), Description(function), ""});
  }
  modules.Print(out);
}

void PrintFunctions(const Profile& profile, const ReportData& data, const std::vector<FunctionReport>& functions,
                    Symbolizer* symbolizer, const ReportOptions& options, size_t top, std::ostream& out) {
  const std::string samples = SampleHeading(profile);
  out << "\nFunctions, by " << options.sort << '\n'
      << "  " << samples << ": of " << Counted(data.samples, "sample") << "; instr: of "
      << Counted(data.executed_instructions, "instruction") << "; ratio: " << samples << " / instr, above 1 it waits\n";
  TextTable table({{samples, Align::kRight},
                   {"instr", Align::kRight},
                   {"ratio", Align::kRight},
                   {"entered", Align::kRight},
                   {"function", Align::kLeft},
                   {"module", Align::kLeft}});
  const size_t shown = std::min(top, functions.size());
  for (size_t i = 0; i < shown; ++i) {
    const FunctionReport& function = functions[i];
    const std::optional<double> ratio = Ratio(function, data);
    char text[32] = "-";
    if (ratio.has_value()) std::snprintf(text, sizeof text, "%.2f", *ratio);
    table.AddRow({Share(function.samples, data.samples),
                  Share(function.executed_instructions, data.executed_instructions), text,
                  GroupedCount(function.entered), Description(function),
                  function.module < profile.modules.size() ? symbolizer->ModuleLabel(function.module) : ""});
  }
  table.Print(out);
  if (functions.size() > shown) out << "  and " << GroupedCount(functions.size() - shown) << " more\n";
  if (data.undecodable_ranges != 0) {
    out << "  " << Counted(data.undecodable_executions, "execution") << " of "
        << Counted(data.undecodable_ranges, "range")
        << " could not be decoded: their instructions are estimated by their bytes\n";
  }
}

void PrintBranches(const Profile& profile, const ReportData& data, Symbolizer* symbolizer, std::ostream& out) {
  out << "\nTaken branches\n";
  TextTable branches({{"share", Align::kRight},
                      {"count", Align::kRight},
                      {"kind", Align::kLeft},
                      {"from", Align::kLeft},
                      {"to", Align::kLeft}});
  for (const BranchReport& branch : data.branches) {
    branches.AddRow({Share(branch.count, data.taken_branches), GroupedCount(branch.count), branch.kind,
                     symbolizer->Describe(branch.from), symbolizer->Describe(branch.to)});
  }
  branches.Print(out);
  if (profile.branches.size() > data.branches.size()) {
    out << "  and " << GroupedCount(profile.branches.size() - data.branches.size()) << " more\n";
  }
}

// The functions that the options ask for, in their order.
std::vector<FunctionReport> Selected(const Profile& profile, const ReportData& data, const ReportOptions& options) {
  std::vector<FunctionReport> functions;
  for (const FunctionReport& function : data.functions) {
    const std::string module = function.module < profile.modules.size() ? profile.modules[function.module].name : "";
    const double most = 100 * std::max(Fraction(function.samples, data.samples),
                                       Fraction(function.executed_instructions, data.executed_instructions));
    if (most < options.min_percent || module.find(options.module) == std::string::npos) continue;
    if (Description(function).find(options.function) == std::string::npos) continue;
    functions.push_back(function);
  }
  const auto by = [&](auto weight) {
    std::stable_sort(functions.begin(), functions.end(),
                     [&](const FunctionReport& a, const FunctionReport& b) { return weight(a) > weight(b); });
  };
  if (options.sort == "time") by([](const FunctionReport& f) { return f.samples; });
  if (options.sort == "entered") by([](const FunctionReport& f) { return f.entered; });
  if (options.sort == "branches") by([](const FunctionReport& f) { return f.taken_branches; });
  if (options.sort == "ratio") by([&](const FunctionReport& f) { return Ratio(f, data).value_or(0); });
  if (options.sort == "name") {
    std::stable_sort(functions.begin(), functions.end(),
                     [](const FunctionReport& a, const FunctionReport& b) { return Description(a) < Description(b); });
  }
  return functions;  // "instructions" is the order that they have
}

}  // namespace

std::vector<std::string> ReportOrders() { return {"instructions", "time", "ratio", "entered", "branches", "name"}; }

int RunReport(const ReportOptions& options, std::ostream& out) {
  if (!options.by.empty()) {
    const ReportOptions usual;
    if (options.sort != usual.sort || options.min_percent != 0 || !(options.module + options.function).empty()) {
      throw UsageFailure(
          "report: --by takes none of --sort, --min, --module and --function; it can divide by function");
    }
    MixOptions mix;
    mix.profiles = options.profiles;
    mix.by = options.by;
    mix.json = options.json;
    mix.csv = options.csv;
    mix.top = options.top.value_or(mix.top);
    mix.binaries = options.binaries;
    return RunMix(mix, out);
  }
  const std::string first = ListProfiles(options.profiles)[0];
  const Profile profile = LoadProfiles(options.profiles);
  const bool has_unmapped = profile.counters.lost[static_cast<uint32_t>(LossReason::kUnmapped)] != 0;
  if (profile.branches.empty() && profile.ranges.empty() && !has_unmapped) {
    throw StatedFailure(SafeText(options.profiles[0]) +
                        ": holds no taken branch; `softlbr stats` shows where they were lost, and a longer run or a "
                        "smaller -c PERIOD gives more samples");
  }
  const ModuleFiles files(options.binaries, first);
  for (const ElfImagePtr& image : files.named()) {
    if (std::none_of(profile.modules.begin(), profile.modules.end(), [&](const ProfileModule& module) {
          return IsModuleFile(module, *image) || CanBeRenamed(module, *image);
        })) {
      Warn(SafeText(image->path()) + " is not a module of this profile (" + BuildIdText(image->build_id()) +
           "); it is ignored");
    }
  }
  Symbolizer symbolizer(profile, files);
  for (uint32_t module = 0; module < profile.modules.size(); ++module) {
    const ElfImagePtr& file = symbolizer.File(module);
    if (file == nullptr) continue;
    const std::string contradiction = DescribeContradiction(CompareWithCode(profile, module, *file), *file);
    if (!contradiction.empty()) Warn(contradiction);
  }
  constexpr size_t kUsualRows = 20;
  const bool is_table = !options.json && !options.csv;
  const size_t top = options.top.value_or(is_table ? kUsualRows : profile.branches.size());
  const ReportData data = BuildReport(profile, &symbolizer, top);
  std::vector<FunctionReport> functions = Selected(profile, data, options);
  if (!is_table && options.top.has_value() && functions.size() > top) functions.resize(top);
  if (options.json) {
    out << JsonText(ReportJson(profile, data, functions, &symbolizer)) << '\n';
  } else if (options.csv) {
    PrintCsv(profile, data, functions, out);
  } else {
    const std::string name =
        options.profiles.size() == 1 ? options.profiles[0] : GroupedCount(options.profiles.size()) + " inputs";
    PrintHeader(profile, data, name, out);
    if (profile.sessions.size() > 1) PrintProcesses(profile, top, out);
    PrintModules(profile, data, files, &symbolizer, out);
    PrintFunctions(profile, data, functions, &symbolizer, options, top, out);
    PrintBranches(profile, data, &symbolizer, out);
  }
  return 0;
}

}  // namespace softlbr::toolchain
