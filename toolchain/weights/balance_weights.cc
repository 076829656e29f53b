#include "toolchain/weights/balance_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/weights/branch_index.h"
#include "toolchain/weights/weighted_counts.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kArrivals = 16;  // of a trace; places of short traces count more than once
constexpr int kMaxIterations = 100;
constexpr double kMinChange = 1e-6;  // of a weight; less ends the iteration
constexpr size_t kMaxPairs = 8u << 20;

// From where traces start to where they arrive: numbers of branches.
struct Flow {
  uint64_t pair;  // start << 32 | arrival
  uint64_t count;
};

// Adds up flows of equal pairs.
void Compact(std::vector<Flow>* flows) {
  std::sort(flows->begin(), flows->end(), [](const Flow& a, const Flow& b) { return a.pair < b.pair; });
  size_t kept = 0;
  for (const Flow& flow : *flows) {
    if (kept != 0 && (*flows)[kept - 1].pair == flow.pair) {
      (*flows)[kept - 1].count += flow.count;
    } else {
      (*flows)[kept++] = flow;
    }
  }
  flows->resize(kept);
}

class Balance {
 public:
  // All code outside the rows is one more branch, the last: what comes and goes through it must not count as one-way.
  explicit Balance(const Profile& profile)
      : index_(profile), starts_(index_.size() + 1), weights_(index_.size() + 1, 1) {}

  void Add(const Trace& trace) {
    const size_t count = trace.branches.size();
    if (count < 2) return;
    const uint64_t start = index_.Find(trace.branches[0].first);
    ++starts_[start];
    ++traces_;
    for (size_t i = 1; i <= kArrivals; ++i) {
      const size_t place = std::max<size_t>(2, count * i / kArrivals);
      flows_.push_back({start << 32 | index_.Find(trace.branches[place - 1].first), 1});
    }
    if (flows_.size() < 2 * kMaxPairs) return;
    Compact(&flows_);
    if (flows_.size() > kMaxPairs) {
      throw StatedFailure(
          "the traces lead between too many pairs of branches for --weights balance; take --weights start, or a "
          "shorter recording");
    }
  }

  // False if there is nothing to weigh.
  bool Solve() {
    if (flows_.empty()) return false;
    Compact(&flows_);
    for (int i = 0; i < kMaxIterations && Iterate() > kMinChange; ++i) continue;
    return true;
  }

  double WeightOf(const Trace& trace) const { return weights_[index_.Find(trace.branches[0].first)]; }

 private:
  // The largest change of a weight.
  double Iterate() {
    std::vector<double> next(starts_.size());
    for (const Flow& flow : flows_) {
      next[flow.pair & UINT32_MAX] += weights_[flow.pair >> 32] * static_cast<double>(flow.count) / kArrivals;
    }
    double sum = 0;  // of all traces' weights
    for (size_t i = 0; i < next.size(); ++i) {
      next[i] = (next[i] + kBalancePrior) / (starts_[i] + kBalancePrior);
      sum += starts_[i] * next[i];
    }
    double change = 0;
    for (size_t i = 0; i < next.size(); ++i) {
      const double weight = next[i] * traces_ / sum;  // the mean stays 1
      if (starts_[i] != 0) change = std::max(change, std::abs(weight - weights_[i]));
      weights_[i] = weight;
    }
    return change;
  }

  const BranchIndex index_;
  double traces_ = 0;
  std::vector<double> starts_;   // traces that start at the branch, by number
  std::vector<double> weights_;  // of each of them
  std::vector<Flow> flows_;
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
