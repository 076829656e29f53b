#include "toolchain/convert/convert_input.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "runtime/format/slbr_format.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/progress.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/counters.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kMaxListedModules = 6;

// "prog, libc.so.6, ... (12 modules)", busiest first.
std::string ListModules(const Profile& profile) {
  const std::vector<std::string> labels = ModuleLabels(profile);
  const std::vector<uint64_t> counts = BranchesByModule(profile);
  std::vector<size_t> order(profile.modules.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kMaxListedModules); ++i) {
    text += (i == 0 ? "" : ", ") + labels[order[i]];
  }
  if (order.size() > kMaxListedModules) text += ", ... (" + std::to_string(order.size()) + " modules)";
  return text.empty() ? "no module" : text;
}

std::string DescribeNoBranch(const Profile& profile, const std::string& profile_path) {
  const uint64_t unmapped = profile.counters.lost[static_cast<uint32_t>(LossReason::kUnmapped)];
  if (unmapped != 0) {
    return SafeText(profile_path) + ": " + Counted(unmapped, "taken branch was", "taken branches were") +
           " recorded, all in code of no known module (generated code, or code that the program has copied), which has "
           "no file to "
           "convert for; `softlbr report` shows their share";
  }
  return SafeText(profile_path) +
         ": holds no taken branch; `softlbr stats` shows where they were lost, and a longer run or a smaller -c PERIOD "
         "gives more "
         "samples";
}

// Another module would be of no help if there is no branch in the profile at all.
[[noreturn]] void FailToChoose(const ConvertInput& input, const std::string& why) {
  const Profile& profile = *input.profile;
  const bool is_empty = profile.branches.empty() && profile.ranges.empty() && profile.whole_traces == 0;
  throw StatedFailure(is_empty ? DescribeNoBranch(profile, input.profile_path) : why);
}

void ChooseModule(ConvertInput* input, const std::string& binary) {
  const Profile& profile = *input->profile;
  if (binary.empty()) {
    const auto programs = std::count_if(profile.modules.begin(), profile.modules.end(),
                                        [](const auto& module) { return module.is_main; });
    if (programs > 1) {
      throw StatedFailure(SafeText(input->profile_path) + ": holds profiles of " + std::to_string(programs) +
                          " programs or builds, and a result describes one; name its file with -b (" +
                          ListModules(profile) + ")");
    }
    for (uint32_t i = 0; i < profile.modules.size(); ++i) {
      if (!profile.modules[i].is_main) continue;
      input->module_index = i;
      input->image = ModuleFiles({}, input->profile_path).Find(profile.modules[i]);
      return;
    }
    FailToChoose(*input, SafeText(input->profile_path) +
                             ": does not say which module is the program; name one with -b (" + ListModules(profile) +
                             ")");
  }
  if (access(binary.c_str(), F_OK) == 0) {
    const ModuleFiles files({binary}, input->profile_path);
    const ElfImage& named = *files.named()[0];
    int best = -1;
    for (uint32_t i = 0; i < profile.modules.size(); ++i) {
      if (!IsModuleFile(profile.modules[i], named) || ModuleFit(profile.modules[i], named) <= best) continue;
      best = ModuleFit(profile.modules[i], named);
      input->module_index = i;
    }
    for (uint32_t i = 0; best < 0 && i < profile.modules.size(); ++i) {
      if (!CanBeRenamed(profile.modules[i], named)) continue;
      best = 0;
      input->module_index = i;
    }
    if (best >= 0) {
      input->image = files.Find(profile.modules[input->module_index]);  // the code, should a debug file be named
      if (input->image->is_debug_only()) {
        throw StatedFailure(SafeText(binary) +
                            " holds debug information without the code; name the program itself with -b");
      }
      return;
    }
    FailToChoose(*input, SafeText(binary) + " (" + BuildIdText(named.build_id()) + ") is no module of " +
                             SafeText(input->profile_path) + ", which has " + ListModules(profile) +
                             "; give the very file that ran");
  }
  const std::vector<std::string> labels = ModuleLabels(profile);
  for (uint32_t i = 0; i < profile.modules.size(); ++i) {
    if (profile.modules[i].name != binary && labels[i] != binary) continue;
    input->module_index = i;
    input->image = ModuleFiles({}, input->profile_path).Find(profile.modules[i]);
    return;
  }
  FailToChoose(*input, SafeText(binary) + ": neither a file nor a module of " + SafeText(input->profile_path) +
                           ", which has " + ListModules(profile));
}

