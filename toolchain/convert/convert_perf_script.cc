// Writes the text of `perf script -F ip,brstack --show-mmap-events`, for llvm-profgen --perfscript.
//
// With traces: one branch stack per trace, newest branch first. Without: two-entry stacks with repeat counts, made of a
// range, a branch into it and the branch that ended it. Each range then counts once but each branch twice; convert --to
// llvm (llvm-profgen --unsymbolized-profile) does not have this flaw.
//
// The text is of all modules. A consumer takes the rows of its binary by the mapping lines, which have the build ids.
// Of counts, a branch from one module into another is in the rows of both, outside at the other's end.
#include <algorithm>
#include <set>

#include "toolchain/base/text.h"
#include "toolchain/convert/address_layout.h"
#include "toolchain/convert/branch_supply.h"
#include "toolchain/convert/converters.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

void AppendEntry(std::string* text, uint64_t from, uint64_t to) {
  *text += " 0x" + HexDigits(from) + "/0x" + HexDigits(to) + "/P/-/-/0";
}

// `start` is written before the first trace.
void FromTraces(const ConvertInput& input, const AddressLayout& layout, const std::string& start,
                const TextSink& write) {
  bool has_trace = false;
  VisitTraces(*input.profile, [&](const Trace& trace) {
    if (trace.branches.empty()) return;
    std::string text = has_trace ? "" : start;
    has_trace = true;
    text += ' ' + HexDigits(layout.RuntimeAddress(trace.branches.back().second));
    for (auto it = trace.branches.rbegin(); it != trace.branches.rend(); ++it) {
      AppendEntry(&text, layout.RuntimeAddress(it->first), layout.RuntimeAddress(it->second));
    }
    text += '\n';
    write(text);
  });
}

std::string FromCounts(const ConvertInput& input, const AddressLayout& layout) {
  struct RunTimeBranch {
    uint64_t from = AddressLayout::kOutside;
    uint64_t to = AddressLayout::kOutside;
  };
  std::vector<RunTimeBranch> branches(input.branches.size());
  std::vector<uint64_t> uses(input.branches.size());
  BranchSupply into;
  BranchSupply out_of;
  for (size_t i = 0; i < input.branches.size(); ++i) {
    const ConvertBranch& branch = input.branches[i];
    if (branch.from.has_value()) {
      branches[i].from = layout.RuntimeAddress({input.module_index, *branch.from});
      out_of.Add(*branch.from, i, branch.count);
    }
    if (branch.to.has_value()) {
      branches[i].to = layout.RuntimeAddress({input.module_index, *branch.to});
      into.Add(*branch.to, i, branch.count);
    }
  }
  std::string text;
  for (const ConvertRange& range : input.runs) {
    // A range at either end of a trace has no recorded neighbour on that side: kOutside replaces it.
    const RunTimeBranch unknown_before{AddressLayout::kOutside,
                                       layout.RuntimeAddress({input.module_index, range.first})};
    const RunTimeBranch unknown_after{layout.RuntimeAddress({input.module_index, range.last}), AddressLayout::kOutside};
    uint64_t left = range.count;
    uint64_t before_left = 0;
    uint64_t after_left = 0;
    size_t before = 0;
    size_t after = 0;
    bool has_before = true;
    bool has_after = true;
    while (left != 0) {
      if (before_left == 0) has_before = into.Take(range.first, left, &before, &before_left);
      if (!has_before) before_left = left;
      if (after_left == 0) has_after = out_of.Take(range.last, left, &after, &after_left);
      if (!has_after) after_left = left;
      const uint64_t count = std::min({left, before_left, after_left});
      const RunTimeBranch& older = has_before ? branches[before] : unknown_before;
      const RunTimeBranch& newer = has_after ? branches[after] : unknown_after;
      text += std::to_string(count) + "\n " + HexDigits(newer.to);
      AppendEntry(&text, newer.from, newer.to);
      AppendEntry(&text, older.from, older.to);
      text += '\n';
      if (has_before) uses[before] = SaturatingAdd(uses[before], count);
      if (has_after) uses[after] = SaturatingAdd(uses[after], count);
      left -= count;
      before_left -= count;
      after_left -= count;
    }
  }
  // Unused executions become stacks of one branch, so that all branches count exactly twice.
  for (size_t i = 0; i < branches.size(); ++i) {
    const uint64_t wanted = SaturatingMultiply(input.branches[i].count, 2);
    if (wanted <= uses[i]) continue;
    text += std::to_string(wanted - uses[i]) + "\n " + HexDigits(branches[i].to);
    AppendEntry(&text, branches[i].from, branches[i].to);
    text += '\n';
  }
  return text;
}

}  // namespace

void WritePerfScript(const ConvertInput& input, const TextSink& write) {
  const AddressLayout layout(input);
  std::string mappings;
  for (const Mapping& mapping : layout.mappings()) mappings += PerfMappingLine(mapping);
  if (input.profile->whole_traces != 0 || !input.profile->traces.empty()) {
    FromTraces(input, layout, mappings, write);
    return;
  }
  std::string samples = FromCounts(input, layout);
  std::set<uint32_t> others;
  for (const Mapping& mapping : layout.mappings()) others.insert(mapping.module);
  others.erase(input.module_index);
  const ModuleFiles files({}, input.profile_path);
  for (const uint32_t module : others) {
    samples += FromCounts(PrepareConvertInputOf(*input.profile, input.profile_path, module, files), layout);
  }
  if (!samples.empty()) write(mappings + samples);
}

}  // namespace softlbr::toolchain
