// Writes hybrid samples, a call chain and a branch stack each, from which llvm-profgen --perfscript makes a
// context-sensitive profile. A sample, as `perf script -F ip,brstack` prints it, is a line for each frame and one for
// the branches, newest branch first:
//   <TAB>INNERMOST-ADDRESS
//   <TAB>RETURN-ADDRESS         of each known frame, innermost first
//    0xFROM/0xTO/P/-/-/0 ...
//
// Which frames are known. Each trace is walked forward with a virtual call stack: a call pushes its return address, a
// return pops it. A return with an empty stack goes to a caller from before the trace: that frame becomes the innermost
// one, and its callers stay unknown, except for those that other traces know (CallerTable). The stack at the end of the
// walk is the call chain. llvm-profgen then walks the same branches backward: a return pushes the frame that it left, a
// call pops one. So every frame that the trace reveals is in the contexts, also in those of branches before the return
// that revealed it.
//
// Other modules are one frame, an address outside. A branch from outside that goes back to the innermost return address
// is a return; one to a function's first instruction is a call by the other module.
//
// Bounds. A trace is divided where its frames would span more than kMaxContextFrames levels, and no more frames than
// this are kept, so contexts have at most twice that depth however deep the recursion. Memory: one trace, and two
// entries a function.
//
// The following is left out and counted (ContextCounts): a return to another place than its call (longjmp, exceptions,
// signal handlers), a range that the code contradicts, and a branch that is outside the module's code or no branch
// instruction. The trace is divided there, and the frames known before are forgotten.
#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "runtime/format/slbr_format.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/convert/address_layout.h"
#include "toolchain/convert/converters.h"
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

// What all traces together show of a function's callers. A trace within a long call (a sort that calls back a
// comparison, one round of a main loop) shows no caller. If all traces that show one show the same place, that place is
// used here, too.
class CallerTable {
 public:
  // kDirect: the return address, or nothing if another module calls. kBeyondOther: called by another module, the return
  // address in this module of the call that went there.
  enum Kind { kDirect, kBeyondOther };

  void BeginTrace() { ++trace_; }
  void Add(uint64_t function, Kind kind, const Place& caller) {
    Entry& entry = entries_[{function, kind}];
    if (entry.traces != 0 && entry.caller != caller) entry.is_mixed = true;
    entry.caller = caller;
    if (entry.last_trace != trace_) ++entry.traces;
    entry.last_trace = trace_;
  }
  // Null if the traces show none, several, or too little.
  const Place* Find(uint64_t function, Kind kind) const {
    const auto it = entries_.find({function, kind});
    return it == entries_.end() || it->second.is_mixed || it->second.traces < kFewestTraces ? nullptr
                                                                                            : &it->second.caller;
  }

 private:
  static constexpr uint64_t kFewestTraces = 3;
  struct Entry {
    Place caller;
    uint64_t traces = 0;
    uint64_t last_trace = 0;
    bool is_mixed = false;
  };
  std::map<std::pair<uint64_t, Kind>, Entry> entries_;
  uint64_t trace_ = 0;
};

class ContextWalk {
 public:
  // With learn, the walk only fills the table; else it uses it and writes.
  ContextWalk(const ConvertInput& input, const AddressLayout& layout, const TextSink& write, CallerTable* callers,
              bool learn, ContextCounts* counts)
      : input_(input), layout_(layout), write_(write), callers_(callers), learn_(learn), counts_(counts) {}

  void Add(const Trace& trace) {
    Forget();
    if (learn_) callers_->BeginTrace();
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
  bool IsCode(const Place& place) const {
    return !place.has_value() || FindExecutableSegment(input_.segments, *place) != nullptr;
  }

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
    if (learn_) Learn(branch, effect, return_address);
    if (effect == Effect::kCall) {
      if (frames_.size() == kMaxContextFrames) frames_.pop_front();
      frames_.push_back(return_address);
    } else if (effect == Effect::kReturn && !frames_.empty()) {
      frames_.pop_back();
    }
    sample_.push_back(branch);
  }

  const FunctionSymbol* FunctionAt(const Place& place) const {
    return place.has_value() ? input_.symbols.Find(*place) : nullptr;
  }