bool IsExecutable(const ConvertInput& input, uint64_t address) {
  return FindExecutableSegment(input.segments, address) != nullptr;
}

void CheckBranches(ConvertInput* input) {
  const auto side = [&](const Location& location) {
    return location.module == input->module_index ? std::optional<uint64_t>(location.address) : std::nullopt;
  };
  for (const BranchCount& branch : input->profile->branches) {
    ConvertBranch converted{side(branch.from), side(branch.to), branch.count};
    if (!converted.from.has_value() && !converted.to.has_value()) continue;
    if (branch.count == 0) {
      ++input->dropped.zero_counts;
    } else if ((converted.from.has_value() && !IsExecutable(*input, *converted.from)) ||
               (converted.to.has_value() && !IsExecutable(*input, *converted.to))) {
      input->dropped.branches_outside_segments.Add(branch.count);
    } else {
      input->branches.push_back(converted);
    }
  }
}

// Adds the range as it was executed, and its parts by function.
void AddRange(const RangeCount& range, ConvertInput* input) {
  const bool are_several = input->functions.AreSeveral(range.first, range.last);
  const ConvertRange run{range.first, range.last, range.count};
  if (input->walker == nullptr || !are_several) {
    const bool is_broken =
        input->walker != nullptr && input->walker->Walk(range.first, range.last).result == WalkResult::kNotContiguous;
    if (is_broken) {
      input->dropped.not_contiguous.Add(range.count);
      return;
    }
    input->ranges.push_back(run);
  } else {
    const std::vector<RangePart> parts = RangeParts(input->functions, input->walker.get(), range.first, range.last);
    if (parts.empty()) {
      const bool is_unknown = input->walker->Walk(range.first, range.last).result == WalkResult::kUnknown;
      (is_unknown ? input->dropped.across_functions : input->dropped.not_contiguous).Add(range.count);
      return;
    }
    for (const RangePart& part : parts) input->ranges.push_back({part.first, part.last, range.count});
  }
  input->runs.push_back(run);
}

// Parts of several ranges can be the same.
void AddUpRanges(std::vector<ConvertRange>* ranges) {
  std::sort(ranges->begin(), ranges->end(), [](const ConvertRange& a, const ConvertRange& b) {
    return std::tie(a.first, a.last) < std::tie(b.first, b.last);
  });
  size_t kept = 0;
  for (const ConvertRange& range : *ranges) {
    if (kept != 0 && (*ranges)[kept - 1].first == range.first && (*ranges)[kept - 1].last == range.last) {
      (*ranges)[kept - 1].count = SaturatingAdd((*ranges)[kept - 1].count, range.count);
    } else {
      (*ranges)[kept++] = range;
    }
  }
  ranges->resize(kept);
}

void CheckRanges(ConvertInput* input) {
  Progress progress("checking ranges", input->profile->ranges.size());
  for (size_t i = 0; i < input->profile->ranges.size(); ++i) {
    progress.Step(i);
    const RangeCount& range = input->profile->ranges[i];
    if (range.module != input->module_index) continue;
    const Segment* segment = FindExecutableSegment(input->segments, range.first);
    if (range.count == 0) {
      ++input->dropped.zero_counts;
    } else if (range.last < range.first) {
      input->dropped.reversed.Add(range.count);
    } else if (!IsRange(range.first, range.last)) {
      input->dropped.too_long.Add(range.count);
    } else if (segment == nullptr || segment != FindExecutableSegment(input->segments, range.last)) {
      input->dropped.outside_segments.Add(range.count);
    } else {
      AddRange(range, input);
    }
  }
  AddUpRanges(&input->ranges);
}

