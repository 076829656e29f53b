#include "tests/truth/trace_check.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace softlbr::truth {
namespace {

constexpr size_t kFailuresToExplain = 5;

}  // namespace

std::string TraceReport::Summary() const {
  std::ostringstream text;
  text << runs << " runs, " << traces << " traces: " << compared << " compared (" << compared_branches << " branches), "
       << excluded << " excluded (" << excluded_between << " between compared ones), " << unmapped << " unmapped, "
       << empty << " empty; " << never_executed << " with a branch that never executed, " << not_contiguous
       << " not contiguous, " << wrong_start << " with a sampled pc off their path";
  return text.str();
}

TraceChecker::TraceChecker(const TruePath& path, std::vector<std::string> excluded_module_names)
    : path_(path), index_(path.chunks) {
  for (const TruthModule& module : path.modules.modules()) {
    const std::string name = BaseName(module.path);
    is_excluded_.push_back(std::any_of(excluded_module_names.begin(), excluded_module_names.end(),
                                       [&](const std::string& prefix) { return name.starts_with(prefix); }));
  }
  for (BranchNumber number = 0; number < path.branches.size(); ++number) numbers_[path.branches[number]] = number;
  std::set<std::pair<BranchNumber, BranchNumber>> neighbours;
  for (size_t p = 0; p < path.chunks.size(); ++p) {
    const auto& chunk = path.chunks[p];
    if (!chunk.empty()) run_starts_[chunk[0]].push_back(path.piece_starts[p]);
    for (size_t i = 1; i < chunk.size(); ++i) {
      if (neighbours.emplace(chunk[i - 1], chunk[i]).second)
        run_starts_[chunk[i]].push_back(path.branches[chunk[i - 1]].to);
    }
  }
}

bool TraceChecker::IsExcluded(const CodeAddress& address) const {
  return address.module < is_excluded_.size() && is_excluded_[address.module];
}

bool TraceChecker::StartsOnRun(const CodeAddress& sampled_pc, BranchNumber first) const {
  const CodeAddress& from = path_.branches[first].from;
  if (sampled_pc.module != from.module || sampled_pc.address > from.address) return false;
  const std::vector<CodeAddress>& starts = run_starts_.at(first);
  return std::any_of(starts.begin(), starts.end(), [&](const CodeAddress& start) {
    return start.module == sampled_pc.module && start.address <= sampled_pc.address;
  });
}

std::string TraceChecker::Explain(const RecordedTrace& trace, size_t good, const std::string& what) const {
  std::ostringstream text;
  text << what << "; sampled at " << path_.modules.Describe(trace.sampled_pc) << "\n";
  const size_t begin = good > 6 ? good - 6 : 0;
  for (size_t i = begin; i < trace.branches.size() && i <= good + 3; ++i) {
    const TakenBranch& branch = trace.branches[i];
    text << (i < good    ? "      "
             : i == good ? "  !!  "
                         : "  ?   ")
         << "[" << i << "] " << path_.modules.Describe(branch.from) << " -> " << path_.modules.Describe(branch.to)
         << (numbers_.count(branch) ? "" : "   (never executed)") << "\n";
  }
  if (good > 0 && good < trace.branches.size()) {
    // What followed the last matching branch in the true path.
    const auto last = numbers_.find(trace.branches[good - 1]);
    text << "      after [" << good - 1 << "] the program went to:";
    std::set<BranchNumber> next;
    for (const auto& chunk : path_.chunks) {
      for (size_t i = 1; i < chunk.size(); ++i) {
        if (chunk[i - 1] == last->second) next.insert(chunk[i]);
      }
    }
    size_t shown = 0;
    for (const BranchNumber number : next) {
      if (++shown > 4) break;
      const TakenBranch& branch = path_.branches[number];
      text << "  " << path_.modules.Describe(branch.from) << " -> " << path_.modules.Describe(branch.to);
    }
    text << "\n";
  }
  return text.str();
}

std::vector<BranchNumber> TraceChecker::NumbersOf(const RecordedTrace& trace) const {
  std::vector<BranchNumber> sequence;
  for (const TakenBranch& branch : trace.branches) {
    const auto number = numbers_.find(branch);
    if (number == numbers_.end()) break;
    sequence.push_back(number->second);
  }
  return sequence;
}

void TraceChecker::Expect(const std::vector<RecordedTrace>& traces) {
  std::vector<std::vector<BranchNumber>> sequences;
  for (const RecordedTrace& trace : traces) sequences.push_back(NumbersOf(trace));
  index_.Seek(sequences);
}

void TraceChecker::Check(const RecordedTrace& trace, TraceReport* report) {
  ++report->traces;
  if (trace.branches.empty()) {
    ++report->empty;
    return;
  }
  const auto touches = [&](auto has_property) {
    return has_property(trace.sampled_pc) ||
           std::any_of(trace.branches.begin(), trace.branches.end(),
                       [&](const TakenBranch& branch) { return has_property(branch.from) || has_property(branch.to); });
  };
  if (touches([](const CodeAddress& address) { return address.module == kUnmapped; })) {
    ++report->unmapped;
    return;
  }
  const std::vector<BranchNumber> sequence = NumbersOf(trace);
  uint64_t* fault = nullptr;
  const char* what = "";
  if (sequence.size() < trace.branches.size()) {
    fault = &report->never_executed;
    what = "a branch that never executed";
  } else if (!index_.Find(sequence)) {
    fault = &report->not_contiguous;
    what = "not a contiguous chunk of the true path";
  } else if (!StartsOnRun(trace.sampled_pc, sequence[0])) {
    fault = &report->wrong_start;
    what = "the sampled pc does not lead to the first branch";
  }
  // The true path has gaps in an excluded module, but it has that module's forwarders to the libc.
  if (fault != nullptr && touches([this](const CodeAddress& address) { return IsExcluded(address); })) {
    ++report->excluded;
    return;
  }
  ++report->compared;
  report->compared_branches += trace.branches.size();
  if (fault == nullptr) return;
  ++*fault;
  if (report->failures.size() < kFailuresToExplain) {
    report->failures.push_back(Explain(trace, index_.LongestPrefix(sequence), what));
  }
}

double Overlap(const BranchShares& a, const BranchShares& b) {
  uint64_t total_a = 0, total_b = 0;
  for (const auto& [branch, count] : a) total_a += count;
  for (const auto& [branch, count] : b) total_b += count;
  if (total_a == 0 || total_b == 0) return 0;
  double overlap = 0;
  for (const auto& [branch, count] : a) {
    const auto other = b.find(branch);
    if (other == b.end()) continue;
    overlap += std::min(static_cast<double>(count) / static_cast<double>(total_a),
                        static_cast<double>(other->second) / static_cast<double>(total_b));
  }
  return overlap;
}

}  // namespace softlbr::truth