  // Before the frames change.
  void Learn(const PlacedBranch& branch, Effect effect, const Place& return_address) {
    if (effect == Effect::kCall) {
      const FunctionSymbol* callee = FunctionAt(branch.to);
      if (callee == nullptr || callee->start != *branch.to) return;
      callers_->Add(callee->start, CallerTable::kDirect, return_address);
      const bool is_known = !branch.from.has_value() && !frames_.empty() && frames_.back().has_value();
      if (is_known) callers_->Add(callee->start, CallerTable::kBeyondOther, frames_.back());
    } else if (effect == Effect::kReturn && frames_.empty()) {
      const FunctionSymbol* left = FunctionAt(branch.from);
      if (left != nullptr) callers_->Add(left->start, CallerTable::kDirect, branch.to);
    }
  }

  // The frames, and outside them those that all other traces agree on. Stops at recursion.
  std::deque<Place> KnownFrames() const {
    std::deque<Place> frames = frames_;
    std::vector<const FunctionSymbol*> functions;  // innermost first; null for another module
    functions.push_back(FunctionAt(sample_.back().to));
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      functions.push_back(frame->has_value() ? FunctionAt(**frame - 1) : nullptr);
    }
    while (frames.size() < static_cast<size_t>(kMaxContextFrames)) {
      const bool is_other = functions.back() == nullptr;
      if (is_other && (functions.size() < 2 || frames.empty() || frames.front().has_value())) break;
      const FunctionSymbol* function = is_other ? functions[functions.size() - 2] : functions.back();
      if (function == nullptr) break;
      const Place* caller =
          callers_->Find(function->start, is_other ? CallerTable::kBeyondOther : CallerTable::kDirect);
      if (caller == nullptr) break;
      const FunctionSymbol* next = caller->has_value() ? FunctionAt(**caller - 1) : nullptr;
      if (caller->has_value() &&
          (next == nullptr || std::find(functions.begin(), functions.end(), next) != functions.end()))
        break;
      frames.push_front(*caller);
      functions.push_back(next);
    }
    return frames;
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
    const auto it = std::lower_bound(input_.runs.begin(), input_.runs.end(), wanted, before);
    if (it != input_.runs.end() && it->first == *first && it->last == *last) return true;
    if (!IsRange(*first, *last) ||
        FindExecutableSegment(input_.segments, *first) != FindExecutableSegment(input_.segments, *last)) {
      return false;
    }
    const WalkResult result = input_.walker->Walk(*first, *last).result;
    return result == WalkResult::kOk || (result == WalkResult::kUnknown && !input_.functions.AreSeveral(*first, *last));
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
        case SOFTLBR_END_RETURN:
          return frames_.empty() || frames_.back() == branch.to ? Effect::kReturn : Effect::kUnmatched;
        default: return Effect::kNoBranch;
      }
    }
    if (!frames_.empty() && frames_.back() == branch.to) return Effect::kReturn;
    const FunctionSymbol* function = input_.symbols.Find(*branch.to);
    if (function != nullptr && function->start == *branch.to) return Effect::kCall;
    return frames_.empty() ? Effect::kReturn : Effect::kUnmatched;
  }

  // llvm-profgen discards a sample whose innermost address is in the first or last two instructions of a function,
  // where a stack walk may miss a frame. This call chain was not walked, so such an address is written as outside:
  // llvm-profgen uses it for this check alone, and begins with the newest branch's target.
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
    if (learn_) {
      sample_.clear();
      return;
    }
    const std::deque<Place> frames = KnownFrames();
    std::string text = '\t' + HexDigits(RunTime(InnermostAddress())) + '\n';
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      text += '\t' + HexDigits(RunTime(*frame)) + '\n';
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
  CallerTable* callers_;
  const bool learn_;
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
  CallerTable callers;
  ContextCounts learned;  // the same as those of the second walk
  ContextWalk learning(input, layout, after_mappings, &callers, true, &learned);
  VisitTraces(*input.profile, [&learning](const Trace& trace) { learning.Add(trace); });
  ContextWalk walk(input, layout, after_mappings, &callers, false, &counts);
  VisitTraces(*input.profile, [&walk](const Trace& trace) { walk.Add(trace); });
  return counts;
}

std::string DescribeContextLosses(const ContextCounts& counts) {
  std::string text;
  const auto add = [&text](uint64_t count, const std::string& one, const std::string& several,
                           const std::string& what) {
    if (count != 0) text += (text.empty() ? "" : ", ") + Counted(count, one, several) + " " + what;
  };
  add(counts.unmatched_returns, "return", "returns", "to another place than the call");
  add(counts.broken_ranges, "range", "ranges", "that the code contradicts");
  add(counts.unusable_branches, "branch", "branches", "where the code has none");
  add(counts.deep_divisions, "recursion", "recursions", "deeper than " + std::to_string(kMaxContextFrames) + " frames");
  return text;
}

}  // namespace softlbr::toolchain