// Reads the chosen module's file and checks its rows.
void ReadAndCheck(const ModuleFiles& files, ConvertInput* input) {
  input->module = &input->profile->modules[input->module_index];
  input->segments = input->module->segments;
  if (input->image != nullptr) {
    input->segments = input->image->segments();
    input->debug = files.FindDebugFile(*input->image, DebugUse::kLines);
    input->symbols = SymbolTable(*input->image, input->debug.get());
    input->functions = OuterFunctions(input->symbols);
    if (auto decoder = Decoder::ForMachine(input->image->machine())) {
      input->walker = std::make_unique<CodeWalker>(input->image, std::move(decoder));
    }
  }
  CheckBranches(input);
  CheckRanges(input);
}

}  // namespace

ConvertInput PrepareConvertInput(const Profile& profile, const std::string& profile_path, const std::string& binary) {
  ConvertInput input;
  input.profile = &profile;
  input.profile_path = profile_path;
  ChooseModule(&input, binary);
  ReadAndCheck(ModuleFiles({}, profile_path), &input);
  return input;
}

ConvertInput PrepareConvertInputOf(const Profile& profile, const std::string& profile_path, uint32_t module_index,
                                   const ModuleFiles& files) {
  ConvertInput input;
  input.profile = &profile;
  input.profile_path = profile_path;
  input.module_index = module_index;
  input.image = files.Find(profile.modules[module_index]);
  if (input.image != nullptr && input.image->is_debug_only()) input.image = nullptr;
  ReadAndCheck(files, &input);
  return input;
}

void Dropped::Add(uint64_t count) {
  ++rows;
  executions = SaturatingAdd(executions, count);
}

std::string DescribeDrops(const DropCounts& dropped) {
  std::string text;
  const auto add = [&](const Dropped& kind, const char* one, const char* several, const char* what) {
    if (kind.rows == 0) return;
    text += (text.empty() ? "" : ", ") + Counted(kind.executions, "execution") + " of " +
            Counted(kind.rows, one, several) + what;
  };
  add(dropped.across_functions, "range", "ranges", " across functions that cannot be decoded");
  add(dropped.not_contiguous, "range", "ranges", " that the code contradicts");
  add(dropped.outside_segments, "range", "ranges", " outside executable segments");
  add(dropped.reversed, "reversed range", "reversed ranges", "");
  add(dropped.too_long, "range", "ranges", " of 1 MiB or more");
  add(dropped.branches_outside_segments, "branch", "branches", " outside executable segments");
  if (dropped.zero_counts != 0)
    text += (text.empty() ? "" : ", ") + Counted(dropped.zero_counts, "record") + " with a count of 0";
  return text;
}

std::string DescribeEmptiness(const ConvertInput& input) {
  const std::string name = ModuleLabels(*input.profile)[input.module_index];
  const std::string file = SafeText(input.profile_path);
  if (input.profile->branches.empty()) {
    return DescribeNoBranch(*input.profile, input.profile_path);
  }
  const std::string drops = DescribeDrops(input.dropped);
  if (!drops.empty()) return file + ": nothing of " + name + " is usable (dropped " + drops + ")";
  const uint64_t unmapped = input.profile->counters.lost[static_cast<uint32_t>(LossReason::kUnmapped)];
  const std::string elsewhere =
      unmapped == 0 ? "" : " (" + GroupedCount(unmapped) + " were in code of no known module)";
  return file + ": holds no taken branch of " + name + elsewhere + "; name another module with -b (" +
         ListModules(*input.profile) + ")";
}

}  // namespace softlbr::toolchain
