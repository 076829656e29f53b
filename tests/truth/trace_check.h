// Compares recorded traces with a true path.
//
// A trace passes if its branches occur in the true path in order and without a gap, and if its sampled pc is on
// straight-line code that leads to its first branch. Two kinds of traces are left out and counted: those that do not
// pass and touch a module whose path is not wholly known (`excluded`: the runtime's own library, of which only what
// forwards to the libc is stepped), and those with an address that the recorder itself gave up (`unmapped`: the profile
// carries no address for it).
#ifndef SOFTLBR_TESTS_TRUTH_TRACE_CHECK_H_
#define SOFTLBR_TESTS_TRUTH_TRACE_CHECK_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/truth/path_index.h"
#include "tests/truth/true_path.h"

namespace softlbr::truth {

// Module of an address that the recorder found in no module.
inline constexpr uint32_t kUnmapped = kNoTruthModule - 2;

// A trace in the true path's own module numbers.
struct RecordedTrace {
  CodeAddress sampled_pc;
  std::vector<TakenBranch> branches;
};

struct TraceReport {
  uint64_t runs = 0;
  uint64_t traces = 0;  // all
  uint64_t empty = 0;   // without a branch: only counted
  uint64_t excluded = 0;
  // those with a compared trace before and after them in their run: neither start nor stop
  uint64_t excluded_between = 0;
  uint64_t unmapped = 0;
  uint64_t compared = 0;
  uint64_t compared_branches = 0;
  uint64_t never_executed = 0;        // traces with a branch that occurs nowhere in the true path
  uint64_t not_contiguous = 0;        // traces whose branches all occur, but not in this order
  uint64_t wrong_start = 0;           // traces whose sampled pc does not lead to their first branch
  std::vector<std::string> failures;  // the first few, to be read by a person

  uint64_t Failed() const { return never_executed + not_contiguous + wrong_start; }
  std::string Summary() const;
};

class TraceChecker {
 public:
  // `path` must outlive the checker.
  TraceChecker(const TruePath& path, std::vector<std::string> excluded_module_names);

  // Call it before Check of these traces if the path is long: see PathIndex::Seek.
  void Expect(const std::vector<RecordedTrace>& traces);
  void Check(const RecordedTrace& trace, TraceReport* report);
  bool IsExcluded(const CodeAddress& address) const;

 private:
  bool StartsOnRun(const CodeAddress& sampled_pc, BranchNumber first) const;
  // Numbers of the trace's branches, up to the first that never executed.
  std::vector<BranchNumber> NumbersOf(const RecordedTrace& trace) const;
  std::string Explain(const RecordedTrace& trace, size_t good, const std::string& what) const;

  const TruePath& path_;
  PathIndex index_;
  std::vector<bool> is_excluded_;  // by module
  std::map<TakenBranch, BranchNumber> numbers_;
  // starts of the straight-line code that ended with a branch
  std::map<BranchNumber, std::vector<CodeAddress>> run_starts_;
};

// Counts of distinct branches, over the compared traces.
using BranchShares = std::map<TakenBranch, uint64_t>;
// Traces by their first branch: samples that fell into the instructions before it.
struct TracesOfFirst {
  uint64_t traces = 0;
  BranchShares branches;
};
using TracesByFirst = std::map<TakenBranch, TracesOfFirst>;
// Sum over distinct branches of the smaller of the two shares: 1 for equal distributions, 0 for disjoint ones.
double Overlap(const BranchShares& a, const BranchShares& b);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_TRACE_CHECK_H_
