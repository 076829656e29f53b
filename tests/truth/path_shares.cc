#include "tests/truth/path_shares.h"

#include <algorithm>
#include <random>

namespace softlbr::truth {
namespace {

BranchShares OwnShares(const TruePath& path, const std::vector<uint64_t>& counts, const std::string& program) {
  BranchShares shares;
  for (size_t number = 0; number < counts.size(); ++number) {
    const uint32_t module = path.branches[number].from.module;
    if (counts[number] == 0 || module == kNoTruthModule || path.modules.modules()[module].path != program) continue;
    shares[path.branches[number]] = counts[number];
  }
  return shares;
}

}  // namespace

BranchShares TrueShares(const TruePath& path, const PathWindow& window, const std::string& program) {
  std::vector<uint64_t> counts(path.branches.size());
  for (const BranchNumber number : window.branches) ++counts[number];
  return OwnShares(path, counts, program);
}

BranchShares IdealShares(const TruePath& path, const PathWindow& window, const std::string& program, size_t traces, size_t length) {
  std::mt19937_64 random(11);
  std::discrete_distribution<size_t> start(window.steps.begin(), window.steps.end());
  std::vector<uint64_t> counts(path.branches.size());
  for (size_t i = 0; i < traces; ++i) {
    const size_t first = start(random);
    for (size_t k = first; k < std::min(first + length, window.branches.size()); ++k) ++counts[window.branches[k]];
  }
  return OwnShares(path, counts, program);
}

}  // namespace softlbr::truth
