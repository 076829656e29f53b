// Shares of the branches of a program's own module: the true ones, and what a recorder without a fault can show of them.
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
  std::vector<uint32_t> steps;  // beside each: instructions since the one before
};

// Only branches that start in `program`, the path of a module's file.
BranchShares TrueShares(const TruePath& path, const PathWindow& window, const std::string& program);

// What traces of `length` branches show whose starts are drawn from the window by instructions.
BranchShares IdealShares(const TruePath& path, const PathWindow& window, const std::string& program, size_t traces, size_t length);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_PATH_SHARES_H_
