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

// For each branch, the instructions of the window that are executed right before it.
std::vector<double> StepsBefore(const TruePath& path, const PathWindow& window) {
  std::vector<double> steps(path.branches.size());
  for (size_t i = 0; i < window.branches.size(); ++i) steps[window.branches[i]] += window.steps[i];
  return steps;
}

}  // namespace

BranchShares TrueShares(const TruePath& path, const PathWindow& window, const std::string& program) {
  std::vector<uint64_t> counts(path.branches.size());
  for (const BranchNumber number : window.branches) ++counts[number];
  return OwnShares(path, counts, program);
}

BranchShares IdealShares(const TruePath& path, const PathWindow& window, const std::string& program,
                         const TracesByFirst* recorded, size_t traces, size_t length) {
  std::mt19937_64 random(11);
  std::vector<double> weights(window.steps.begin(), window.steps.end());
  if (recorded != nullptr) {
    // Between the occurrences of a branch, in proportion to instructions.
    const std::vector<double> steps_before = StepsBefore(path, window);
    for (size_t i = 0; i < weights.size(); ++i) {
      const BranchNumber number = window.branches[i];
      const auto traces_of = recorded->find(path.branches[number]);
      weights[i] *=
          traces_of != recorded->end() ? static_cast<double>(traces_of->second.traces) / steps_before[number] : 0;
    }
  }
  std::discrete_distribution<size_t> start(weights.begin(), weights.end());
  std::vector<uint64_t> counts(path.branches.size());
  for (size_t i = 0; i < traces; ++i) {
    const size_t first = start(random);
    for (size_t k = first; k < std::min(first + length, window.branches.size()); ++k) ++counts[window.branches[k]];
  }
  return OwnShares(path, counts, program);
}

BranchShares WithoutTime(const TruePath& path, const PathWindow& window, const std::string& program,
                         const TracesByFirst& recorded) {
  const std::vector<double> steps_before = StepsBefore(path, window);
  std::map<TakenBranch, double> weighted;
  for (size_t number = 0; number < steps_before.size(); ++number) {
    const auto traces_of = recorded.find(path.branches[number]);
    if (traces_of == recorded.end()) continue;
    const double weight = steps_before[number] / static_cast<double>(traces_of->second.traces);
    for (const auto& [branch, count] : traces_of->second.branches)
      weighted[branch] += weight * static_cast<double>(count);
  }
  BranchShares shares;
  for (const auto& [branch, weight] : weighted) {
    const uint32_t module = branch.from.module;
    if (module == kNoTruthModule || path.modules.modules()[module].path != program) continue;
    shares[branch] = static_cast<uint64_t>(weight);
  }
  return shares;
}

}  // namespace softlbr::truth
