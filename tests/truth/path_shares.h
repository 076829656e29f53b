// Shares of the branches of a program's own module: the true ones, and those that a faultless recorder would show.
#ifndef SOFTLBR_TESTS_TRUTH_PATH_SHARES_H_
#define SOFTLBR_TESTS_TRUTH_PATH_SHARES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/truth/trace_check.h"
#include "tests/truth/true_path.h"

namespace softlbr::truth {

// The part of a path that a session could see.
struct PathWindow {
  std::vector<BranchNumber> branches;
  std::vector<uint32_t> steps;  // for each branch: instructions since the one before
};

// Counts only branches that start in `program`, the path of a module's file.
BranchShares TrueShares(const TruePath& path, const PathWindow& window, const std::string& program);

// What traces of `length` branches show that begin where samples fell, and continue as the true path does. recorded:
// how many samples fell into the instructions before each taken branch; nullptr: in proportion to instructions, as
// where each takes the same time.
BranchShares IdealShares(const TruePath& path, const PathWindow& window, const std::string& program,
                         const TracesByFirst* recorded, size_t traces, size_t length);

// What the recording would show if every instruction took the same time: each trace counts by the instructions of its
// starting place in the window for each sample there.
BranchShares WithoutTime(const TruePath& path, const PathWindow& window, const std::string& program,
                         const TracesByFirst& recorded);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_PATH_SHARES_H_
