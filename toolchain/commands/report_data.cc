#include "toolchain/commands/report_data.h"

#include <algorithm>
#include <map>
#include <memory>

#include "toolchain/base/progress.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_walker.h"
#include "toolchain/code/block_counts.h"
#include "toolchain/profile/counters.h"
#include "toolchain/symbols/range_parts.h"

namespace softlbr::toolchain {
namespace {

class Builder {
 public:
  Builder(const Profile& profile, Symbolizer* symbolizer)
      : profile_(profile), symbolizer_(*symbolizer), walkers_(profile.modules.size()) {
    std::map<uint16_t, std::shared_ptr<Decoder>> decoders;
    data_.modules.resize(profile.modules.size());
    for (uint32_t i = 0; i < profile.modules.size(); ++i) data_.modules[i].module = i;
    is_used_.resize(profile.modules.size());
    for (const BranchCount& branch : profile.branches) {
      MarkUsed(branch.from.module);
      MarkUsed(branch.to.module);
    }
    for (const RangeCount& range : profile.ranges) MarkUsed(range.module);
    for (uint32_t i = 0; i < profile.modules.size(); ++i) {
      if (!is_used_[i]) continue;  // a module without counts needs no file
      const ElfImagePtr& file = symbolizer_.File(i);
      if (file == nullptr) continue;
      data_.modules[i].file = file->path();
      data_.modules[i].has_symbols = !symbolizer_.Symbols(i).empty();
      auto [it, is_new] = decoders.try_emplace(file->machine());
      if (is_new) it->second = Decoder::ForMachine(file->machine());
      if (it->second != nullptr) walkers_[i] = std::make_unique<CodeWalker>(file, it->second);
    }
  }

  ReportData Build(size_t top_branches) {
    AddSamples();
    AddRanges();
    TakeChosenCounts();
    AddBranches();
    EstimateUnread();
    EstimateUnknown();
    for (auto& [key, function] : functions_) data_.functions.push_back(std::move(function));
    std::stable_sort(data_.functions.begin(), data_.functions.end(),
                     [](const FunctionReport& a, const FunctionReport& b) {
                       if (a.executed_instructions != b.executed_instructions)
                         return a.executed_instructions > b.executed_instructions;
                       return a.samples != b.samples ? a.samples > b.samples : a.taken_branches > b.taken_branches;
                     });
    std::stable_sort(data_.modules.begin(), data_.modules.end(),
                     [](const ModuleReport& a, const ModuleReport& b) { return a.taken_branches > b.taken_branches; });
    AddTopBranches(top_branches);
    return std::move(data_);
  }

 private:
  void MarkUsed(uint32_t module) {
    if (module < is_used_.size()) is_used_[module] = true;
  }

  FunctionReport& Row(FunctionKind kind, uint32_t module, uint64_t start = 0) {
    auto [it, is_new] = functions_.try_emplace({kind, module, start});
    if (is_new) {
      it->second.kind = kind;
      it->second.module = module;
      it->second.start = start;
    }
    return it->second;
  }

  FunctionReport& FunctionAt(const Location& location) {
    if (location.module >= profile_.modules.size()) return Row(FunctionKind::kUnknown, kNoModule);
    const FunctionSymbol* symbol = symbolizer_.Function(location);
    if (symbol == nullptr) {
      return Row(walkers_[location.module] != nullptr ? FunctionKind::kNameless : FunctionKind::kUnread,
                 location.module);
    }
    FunctionReport& row = Row(FunctionKind::kNamed, location.module, symbol->start);
    if (!row.name.has_value()) row.name = symbolizer_.FunctionName(location);
    return row;
  }

  void AddSamples() {
    for (const SampleCount& sample : profile_.samples) {
      data_.samples = SaturatingAdd(data_.samples, sample.count);
      FunctionReport& function = FunctionAt(sample.pc);
      function.samples = SaturatingAdd(function.samples, sample.count);
      if (sample.pc.module >= profile_.modules.size()) continue;
      uint64_t* of_module = &data_.modules[sample.pc.module].samples;
      *of_module = SaturatingAdd(*of_module, sample.count);
    }
  }

