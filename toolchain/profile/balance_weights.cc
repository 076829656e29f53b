#include "toolchain/profile/balance_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "toolchain/profile/branch_index.h"
#include "toolchain/profile/weighted_counts.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kArrivals = 16;       // of a trace; shorter ones have fewer
constexpr int kMostRounds = 100;       // 30 gave the same to three digits (decision 0019)
constexpr double kLeastChange = 1e-6;  // of a weight; less ends the rounds

class Balance {
 public:
  explicit Balance(const Profile& profile) : index_(profile), starts_(index_.size()), weights_(index_.size(), 1) {}

  void Add(const Trace& trace) {
    const size_t count = trace.branches.size();
    const size_t start = count < 2 ? index_.size() : index_.Find(trace.branches[0].first);
    if (start == index_.size()) return;
    ++starts_[start];
    ++traces_;
    size_t last = 1;
    for (size_t i = 1; i <= kArrivals; ++i) {
      const size_t place = count * i / kArrivals;
      if (place <= last) continue;
      last = place;
      const size_t arrival = index_.Find(trace.branches[place - 1].first);
      if (arrival != index_.size()) ++flows_[{start, arrival}];
    }
  }

  // False if there is nothing to weigh.
  bool Solve() {
    if (flows_.empty()) return false;
    for (int round = 0; round < kMostRounds && RunRound() > kLeastChange; ++round) continue;
    return true;
  }

  double WeightOf(const Trace& trace) const {
    const size_t start = index_.Find(trace.branches[0].first);
    return start == index_.size() ? 1 : weights_[start];
  }

 private:
  // The largest change of a weight.
  double RunRound() {
    std::vector<double> next(starts_.size());
    double arrivals = 0;
    for (const auto& [flow, count] : flows_) {
      const double weighted = weights_[flow.first] * static_cast<double>(count);
      next[flow.second] += weighted;
      arrivals += weighted;
    }
    double sum = 0;  // of all traces' weights
    for (size_t i = 0; i < next.size(); ++i) {
      next[i] = (next[i] * traces_ / arrivals + kBalancePrior) / (starts_[i] + kBalancePrior);
      sum += starts_[i] * next[i];
    }
    double change = 0;
    for (size_t i = 0; i < next.size(); ++i) {
      const double weight = next[i] * traces_ / sum;  // the mean stays 1
      change = std::max(change, std::abs(weight - weights_[i]));
      weights_[i] = weight;
    }
    return change;
  }

  const BranchIndex index_;
  double traces_ = 0;
  std::vector<double> starts_;                           // traces that start at the branch, by number
  std::vector<double> weights_;                          // of each of them
  std::map<std::pair<size_t, size_t>, uint64_t> flows_;  // from where traces start to where they arrive
};

}  // namespace

bool WeightByBalance(const TraceFeed& feed, Profile* profile) {
  Balance balance(*profile);
  feed([&](const Trace& trace) { balance.Add(trace); });
  if (!balance.Solve()) return false;

  WeightedCounts counts(*profile);
  feed([&](const Trace& trace) {
    if (trace.branches.size() >= 2) counts.Add(trace, balance.WeightOf(trace));
  });
  return counts.Store(profile);
}

}  // namespace softlbr::toolchain
