// Writes hybrid samples, a call chain and a branch stack each, from which llvm-profgen --perfscript makes a context-sensitive profile.
// A sample, as `perf script -F ip,brstack` prints it, is a line for each frame and one for the branches, newest branch first:
//   <TAB>INNERMOST-ADDRESS
//   <TAB>RETURN-ADDRESS         of each known frame, innermost first
//    0xFROM/0xTO/P/-/-/0 ...
//
// Which frames are known. Each trace is walked forward with a virtual call stack: a call pushes its return address, a return pops it.
// A return with nothing left to pop goes to a caller from before the trace: that frame becomes the innermost one, and its callers
// stay unknown. The stack at the end of the walk is the call chain. llvm-profgen then walks the same branches backward: a return
// pushes the frame that it left, a call pops one. So every frame that the trace reveals is in the contexts, also in those of
// branches before the return that revealed it.
//
// Other modules are one frame, an address outside. A branch from outside that goes back to the innermost return address is a return;
// one to a function's first instruction is a call by the other module.
//
// Bounds. A trace is divided where its frames would span more than kMaxContextFrames levels, and no more frames than this are kept, so
// contexts have at most twice that depth however deep the recursion. Memory: one trace; nothing is collected over traces.
//
// What does not fit is left out and counted (ContextCounts). The trace is divided there, and the frames known before are forgotten: at a
// return to another place than its call (longjmp, exceptions, signal handlers), at a range that the code contradicts, and at a
// branch that is no code of the module or no branch instruction.
#include <algorithm>
#include <deque>
#include <tuple>

#include "runtime/format/slbr_format.h"
#include "toolchain/convert/address_layout.h"
#include "toolchain/convert/converters.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/names.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

// The compiler inlines along far shorter contexts.
constexpr int64_t kMaxContextFrames = 128;
// In shorter traces most callers stay unknown.
constexpr uint32_t kEnoughBranches = 256;

// An address in the converted module; nothing for a place outside.
using Place = std::optional<uint64_t>;

struct PlacedBranch {
  Place from;
  Place to;
};

enum class Effect { kNone, kCall, kReturn, kUnmatched, kNoBranch };

class ContextWalk {
 public:
  ContextWalk(const ConvertInput& input, const AddressLayout& layout, const TextSink& write, ContextCounts* counts)
      : input_(input), layout_(layout), write_(write), counts_(counts) {}

  void Add(const Trace& trace) {
    Forget();
    for (const auto& [from, to] : trace.branches) Step({PlaceOf(from), PlaceOf(to)});
    EndSample();
  }

 private:
  Place PlaceOf(const Location& location) const {
    return location.module == input_.module_index ? Place(location.address) : std::nullopt;
  }
  uint64_t RunTime(const Place& place) const {
    return place.has_value() ? layout_.RuntimeAddress({input_.module_index, *place}) : AddressLayout::kOutside;
  }
  bool IsCode(const Place& place) const { return !place.has_value() || FindExecutableSegment(input_.segments, *place) != nullptr; }

  void Step(const PlacedBranch& branch) {
    if (!branch.from.has_value() && !branch.to.has_value()) return;  // llvm-profgen ignores it
    if (!IsCode(branch.from) || !IsCode(branch.to)) {
      ++counts_->unusable_branches;
      Divide();
      return;
    }
    if (!sample_.empty() && !IsContinuation(sample_.back().to, branch.from)) {
      ++counts_->broken_ranges;
      Divide();
    }
    Place return_address;
    const Effect effect = EffectOf(branch, &return_address);
    if (effect == Effect::kNoBranch) {
      ++counts_->unusable_branches;
      Divide();
      return;
    }
    if (effect == Effect::kUnmatched) {
      ++counts_->unmatched_returns;
      Divide();
    }
    const int64_t depth = depth_ + (effect == Effect::kCall ? 1 : effect == Effect::kReturn ? -1 : 0);
    if (std::max(highest_, depth) - std::min(lowest_, depth) > kMaxContextFrames) {
      ++counts_->deep_divisions;
      EndSample();
      lowest_ = highest_ = depth;
    }
    depth_ = depth;
    lowest_ = std::min(lowest_, depth);
    highest_ = std::max(highest_, depth);
    if (effect == Effect::kCall) {
      if (frames_.size() == kMaxContextFrames) frames_.pop_front();
      frames_.push_back(return_address);
    } else if (effect == Effect::kReturn && !frames_.empty()) {
      frames_.pop_back();
    }
    sample_.push_back(branch);
  }

  // True if execution can have run from the target of one branch to the next branch.
  bool IsContinuation(const Place& first, const Place& last) const {
    if (first.has_value() != last.has_value()) return false;
    if (!first.has_value()) return true;
    // Nearly all ranges are in the table, and so already checked.
    const auto before = [](const ConvertRange& range, const std::pair<uint64_t, uint64_t>& wanted) {
      return std::tie(range.first, range.last) < std::tie(wanted.first, wanted.second);
    };
    const std::pair<uint64_t, uint64_t> wanted{*first, *last};
    const auto it = std::lower_bound(input_.ranges.begin(), input_.ranges.end(), wanted, before);
    if (it != input_.ranges.end() && it->first == *first && it->last == *last) return true;
    return IsRange(*first, *last) &&
           FindExecutableSegment(input_.segments, *first) == FindExecutableSegment(input_.segments, *last) &&
           !input_.symbols.CrossesFunctions(*first, *last) &&
           input_.walker->Walk(*first, *last).result != WalkResult::kNotContiguous;
  }