  void AddRanges() {
    Progress progress("decoding executed code", profile_.ranges.size());
    for (size_t i = 0; i < profile_.ranges.size(); ++i) {
      progress.Step(i);
      const RangeCount& range = profile_.ranges[i];
      if (range.module >= profile_.modules.size() || range.last < range.first) {
        CountUndecodable(range);
        continue;
      }
      const std::vector<RangePart> parts = PartsOf(range);
      for (size_t part = 0; part < parts.size(); ++part) {
        const uint64_t end = part + 1 < parts.size() ? parts[part + 1].first : range.last + 1;
        AddPart(range, parts[part], end - parts[part].first);
      }
      if (parts.empty()) AddUnread(range);
    }
  }

  void CountUndecodable(const RangeCount& range) {
    ++data_.undecodable_ranges;
    data_.undecodable_executions = SaturatingAdd(data_.undecodable_executions, range.count);
  }

  // By function; empty if the range could not be decoded.
  std::vector<RangePart> PartsOf(const RangeCount& range) {
    CodeWalker* walker = walkers_[range.module].get();
    if (walker == nullptr) return {};
    const WalkedRange walked = walker->Walk(range.first, range.last);
    if (walked.result != WalkResult::kOk) {
      CountUndecodable(range);
      return {};
    }
    const SymbolTable& symbols = symbolizer_.Symbols(range.module);
    if (AreSeveral(symbols, range.first, range.last)) return RangeParts(symbols, walker, range.first, range.last);
    return {{nullptr, range.first, range.last, walked.instructions}};
  }

  void AddPart(const RangeCount& range, const RangePart& part, uint64_t code_bytes) {
    const uint64_t bytes = SaturatingMultiply(code_bytes, range.count);
    const uint64_t instructions = SaturatingMultiply(part.instructions, range.count);
    FunctionReport& function = FunctionAt({range.module, part.first});
    ModuleReport& module = data_.modules[range.module];
    for (uint64_t* total : {&function.executed_bytes, &module.executed_bytes, &data_.executed_bytes, &decoded_bytes_}) {
      *total = SaturatingAdd(*total, bytes);
    }
    for (uint64_t* total :
         {&function.executed_instructions, &module.executed_instructions, &data_.executed_instructions}) {
      *total = SaturatingAdd(*total, instructions);
    }
  }

  void AddUnread(const RangeCount& range) {
    const uint64_t bytes = SaturatingMultiply(range.last - range.first + 1, range.count);
    FunctionReport& function = Row(FunctionKind::kUnread, range.module);
    for (uint64_t* total :
         {&function.executed_bytes, &data_.modules[range.module].executed_bytes, &data_.executed_bytes}) {
      *total = SaturatingAdd(*total, bytes);
    }
  }

  // Where the samples are by instructions, blocks may be counted by them (block_counts.h). Otherwise the ranges have
  // told all counts.
  void TakeChosenCounts() {
    if (!AreSamplesByInstructions(profile_)) return;
    const ExecutedCode code = DecodeExecutedCode(profile_, &symbolizer_);
    data_.executed_instructions = 0;
    for (ModuleReport& module : data_.modules) module.executed_instructions = 0;
    for (auto& [key, function] : functions_) function.executed_instructions = 0;
    for (const ExecutedModule& module : code.modules) {
      for (const ExecutedInstruction& instruction : module.instructions) {
        FunctionReport& function = FunctionAt({module.module, instruction.address});
        uint64_t& of_module = data_.modules[module.module].executed_instructions;
        for (uint64_t* total : {&function.executed_instructions, &of_module, &data_.executed_instructions}) {
          *total = SaturatingAdd(*total, instruction.count);
        }
      }
    }
  }

  // Gives unread code the instructions that its bytes would have at the mean length of those decoded.
  void EstimateUnread() {
    constexpr double kUsualBytes = 4;
    const double mean = data_.executed_instructions != 0
                            ? static_cast<double>(decoded_bytes_) / static_cast<double>(data_.executed_instructions)
                            : kUsualBytes;
    for (auto& [key, function] : functions_) {
      if (function.kind != FunctionKind::kUnread) continue;
      function.executed_instructions = static_cast<uint64_t>(static_cast<double>(function.executed_bytes) / mean);
      ModuleReport& module = data_.modules[function.module];
      module.unread_instructions = function.executed_instructions;
      module.executed_instructions = SaturatingAdd(module.executed_instructions, function.executed_instructions);
      data_.executed_instructions = SaturatingAdd(data_.executed_instructions, function.executed_instructions);
    }
  }

