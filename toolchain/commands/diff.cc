// `softlbr diff`: compares the distribution of taken branches in two profiles.
//
// A branch's share is its part of the profile's taken branches. The overlap is the sum over all branches of the smaller
// of the two shares: 1 for equal distributions, 0 without a common branch. Branches are equal if their modules
// (ModuleIdentity) and link-time addresses are. Where the two profiles have different builds of a module, whose
// addresses say nothing of each other, functions are matched by name, and places in them by basic block
// (matched_builds.h). The same is computed of fall-through ranges, by their executions, of basic blocks, by the
// instructions executed in them, and of functions, by the taken branches that leave or repeat in them; coarser units
// overlap more.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "toolchain/base/failure.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_agreement.h"
#include "toolchain/code/executed_code.h"
#include "toolchain/code/matched_builds.h"
#include "toolchain/commands/commands.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_builder.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {
namespace {

using Align = TextTable::Align;

using Json = nlohmann::ordered_json;

struct Change {
  Location from;
  Location to;
  uint64_t before = 0;
  uint64_t after = 0;
  double before_share = 0;
  double after_share = 0;
  double Difference() const { return after_share - before_share; }
};

// The branches of both profiles, with module indices of a merged profile.
struct Comparison {
  Profile names;  // modules only
  std::vector<Change> changes;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, std::pair<double, double>>
      ranges;  // module, first, last: shares of executions
  // of each module: the first of `names` that is a build of it; itself for a module with one build
  std::vector<uint32_t> build_of;
  uint64_t before_total = 0;
  uint64_t after_total = 0;
  double overlap = 0;
  double range_overlap = 0;  // of executions of fall-through ranges
  uint64_t common = 0;
  uint64_t only_before = 0;
  uint64_t only_after = 0;
  std::vector<std::string> differing;  // names of modules of which each profile has another build
};

Comparison Compare(const Profile& before, const Profile& after) {
  Comparison result;
  std::map<std::string, uint32_t> index;
  const auto map_modules = [&](const Profile& profile) {
    std::vector<uint32_t> map;
    for (const ProfileModule& module : profile.modules) {
      const auto [it, is_new] =
          index.try_emplace(ModuleIdentity(module), static_cast<uint32_t>(result.names.modules.size()));
      if (is_new) result.names.modules.push_back(module);
      map.push_back(it->second);
    }
    return map;
  };
  const std::vector<uint32_t> before_map = map_modules(before);
  const std::vector<uint32_t> after_map = map_modules(after);
  std::map<std::pair<Location, Location>, Change> table;
  const auto add = [&](const Profile& profile, const std::vector<uint32_t>& map, uint64_t Change::*side) {
    const auto place = [&](const Location& location) {
      return location.module < map.size() ? Location{map[location.module], location.address} : Location{};
    };
    for (const BranchCount& branch : profile.branches) {
      Change& change = table[{place(branch.from), place(branch.to)}];
      change.*side = SaturatingAdd(change.*side, branch.count);
    }
  };
  add(before, before_map, &Change::before);
  add(after, after_map, &Change::after);
  result.before_total = TotalBranches(before);
  result.after_total = TotalBranches(after);
  for (auto& [key, change] : table) {
    change.from = key.first;
    change.to = key.second;
    if (result.before_total != 0) {
      change.before_share = static_cast<double>(change.before) / static_cast<double>(result.before_total);
    }
    if (result.after_total != 0) {
      change.after_share = static_cast<double>(change.after) / static_cast<double>(result.after_total);
    }
    result.changes.push_back(change);
  }
  const auto add_ranges = [&ranges = result.ranges](const Profile& profile, const std::vector<uint32_t>& map,
                                                    double std::pair<double, double>::*side) {
    double total = 0;
    for (const RangeCount& range : profile.ranges) total += static_cast<double>(range.count);
    for (const RangeCount& range : profile.ranges) {
      const uint32_t module = range.module < map.size() ? map[range.module] : kNoModule;
      if (total != 0) ranges[{module, range.first, range.last}].*side += static_cast<double>(range.count) / total;
    }
  };
  add_ranges(before, before_map, &std::pair<double, double>::first);
  add_ranges(after, after_map, &std::pair<double, double>::second);
  std::map<std::string, std::set<uint32_t>> by_name;
  for (size_t i = 0; i < before.modules.size(); ++i) by_name[BaseName(before.modules[i].name)].insert(before_map[i]);
  std::set<std::string> differing;
  for (size_t i = 0; i < after.modules.size(); ++i) {
    const auto it = by_name.find(BaseName(after.modules[i].name));
    if (it != by_name.end() && !it->second.contains(after_map[i])) differing.insert(it->first);
  }
  result.differing.assign(differing.begin(), differing.end());
  std::map<std::string, uint32_t> first_build;
  for (uint32_t i = 0; i < result.names.modules.size(); ++i) {
    const std::string name = BaseName(result.names.modules[i].name);
    result.build_of.push_back(differing.contains(name) ? first_build.try_emplace(name, i).first->second : i);
  }
  return result;
}

// Joins the rows of equal places, and computes what is equal.
void MatchAndCount(MatchedBuilds* builds, Comparison* comparison) {
  std::map<std::pair<CodePlace, CodePlace>, Change> matched;
  for (const Change& change : comparison->changes) {
    const auto [it, is_new] = matched.try_emplace({builds->Of(change.from), builds->Of(change.to)}, change);
    if (is_new) continue;
    Change& sum = it->second;
    sum.before = SaturatingAdd(sum.before, change.before);
    sum.after = SaturatingAdd(sum.after, change.after);
    sum.before_share += change.before_share;
    sum.after_share += change.after_share;
  }
  comparison->changes.clear();
  for (const auto& [places, change] : matched) {
    comparison->overlap += std::min(change.before_share, change.after_share);
    if (change.before != 0 && change.after != 0) ++comparison->common;
    if (change.before != 0 && change.after == 0) ++comparison->only_before;
    if (change.before == 0 && change.after != 0) ++comparison->only_after;
    comparison->changes.push_back(change);
  }
  std::stable_sort(comparison->changes.begin(), comparison->changes.end(), [](const Change& a, const Change& b) {
    return std::fabs(a.Difference()) > std::fabs(b.Difference());
  });
  std::map<std::pair<CodePlace, CodePlace>, std::pair<double, double>> ranges;
  for (const auto& [range, shares] : comparison->ranges) {
    const auto& [module, first, last] = range;
    auto& sum = ranges[{builds->Of({module, first}), builds->Of({module, last})}];
    sum.first += shares.first;
    sum.second += shares.second;
  }
  for (const auto& [range, shares] : ranges) comparison->range_overlap += std::min(shares.first, shares.second);
}

Json PlaceJson(Symbolizer* symbolizer, const Profile& names, const Location& location) {
  if (location.module >= names.modules.size()) return Json();
  const ProfileModule& module = names.modules[location.module];
  const std::string file = symbolizer->SourceOfLocal(location);
  return Json{{"module", module.name},
              {"build_id", HexBytes(module.build_id)},
              {"address", location.address},
              {"symbol", symbolizer->Function(location) != nullptr ? Json(symbolizer->Describe(location)) : Json()},
              {"file", file.empty() ? Json() : Json(file)}};
}

// With the file of a function whose name is not its own in the module.
std::string DescribePlace(Symbolizer* symbolizer, MatchedBuilds* builds, const Location& location) {
  const std::string file = builds->IsOneOfSeveral(location) ? symbolizer->SourceOfLocal(location) : "";
  return ShortenOnTerminal(symbolizer->Describe(location), 60) + (file.empty() ? "" : " (" + file + ")");
}

// The overlap of taken branches by the function that holds their source. Code between the symbols of a module is one
// function of it. Where nothing is known of a module's functions the overlap lies between two limits: if each branch is
// in a function of its own, and if all are in one.
struct FunctionOverlap {
  double least = 0;
  double most = 0;
  std::set<uint32_t> unknown;  // modules with branches of which no function is known
  bool is_known() const { return most - least < 1e-9; }
};

bool HasFunctions(Symbolizer* symbolizer, uint32_t module) {
  const std::vector<FunctionSymbol>& functions = symbolizer->Symbols(module).functions();
  return std::any_of(functions.begin(), functions.end(),
                     [](const FunctionSymbol& function) { return !function.is_stub; });
}

FunctionOverlap OverlapOfFunctions(Symbolizer* symbolizer, MatchedBuilds* builds, const Comparison& comparison) {
  const Profile& names = comparison.names;
  FunctionOverlap overlap;
  std::vector<bool> is_known;
  for (uint32_t module = 0; module < names.modules.size(); ++module)
    is_known.push_back(HasFunctions(symbolizer, module));
  using Shares = std::map<CodePlace, std::pair<double, double>>;
  Shares coarse;
  Shares fine;
  for (const Change& change : comparison.changes) {
    const uint32_t module = change.from.module;
    const FunctionSymbol* function = symbolizer->Function(change.from);
    const bool is_in_unknown = module < names.modules.size() && !is_known[module] && function == nullptr;
    if (is_in_unknown) overlap.unknown.insert(module);
    const uint64_t start = function != nullptr ? function->start : ~uint64_t{0};
    for (const auto& [table, place] :
         {std::pair(&coarse, start), std::pair(&fine, is_in_unknown ? change.from.address : start)}) {
      // A function of several builds is known by its name.
      const CodePlace matched = builds->Of(change.from);
      auto& shares =
          (*table)[!matched.function.empty() ? CodePlace{matched.module, matched.function, matched.number, 0, 0}
                                             : CodePlace{module, "", 0, 0, place}];
      shares.first += change.before_share;
      shares.second += change.after_share;
    }
  }
  for (const auto& [function, shares] : coarse) overlap.most += std::min(shares.first, shares.second);
  for (const auto& [function, shares] : fine) overlap.least += std::min(shares.first, shares.second);
  return overlap;
}

// The overlap of executed instructions by the basic block that holds them.
struct BlockChange {
  Location before;  // where it begins; in no module if it was not executed
  Location after;
  double before_share = 0;
  double after_share = 0;
  double Difference() const { return after_share - before_share; }
};

struct BlockOverlap {
  double overlap = 0;
  std::vector<BlockChange> changes;  // the largest first
  std::set<uint32_t> unread;         // modules whose code is not known: their blocks are not, either
};

BlockOverlap OverlapOfBlocks(Symbolizer* symbolizer, MatchedBuilds* builds, const Comparison& comparison) {
  BlockOverlap result;
  std::map<CodePlace, BlockChange> blocks;
  const auto add = [&](double std::pair<double, double>::*side, Location BlockChange::*place,
                       double BlockChange::*share) {
    Profile executed;
    executed.modules = comparison.names.modules;
    // Shares as counts: decoding adds up whole numbers.
    constexpr double kScale = 1e15;
    for (const auto& [range, shares] : comparison.ranges) {
      const auto& [module, first, last] = range;
      const auto count = static_cast<uint64_t>(std::llround(shares.*side * kScale));
      if (count != 0) executed.ranges.push_back({module, first, last, count});
    }
    const ExecutedCode code = DecodeExecutedCode(executed, symbolizer);
    result.unread.insert(code.unread_modules.begin(), code.unread_modules.end());
    double total = 0;
    for (const ExecutedModule& module : code.modules) {
      for (const ExecutedInstruction& instruction : module.instructions)
        total += static_cast<double>(instruction.executions);
    }
    for (const ExecutedModule& module : code.modules) {
      for (const ExecutedInstruction& instruction : module.instructions) {
        uint64_t start = 0;
        BlockChange& block = blocks[builds->BlockOf({module.module, instruction.address}, &start)];
        block.*place = {module.module, start};
        block.*share += static_cast<double>(instruction.executions) / total;
      }
    }
  };
  add(&std::pair<double, double>::first, &BlockChange::before, &BlockChange::before_share);
  add(&std::pair<double, double>::second, &BlockChange::after, &BlockChange::after_share);
  for (const auto& [place, change] : blocks) {
    result.overlap += std::min(change.before_share, change.after_share);
    result.changes.push_back(change);
  }
  std::stable_sort(result.changes.begin(), result.changes.end(), [](const BlockChange& a, const BlockChange& b) {
    return std::fabs(a.Difference()) > std::fabs(b.Difference());
  });
  return result;
}

// "prog (build id 1f2e) was not found", of modules; of those that were, `what` they lack.
std::string DescribeUnknown(Symbolizer* symbolizer, const ModuleFiles& files, const Profile& names,
                            const std::set<uint32_t>& unknown, const std::string& what) {
  std::string text;
  for (const uint32_t number : unknown) {
    const ProfileModule& module = names.modules[number];
    const bool is_found = symbolizer->File(number) != nullptr;
    const std::string other = is_found ? "" : files.DescribeOtherBuild(module);
    text += (text.empty() ? "" : ", ") + SafeText(module.name) + " (" + BuildIdText(module.build_id) + ") " +
            (is_found ? what : "was not found") + (other.empty() ? "" : " (" + other + ")");
  }
  return text;
}

constexpr double kRounding = 1e-9;  // of sums of shares

// In percentage points: the difference of two shares is no percentage of either.
std::string SharePoints(double difference) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%+.2f points", 100 * difference);
  return buffer;
}

