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

// What traces of `length` branches show if their starts are drawn from the window in proportion to instructions.
BranchShares IdealShares(const TruePath& path, const PathWindow& window, const std::string& program, size_t traces, size_t length);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_PATH_SHARES_H_