  // Code of no module: its branches are counted as a loss, and no range tells its instructions. Those that were
  // evaluated and are in no range are its instructions, but no fewer than its branches. The counter of evaluated
  // instructions has one more for each block, and each trace begins within a range, half of which is in no row.
  void EstimateUnknown() {
    const uint64_t unmapped = profile_.counters.lost[static_cast<uint32_t>(LossReason::kUnmapped)];
    data_.taken_branches = SaturatingAdd(data_.taken_branches, unmapped);
    data_.unknown_taken_branches = SaturatingAdd(data_.unknown_taken_branches, unmapped);
    if (data_.unknown_taken_branches == 0) return;
    FunctionReport& row = Row(FunctionKind::kUnknown, kNoModule);
    row.taken_branches = data_.unknown_taken_branches;
    const SessionCounters& counters = profile_.counters;
    const uint64_t mapped = data_.taken_branches - data_.unknown_taken_branches;
    const uint64_t mean_range = mapped != 0 ? data_.executed_instructions / mapped : 0;
    const uint64_t traces = SaturatingAdd(counters.traces_complete, AbortedTraces(counters));
    uint64_t evaluated = counters.instructions_evaluated;
    for (const uint64_t known : {counters.block_lookups, SaturatingMultiply(traces, mean_range / 2)}) {
      evaluated -= std::min(evaluated, known);
    }
    // The counters are of what was recorded, of which each branch may count several times (docs/profile_format.md).
    if (counters.taken_branches != 0 && data_.taken_branches > counters.taken_branches) {
      evaluated = static_cast<uint64_t>(static_cast<double>(evaluated) * static_cast<double>(data_.taken_branches) /
                                        static_cast<double>(counters.taken_branches));
    }
    const uint64_t rest = evaluated - std::min(evaluated, data_.executed_instructions);
    row.executed_instructions = std::max(rest, data_.unknown_taken_branches);
    data_.executed_instructions = SaturatingAdd(data_.executed_instructions, row.executed_instructions);
  }

  void AddBranches() {
    data_.taken_branches = TotalBranches(profile_);
    for (const BranchCount& branch : profile_.branches) {
      if (branch.from.module < profile_.modules.size()) {
        FunctionReport& function = FunctionAt(branch.from);
        function.taken_branches = SaturatingAdd(function.taken_branches, branch.count);
        uint64_t* module_total = &data_.modules[branch.from.module].taken_branches;
        *module_total = SaturatingAdd(*module_total, branch.count);
      } else {
        data_.unknown_taken_branches = SaturatingAdd(data_.unknown_taken_branches, branch.count);
      }
      if (branch.to.module < profile_.modules.size()) {
        FunctionReport& function = FunctionAt(branch.to);
        if (function.name.has_value() && function.start == branch.to.address) {
          function.entered = SaturatingAdd(function.entered, branch.count);
        }
      }
    }
  }

  void AddTopBranches(size_t top) {
    std::vector<const BranchCount*> order;
    for (const BranchCount& branch : profile_.branches) order.push_back(&branch);
    const size_t shown = std::min(top, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(shown), order.end(),
                      [](const BranchCount* a, const BranchCount* b) {
                        return a->count != b->count ? a->count > b->count
                                                    : std::tie(a->from, a->to) < std::tie(b->from, b->to);
                      });
    for (size_t i = 0; i < shown; ++i) {
      BranchReport branch{order[i]->from, order[i]->to, order[i]->count, ""};
      if (branch.from.module < walkers_.size() && walkers_[branch.from.module] != nullptr) {
        branch.kind = BranchKindName(walkers_[branch.from.module]->KindAt(branch.from.address));
      }
      data_.branches.push_back(std::move(branch));
    }
  }

  const Profile& profile_;
  Symbolizer& symbolizer_;
  ReportData data_;
  std::vector<bool> is_used_;
  std::vector<std::unique_ptr<CodeWalker>> walkers_;  // nullptr without a file or decoder
  std::map<std::tuple<FunctionKind, uint32_t, uint64_t>, FunctionReport> functions_;
  uint64_t decoded_bytes_ = 0;
};

}  // namespace

ReportData BuildReport(const Profile& profile, Symbolizer* symbolizer, size_t top_branches) {
  return Builder(profile, symbolizer).Build(top_branches);
}

}  // namespace softlbr::toolchain