std::string PercentOfAll(double share) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2f%%", 100 * share);
  return buffer;
}

void PrintBlocks(const DiffOptions& options, Symbolizer* symbolizer, MatchedBuilds* builds,
                 const BlockOverlap& by_block, std::ostream& out) {
  const auto describe = [&](const Location& place) {
    return place.module == kNoModule ? std::string("(not executed)") : DescribePlace(symbolizer, builds, place);
  };
  TextTable table({{"change", Align::kRight},
                   {"A", Align::kRight},
                   {"B", Align::kRight},
                   {"in A", Align::kLeft},
                   {"in B", Align::kLeft}});
  for (size_t i = 0; i < std::min<size_t>(options.top, by_block.changes.size()); ++i) {
    const BlockChange& change = by_block.changes[i];
    if (std::fabs(change.Difference()) < kRounding) break;
    table.AddRow({SharePoints(change.Difference()), PercentOfAll(change.before_share), PercentOfAll(change.after_share),
                  describe(change.before), describe(change.after)});
  }
  if (table.empty()) {
    out << "  none\n";
  } else {
    table.Print(out);
  }
}

// The exit code: --min makes the comparison a gate.
int EndOfDiff(const DiffOptions& options, double overlap) {
  if (overlap >= options.min_overlap - kRounding) return 0;
  char text[96];
  std::snprintf(text, sizeof text, "an overlap of %.4f, below the %.4f of --min", overlap, options.min_overlap);
  throw StatedFailure(SafeText(options.before) + " and " + SafeText(options.after) + " have, by " + options.by + ", " +
                      text + "; record longer, or see the largest changes above");
}

