#include "toolchain/commands/report_data.h"

#include <algorithm>
#include <map>
#include <memory>

#include "toolchain/binary/code_walker.h"
#include "toolchain/binary/range_parts.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"

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
    AddRanges();
    AddBranches();
    for (auto& [key, function] : functions_) data_.functions.push_back(std::move(function));
    const bool by_instructions = data_.has_instructions;
    std::stable_sort(data_.functions.begin(), data_.functions.end(), [&](const FunctionReport& a, const FunctionReport& b) {
      const uint64_t a_weight = by_instructions ? a.executed_instructions : a.executed_bytes;
      const uint64_t b_weight = by_instructions ? b.executed_instructions : b.executed_bytes;
      return a_weight != b_weight ? a_weight > b_weight : a.taken_branches > b.taken_branches;
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

  FunctionReport& FunctionAt(const Location& location) {
    const FunctionSymbol* symbol = symbolizer_.Function(location);
    const uint64_t start = symbol != nullptr ? symbol->start : 0;
    auto [it, is_new] = functions_.try_emplace({location.module, symbol != nullptr, start});
    if (is_new) {
      it->second.module = location.module;
      it->second.start = start;
      it->second.name = symbolizer_.FunctionName(location);
    }
    return it->second;
  }

  void AddRanges() {
    data_.has_instructions = !profile_.ranges.empty();
    Progress progress("decoding executed code", profile_.ranges.size());
    for (size_t i = 0; i < profile_.ranges.size(); ++i) {
      progress.Step(i);
      const RangeCount& range = profile_.ranges[i];
      if (range.module >= profile_.modules.size() || range.last < range.first) {
        ++data_.undecodable_ranges;
        continue;
      }
      const std::vector<RangePart> parts = PartsOf(range);
      for (size_t part = 0; part < parts.size(); ++part) {
        const uint64_t end = part + 1 < parts.size() ? parts[part + 1].first : range.last + 1;
        AddPart(range, parts[part], end - parts[part].first);
      }
    }
  }

  // By function; one part without instructions if the range could not be decoded.
  std::vector<RangePart> PartsOf(const RangeCount& range) {
    CodeWalker* walker = walkers_[range.module].get();
    const SymbolTable& symbols = symbolizer_.Symbols(range.module);
    const WalkedRange walked = walker != nullptr ? walker->Walk(range.first, range.last) : WalkedRange();
    const bool is_decoded = walked.result == WalkResult::kOk;
    if (!is_decoded) data_.has_instructions = false;
    if (!is_decoded && walker != nullptr) ++data_.undecodable_ranges;
    if (is_decoded && AreSeveral(symbols, range.first, range.last)) return RangeParts(symbols, walker, range.first, range.last);
    return {{nullptr, range.first, range.last, is_decoded ? walked.instructions : 0}};
  }

  void AddPart(const RangeCount& range, const RangePart& part, uint64_t code_bytes) {
    const uint64_t bytes = SaturatingMultiply(code_bytes, range.count);
    const uint64_t instructions = SaturatingMultiply(part.instructions, range.count);
    FunctionReport& function = FunctionAt({range.module, part.first});
    ModuleReport& module = data_.modules[range.module];
    for (uint64_t* total : {&function.executed_bytes, &module.executed_bytes, &data_.executed_bytes}) {
      *total = SaturatingAdd(*total, bytes);
    }
    for (uint64_t* total : {&function.executed_instructions, &data_.executed_instructions}) {
      *total = SaturatingAdd(*total, instructions);
    }
    if (walkers_[range.module] != nullptr) {
      module.executed_instructions = SaturatingAdd(module.executed_instructions.value_or(0), instructions);
    }
  }

  void AddBranches() {
    data_.taken_branches = TotalBranches(profile_);
    for (const BranchCount& branch : profile_.branches) {
      if (branch.from.module < profile_.modules.size()) {
        FunctionReport& function = FunctionAt(branch.from);
        function.taken_branches = SaturatingAdd(function.taken_branches, branch.count);
        uint64_t* module_total = &data_.modules[branch.from.module].taken_branches;
        *module_total = SaturatingAdd(*module_total, branch.count);
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
                        return a->count != b->count ? a->count > b->count : std::tie(a->from, a->to) < std::tie(b->from, b->to);
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
  std::map<std::tuple<uint32_t, bool, uint64_t>, FunctionReport> functions_;
};

}  // namespace

ReportData BuildReport(const Profile& profile, Symbolizer* symbolizer, size_t top_branches) {
  return Builder(profile, symbolizer).Build(top_branches);
}

}  // namespace softlbr::toolchain
