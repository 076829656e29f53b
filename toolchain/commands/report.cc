// `softlbr report`: prints the profile's summary as tables or as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "toolchain/binary/code_agreement.h"
#include "toolchain/binary/module_branches.h"
#include "toolchain/commands/commands.h"
#include "toolchain/commands/report_data.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/json_text.h"
#include "toolchain/host/names.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

constexpr size_t kNameColumns = 64;

double Fraction(uint64_t part, uint64_t whole) { return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole); }

Json PlaceJson(const Profile& profile, Symbolizer* symbolizer, const Location& location) {
  if (location.module >= profile.modules.size()) return Json();
  const FunctionSymbol* function = symbolizer->Function(location);
  Json json{{"module", profile.modules[location.module].name}, {"address", location.address}};
  json["function"] = function != nullptr ? Json(*symbolizer->FunctionName(location)) : Json();
  json["offset"] = function != nullptr ? Json(location.address - function->start) : Json();
  return json;
}

Json ReportJson(const Profile& profile, const ReportData& data, Symbolizer* symbolizer, size_t top) {
  const auto instructions = [&](uint64_t count) { return data.has_instructions ? Json(count) : Json(); };
  Json json;
  json["taken_branches"] = data.taken_branches;
  json["executed_bytes"] = data.executed_bytes;
  json["executed_instructions"] = instructions(data.executed_instructions);
  json["undecodable_ranges"] = data.undecodable_ranges;
  json["modules"] = Json::array();
  for (const ModuleReport& module : data.modules) {
    json["modules"].push_back(
        Json{{"name", profile.modules[module.module].name},
             {"build_id", HexBytes(profile.modules[module.module].build_id)},
             {"taken_branches", module.taken_branches},
             {"share", Fraction(module.taken_branches, data.taken_branches)},
             {"executed_bytes", module.executed_bytes},
             {"executed_instructions", module.executed_instructions.has_value() ? Json(*module.executed_instructions) : Json()},
             {"file", module.file.empty() ? Json() : Json(module.file)},
             {"has_symbols", module.has_symbols}});
  }
  json["functions"] = Json::array();
  for (size_t i = 0; i < std::min(top, data.functions.size()); ++i) {
    const FunctionReport& function = data.functions[i];
    const bool by_instructions = data.has_instructions;
    json["functions"].push_back(
        Json{{"name", function.name.has_value() ? Json(*function.name) : Json()},
             {"module", profile.modules[function.module].name},
             {"address", function.name.has_value() ? Json(function.start) : Json()},
             {"share", by_instructions ? Fraction(function.executed_instructions, data.executed_instructions)
                                       : Fraction(function.executed_bytes, data.executed_bytes)},
             {"executed_bytes", function.executed_bytes},
             {"executed_instructions", instructions(function.executed_instructions)},
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

void PrintHeader(const Profile& profile, const ReportData& data, const std::string& path, std::ostream& out) {
  const SessionCounters& c = profile.counters;
  out << SafeText(path) << ": " << Counted(data.taken_branches, "taken branch", "taken branches");
  if (data.has_instructions) out << " over " << Counted(data.executed_instructions, "instruction");
  out << " in " << Counted(SaturatingAdd(c.traces_complete, AbortedTraces(c)), "trace") << '\n';
  for (const ProfileSession& session : profile.sessions) {
    out << "  " << (profile.sessions.size() > 1 ? DescribeProcess(session) : "") << MachineName(session.arch) << ", "
        << DescribeSampling(session) << ", " << session.branches_per_trace << " branches a trace, "
        << ResolveName(static_cast<uint32_t>(session.resolve)) << '\n';
  }
  if (c.app_cpu_ns != 0) {
    out << "  " << Duration(c.duration_ns) << ", " << Counted(c.threads_traced, "thread") << ", overhead "
        << (HasOverheadShare(c) ? Share(c.overhead_total_ns, c.app_cpu_ns) + " of " : Duration(c.overhead_total_ns) + " beside ")
        << Duration(c.app_cpu_ns) << " CPU time\n";
  }
}

void PrintReport(const Profile& profile, const ReportData& data, const ModuleFiles& files, Symbolizer* symbolizer,
                 const ReportOptions& options, std::ostream& out) {
  PrintHeader(profile, data, options.profiles.size() == 1 ? options.profiles[0] : GroupedCount(options.profiles.size()) + " inputs",
              out);
  if (data.undecodable_ranges != 0) {
    out << "  " << Counted(data.undecodable_ranges, "range") << " could not be decoded; shares are of bytes, not of instructions\n";
  }

  out << "\nModules\n";
  TextTable modules(
      {{"share", Align::kRight}, {"taken branches", Align::kRight}, {"module", Align::kLeft}, {"file", Align::kLeft}});
  uint64_t in_modules = 0;
  for (const ModuleReport& module : data.modules) {
    if (module.taken_branches == 0 && module.executed_bytes == 0) continue;
    in_modules = SaturatingAdd(in_modules, module.taken_branches);
    std::string file = SafeText(module.file);
    if (module.file.empty()) {
      const std::string other = files.DescribeOtherBuild(profile.modules[module.module]);
      file = other.empty() ? "(not found; name it with -b, or record without --no-paths)"
                           : "(" + other + "; keep the file that ran, or name it with -b)";
    }
    if (!module.file.empty() && !module.has_symbols) file += " (no symbols)";
    modules.AddRow({Share(module.taken_branches, data.taken_branches), GroupedCount(module.taken_branches),
                    symbolizer->ModuleLabel(module.module), file});
  }
  if (data.taken_branches > in_modules) {
    const uint64_t outside = data.taken_branches - in_modules;
    modules.AddRow({Share(outside, data.taken_branches), GroupedCount(outside), "(outside)", ""});
  }
  modules.Print(out);

  const std::string unit = data.has_instructions ? "instructions" : "bytes";
  out << "\nFunctions, by executed " << unit << '\n';
  TextTable functions({{"share", Align::kRight},
                       {unit, Align::kRight},
                       {"taken branches", Align::kRight},
                       {"entered", Align::kRight},
                       {"function", Align::kLeft},
                       {"module", Align::kLeft}});
  const size_t shown = std::min<size_t>(options.top, data.functions.size());
  for (size_t i = 0; i < shown; ++i) {
    const FunctionReport& function = data.functions[i];
    const uint64_t weight = data.has_instructions ? function.executed_instructions : function.executed_bytes;
    const uint64_t whole = data.has_instructions ? data.executed_instructions : data.executed_bytes;
    functions.AddRow({Share(weight, whole), GroupedCount(weight), GroupedCount(function.taken_branches),
                      GroupedCount(function.entered),
                      function.name.has_value() ? ShortenOnTerminal(*function.name, kNameColumns) : "(no symbols)",
                      symbolizer->ModuleLabel(function.module)});
  }
  functions.Print(out);
  if (data.functions.size() > shown) out << "  and " << GroupedCount(data.functions.size() - shown) << " more\n";

  out << "\nTaken branches\n";
  TextTable branches(
      {{"share", Align::kRight}, {"count", Align::kRight}, {"kind", Align::kLeft}, {"from", Align::kLeft}, {"to", Align::kLeft}});
  for (const BranchReport& branch : data.branches) {
    branches.AddRow({Share(branch.count, data.taken_branches), GroupedCount(branch.count), branch.kind,
                     ShortenOnTerminal(symbolizer->Describe(branch.from), kNameColumns),
                     ShortenOnTerminal(symbolizer->Describe(branch.to), kNameColumns)});
  }
  branches.Print(out);
  if (profile.branches.size() > data.branches.size()) {
    out << "  and " << GroupedCount(profile.branches.size() - data.branches.size()) << " more\n";
  }
}

}  // namespace

int RunReport(const ReportOptions& options, std::ostream& out) {
  const std::string first = ListProfiles(options.profiles)[0];
  ModuleBranches code(options.binaries, first);
  const Profile profile = LoadProfiles(options.profiles, &code, WithoutCode::kWarns);
  if (profile.branches.empty() && profile.ranges.empty()) {
    throw StatedFailure(SafeText(options.profiles[0]) +
                        ": holds no taken branch; `softlbr stats` shows where they were lost, and a longer run or a "
                        "smaller -c PERIOD gives more samples");
  }
  const ModuleFiles files(options.binaries, first);
  for (const ElfImagePtr& image : files.named()) {
    if (std::none_of(profile.modules.begin(), profile.modules.end(),
                     [&](const ProfileModule& module) { return IsModuleFile(module, *image); })) {
      Warn(SafeText(image->path()) + " is not a module of this profile (build id " + HexBytes(image->build_id()) +
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
  const ReportData data = BuildReport(profile, &symbolizer, options.top);
  if (options.json) {
    out << JsonText(ReportJson(profile, data, &symbolizer, options.top)) << '\n';
  } else {
    PrintReport(profile, data, files, &symbolizer, options, out);
  }
  return profile.missing_code.empty() ? 0 : kExitFailure;
}

}  // namespace softlbr::toolchain