// The same by function. An overlap that is not known passes only if it does so whatever the functions are.
int EndOfDiffByFunction(const DiffOptions& options, const FunctionOverlap& overlap, const std::string& unknown) {
  if (overlap.most < options.min_overlap - kRounding) return EndOfDiff(options, overlap.most);
  if (overlap.least >= options.min_overlap - kRounding) return 0;
  char text[96];
  std::snprintf(text, sizeof text, "%.4f and %.4f", overlap.least, overlap.most);
  throw StatedFailure("the overlap by function is somewhere between " + std::string(text) +
                      ", so --min cannot be checked: " + unknown + "; name its file with -b");
}

}  // namespace

int RunDiff(const DiffOptions& options, std::ostream& out) {
  const Profile before = LoadProfile(options.before);
  const Profile after = LoadProfile(options.after);
  for (const auto* side : {&options.before, &options.after}) {
    if (TotalBranches(side == &options.before ? before : after) == 0) {
      throw StatedFailure(SafeText(*side) +
                          ": holds no taken branch, so there is nothing to compare; `softlbr stats` says why");
    }
  }
  Comparison comparison = Compare(before, after);
  const ModuleFiles files(options.binaries, options.before);
  Symbolizer symbolizer(comparison.names, files);
  for (const std::string& name : comparison.differing) {
    const bool are_found =
        std::all_of(comparison.build_of.begin(), comparison.build_of.end(), [&](const uint32_t& build) {
          const auto module = static_cast<uint32_t>(&build - comparison.build_of.data());
          return BaseName(comparison.names.modules[module].name) != name || symbolizer.File(module) != nullptr;
        });
    Warn(SafeText(name) + " is a different build in each profile" +
         (are_found ? "; its branches are matched by function and basic block"
                    : "; branches of a build whose file was not found count as different: name both files with -b"));
  }
  std::set<std::string> contradictions;  // a file that both profiles name is warned about once
  for (const Profile* profile : {&before, &after}) {
    for (uint32_t module = 0; module < profile->modules.size(); ++module) {
      const ElfImagePtr file = files.Find(profile->modules[module]);
      if (file != nullptr)
        contradictions.insert(DescribeContradiction(CompareWithCode(*profile, module, *file), *file));
    }
  }
  for (const std::string& contradiction : contradictions) {
    if (!contradiction.empty()) Warn(contradiction);
  }
  MatchedBuilds builds(comparison.names, comparison.build_of, &symbolizer);
  MatchAndCount(&builds, &comparison);
  const BlockOverlap by_block = OverlapOfBlocks(&symbolizer, &builds, comparison);
  const std::string unread =
      DescribeUnknown(&symbolizer, files, comparison.names, by_block.unread, "cannot be decoded");
  const FunctionOverlap by_function = OverlapOfFunctions(&symbolizer, &builds, comparison);
  const std::string unknown =
      DescribeUnknown(&symbolizer, files, comparison.names, by_function.unknown, "has no symbols");
  const auto end = [&] {
    if (options.by == "function" && options.min_overlap > 0) return EndOfDiffByFunction(options, by_function, unknown);
    if (!by_function.is_known()) Warn("the overlap by function is not known: " + unknown + "; name its file with -b");
    if (options.by == "block" && !unread.empty()) {
      if (options.min_overlap > 0) {
        throw StatedFailure("the overlap by block is not known, so --min cannot be checked: " + unread +
                            "; name its file with -b");
      }
      Warn("the overlap by block is not known: " + unread + "; name its file with -b");
    }
    if (options.by == "block") return EndOfDiff(options, by_block.overlap);
    return EndOfDiff(options, options.by == "range" ? comparison.range_overlap : comparison.overlap);
  };
  const size_t shown = std::min<size_t>(options.top, comparison.changes.size());
  if (options.json) {
    Json changes = Json::array();
    for (size_t i = 0; i < shown; ++i) {
      const Change& change = comparison.changes[i];
      changes.push_back(Json{{"from", PlaceJson(&symbolizer, comparison.names, change.from)},
                             {"to", PlaceJson(&symbolizer, comparison.names, change.to)},
                             {"count_a", change.before},
                             {"count_b", change.after},
                             {"share_a", change.before_share},
                             {"share_b", change.after_share},
                             {"share_change", change.Difference()}});
    }
    Json blocks = Json::array();
    for (size_t i = 0; i < std::min<size_t>(options.top, by_block.changes.size()); ++i) {
      const BlockChange& change = by_block.changes[i];
      blocks.push_back(Json{{"a", PlaceJson(&symbolizer, comparison.names, change.before)},
                            {"b", PlaceJson(&symbolizer, comparison.names, change.after)},
                            {"share_a", change.before_share},
                            {"share_b", change.after_share},
                            {"share_change", change.Difference()}});
    }
    out << JsonText(Json{{"overlap", comparison.overlap},
                         {"overlap_of_ranges", comparison.range_overlap},
                         {"overlap_of_blocks", unread.empty() ? Json(by_block.overlap) : Json()},
                         {"overlap_of_functions", by_function.is_known() ? Json(by_function.most) : Json()},
                         {"taken_branches_a", comparison.before_total},
                         {"taken_branches_b", comparison.after_total},
                         {"branches_in_both", comparison.common},
                         {"branches_only_in_a", comparison.only_before},
                         {"branches_only_in_b", comparison.only_after},
                         {"modules_with_other_build_id", comparison.differing},
                         {"changes", changes},
                         {"blocks", unread.empty() ? blocks : Json()}})
        << '\n';
    return end();
  }
  char overlap[32];
  std::snprintf(overlap, sizeof overlap, "%.2f%%", 100 * comparison.overlap);
  out << "Overlap: " << overlap << " of taken branches (sum of the smaller shares)\n";
  char others[96];
  std::snprintf(others, sizeof others, "%.2f%%", 100 * by_function.most);
  out << "  by function: ";
  out << (by_function.is_known() ? others : "not known") << ", by block of executed instructions: ";
  std::snprintf(others, sizeof others, "%.2f%%", 100 * by_block.overlap);
  out << (unread.empty() ? others : "not known");
  std::snprintf(others, sizeof others, ", by fall-through range: %.2f%%\n", 100 * comparison.range_overlap);
  out << others << "  A: " << Counted(comparison.before_total, "taken branch", "taken branches") << " in "
      << SafeText(options.before) << ", " << Counted(comparison.only_before, "branch", "branches") << " only here\n";
  out << "  B: " << Counted(comparison.after_total, "taken branch", "taken branches") << " in "
      << SafeText(options.after) << ", " << Counted(comparison.only_after, "branch", "branches") << " only here\n";
  out << "  " << Counted(comparison.common, "branch", "branches") << " in both\n\nLargest changes"
      << (options.by == "block" ? " of the executed instructions, by basic block\n" : "\n");
  if (options.by == "block" && !unread.empty()) {
    out << "  not known\n";
    return end();
  }
  if (options.by == "block") {
    PrintBlocks(options, &symbolizer, &builds, by_block, out);
    return end();
  }
  TextTable table({{"change", Align::kRight},
                   {"A", Align::kRight},
                   {"B", Align::kRight},
                   {"from", Align::kLeft},
                   {"to", Align::kLeft}});
  for (size_t i = 0; i < shown; ++i) {
    const Change& change = comparison.changes[i];
    if (change.Difference() == 0) break;
    table.AddRow({SharePoints(change.Difference()), Share(change.before, comparison.before_total),
                  Share(change.after, comparison.after_total), DescribePlace(&symbolizer, &builds, change.from),
                  DescribePlace(&symbolizer, &builds, change.to)});
  }
  if (table.empty()) {
    out << "  none\n";
  } else {
    table.Print(out);
  }
  return end();
}

}  // namespace softlbr::toolchain