  Effect EffectOf(const PlacedBranch& branch, Place* return_address) const {
    if (branch.from.has_value()) {
      const WalkedRange instruction = input_.walker->Walk(*branch.from, *branch.from);
      switch (instruction.end) {
        case SOFTLBR_END_CONDITIONAL:
        case SOFTLBR_END_JUMP:
        case SOFTLBR_END_INDIRECT_JUMP: return Effect::kNone;
        case SOFTLBR_END_CALL:
        case SOFTLBR_END_INDIRECT_CALL: *return_address = *branch.from + instruction.bytes; return Effect::kCall;
        case SOFTLBR_END_RETURN: return frames_.empty() || frames_.back() == branch.to ? Effect::kReturn : Effect::kUnmatched;
        default: return Effect::kNoBranch;
      }
    }
    if (!frames_.empty() && frames_.back() == branch.to) return Effect::kReturn;
    const FunctionSymbol* function = input_.symbols.Find(*branch.to);
    if (function != nullptr && function->start == *branch.to) return Effect::kCall;
    return frames_.empty() ? Effect::kReturn : Effect::kUnmatched;
  }

  // llvm-profgen discards a sample whose innermost address is in the first or last two instructions of a function, where a stack
  // walk may miss a frame. This call chain was not walked, so such an address is written as outside: llvm-profgen uses it for this
  // check alone, and begins with the newest branch's target.
  Place InnermostAddress() const {
    const Place& target = sample_.back().to;
    if (!target.has_value()) return target;
    const WalkedRange at_target = input_.walker->Walk(*target, *target);
    const FunctionSymbol* function = input_.symbols.Find(*target);
    if (function == nullptr || *target == function->start) return std::nullopt;
    if (*target == function->start + input_.walker->Walk(function->start, function->start).bytes) return std::nullopt;
    const bool is_at_end =
        at_target.end == SOFTLBR_END_RETURN || input_.walker->KindAt(*target + at_target.bytes) == SOFTLBR_END_RETURN;
    return is_at_end ? std::nullopt : target;
  }

  void EndSample() {
    if (sample_.empty()) return;
    std::string text = '\t' + HexDigits(RunTime(InnermostAddress())) + '\n';
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) text += '\t' + HexDigits(RunTime(*frame)) + '\n';
    for (auto branch = sample_.rbegin(); branch != sample_.rend(); ++branch) {
      text += " 0x" + HexDigits(RunTime(branch->from)) + "/0x" + HexDigits(RunTime(branch->to)) + "/P/-/-/0";
    }
    text += '\n';
    write_(text);
    ++counts_->samples;
    counts_->branches += sample_.size();
    sample_.clear();
  }

  void Divide() {
    EndSample();
    Forget();
  }

  void Forget() {
    frames_.clear();
    depth_ = lowest_ = highest_ = 0;
  }

  const ConvertInput& input_;
  const AddressLayout& layout_;
  const TextSink& write_;
  ContextCounts* counts_;
  std::vector<PlacedBranch> sample_;  // oldest first
  std::deque<Place> frames_;          // return addresses, innermost last; nothing: called from outside
  int64_t depth_ = 0;                 // frames above those at the beginning of the walk
  int64_t lowest_ = 0;                // in the sample
  int64_t highest_ = 0;
};

}  // namespace

ContextCounts WriteCsspgo(const ConvertInput& input, const TextSink& write) {
  if (input.profile->whole_traces == 0 && input.profile->traces.empty()) {
    throw StatedFailure(SafeText(input.profile_path) +
                        ": holds no whole traces, which show who called whom; record with --traces --branches 1024");
  }
  if (input.image == nullptr) {
    throw StatedFailure("csspgo: the program's file is needed to tell calls from other branches; name it with -b");
  }
  if (input.walker == nullptr) {
    throw StatedFailure("csspgo: no decoder plugin for " + MachineName(input.image->machine()) +
                        "; it is needed to tell calls from other branches (install its libsoftlbr_decoder_*.so)");
  }
  ContextCounts counts;
  for (const ProfileSession& session : input.profile->sessions) {
    counts.are_traces_short = counts.are_traces_short || session.branches_per_trace < kEnoughBranches;
  }
  const AddressLayout layout(input);
  std::string mappings;
  for (const Mapping& mapping : layout.mappings()) {
    if (mapping.module == input.module_index) mappings += PerfMappingLine(mapping);
  }
  if (mappings.empty()) return counts;
  bool is_first = true;
  const TextSink after_mappings = [&](std::string_view sample) {
    if (is_first) write(mappings);
    is_first = false;
    write(sample);
  };
  ContextWalk walk(input, layout, after_mappings, &counts);
  VisitTraces(*input.profile, [&walk](const Trace& trace) { walk.Add(trace); });
  return counts;
}

std::string DescribeContextLosses(const ContextCounts& counts) {
  std::string text;
  const auto add = [&text](uint64_t count, const std::string& what) {
    if (count != 0) text += (text.empty() ? "" : ", ") + GroupedCount(count) + " " + what;
  };
  add(counts.unmatched_returns, "return(s) to another place than the call");
  add(counts.broken_ranges, "range(s) that the code contradicts");
  add(counts.unusable_branches, "branch(es) that are none in the code");
  add(counts.deep_divisions, "recursion(s) deeper than " + std::to_string(kMaxContextFrames) + " frames");
  return text;
}

}  // namespace softlbr::toolchain
