#include "toolchain/prefetch/trace_path.h"

#include <array>
#include <optional>

#include "toolchain/prefetch/code_cache.h"

namespace softlbr::toolchain {
namespace {

// First tries places that were reached over this many equal blocks, then over fewer.
constexpr std::array<uint32_t, 4> kBlocksAlike = {32, 12, 4, 1};
constexpr uint32_t kDraws = 16;      // until fewer equal blocks will do
constexpr uint32_t kLeastRest = 32;  // blocks of a trace that are worth going on with

uint64_t HashOf(const BlockNumber* end, uint32_t count) {
  uint64_t hash = count;
  for (const BlockNumber* block = end - count; block != end; ++block)
    hash = (hash ^ *block) * 0x9e3779b97f4a7c15u + (hash >> 29);
  return hash;
}

// Numbers without order, the same in each run.
class Lottery {
 public:
  uint64_t Below(uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

 private:
  uint64_t state_ = 1;
};

}  // namespace

uint64_t PathLine(uint32_t module, uint64_t address) { return (uint64_t{module} << 44) + CodeLineOf(address); }

TracePath::TracePath(const ExecutedCode& code, const CodeLayout& layout) : layout_(layout) {
  for (const ExecutedModule& module : code.modules) {
    if (by_start_.size() <= module.module) by_start_.resize(module.module + 1);
    auto& by_start = by_start_[module.module];
    bool is_open = false;
    uint64_t end = 0;
    for (const ExecutedInstruction& instruction : module.instructions) {
      if (!is_open || instruction.is_target || end != instruction.address) {
        blocks_.push_back({module.module, instruction.address, 0, {}});
      }
      PathBlock& block = blocks_.back();
      // An instruction across two lines is executed when both are there.
      const CodeLayout::Span span = layout_.Of(module.module, instruction.address, instruction.bytes);
      for (const uint64_t byte : {span.first, span.last}) {
        const uint64_t line = PathLine(module.module, byte);
        if (block.lines.empty() || block.lines.back().line != line)
          block.lines.push_back({instruction.address, line, 0});
      }
      ++block.lines.back().instructions;
      ++block.instructions;
      by_start[block.start] = {static_cast<BlockNumber>(blocks_.size() - 1), instruction.address};
      end = instruction.address + instruction.bytes;
      is_open = instruction.end == SOFTLBR_END_FALLTHROUGH;
    }
  }
}

// The blocks from `first` to the branch at `last`. False, and nothing is added, if there is no such way.
bool TracePath::AddRun(uint32_t module, uint64_t first, uint64_t last, std::vector<BlockNumber>* trace) {
  if (module >= by_start_.size() || first > last) return false;
  const auto found = by_start_[module].find(first);
  if (found == by_start_[module].end()) return false;
  const size_t size_before = trace->size();
  for (BlockNumber block = found->second.first;; ++block) {
    // Blocks are numbered by address, so the next number is the code behind this block, if there is any.
    const bool is_behind = block < blocks_.size() && blocks_[block].module == module && blocks_[block].start <= last;
    const auto end = is_behind ? by_start_[module].find(blocks_[block].start) : by_start_[module].end();
    if (end == by_start_[module].end() || end->second.second > last) {
      trace->resize(size_before);
      return false;
    }
    trace->push_back(block);
    if (end->second.second == last) return true;
  }
}

void TracePath::Finish(std::vector<BlockNumber>* trace) {
  if (trace->size() > 2 * kLeastRest) {
    traces_.push_back(std::move(*trace));
  }
  trace->clear();
}

void TracePath::Add(const Trace& trace) {
  std::vector<BlockNumber> blocks;
  for (size_t i = 1; i < trace.branches.size(); ++i) {
    const Location& first = trace.branches[i - 1].second;
    const Location& last = trace.branches[i].first;
    if (first.module != last.module || !AddRun(first.module, first.address, last.address, &blocks)) Finish(&blocks);
  }
  Finish(&blocks);
}

TracePath::Continuations TracePath::FindContinuations(uint32_t blocks_alike) const {
  Continuations continuations;
  for (const auto& trace : traces_) continuations[HashOf(trace.data() + trace.size(), blocks_alike)];
  for (uint32_t i = 0; i < traces_.size(); ++i) {
    const std::vector<BlockNumber>& trace = traces_[i];
    for (uint32_t next = blocks_alike; next + kLeastRest < trace.size(); ++next) {
      const auto wanted = continuations.find(HashOf(trace.data() + next, blocks_alike));
      if (wanted != continuations.end()) wanted->second.push_back({i, next});
    }
  }
  return continuations;
}

void TracePath::Walk(uint32_t passes, const std::function<void(BlockNumber block, bool is_cut)>& visit) const {
  std::vector<Continuations> continuations;
  for (const uint32_t blocks_alike : kBlocksAlike) continuations.push_back(FindContinuations(blocks_alike));
  std::vector<uint64_t> visits(traces_.size());  // of a trace's blocks
  const auto is_used_up = [&](uint32_t trace) { return visits[trace] >= uint64_t{passes} * traces_[trace].size(); };
  Lottery lottery;
  const auto draw = [&](uint32_t trace_before) -> std::optional<Place> {
    const std::vector<BlockNumber>& before = traces_[trace_before];
    for (size_t i = 0; i < kBlocksAlike.size(); ++i) {
      const std::vector<Place>& choices = continuations[i].at(HashOf(before.data() + before.size(), kBlocksAlike[i]));
      for (uint32_t attempt = 0; attempt < kDraws && !choices.empty(); ++attempt) {
        const Place& place = choices[lottery.Below(choices.size())];
        if (place.trace != trace_before && !is_used_up(place.trace)) return place;
      }
    }
    return std::nullopt;
  };
  for (uint32_t first = 0; first < traces_.size();) {
    bool is_cut = true;
    for (std::optional<Place> place = Place{first, 0}; place.has_value(); place = draw(place->trace)) {
      const std::vector<BlockNumber>& trace = traces_[place->trace];
      visits[place->trace] += trace.size() - place->next;
      for (uint32_t i = place->next; i < trace.size(); ++i) {
        visit(trace[i], is_cut);
        is_cut = false;
      }
    }
    while (first < traces_.size() && is_used_up(first)) ++first;
  }
}

}  // namespace softlbr::toolchain
