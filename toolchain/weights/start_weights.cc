#include "toolchain/weights/start_weights.h"

#include <vector>

#include "toolchain/weights/branch_index.h"
#include "toolchain/weights/weighted_counts.h"

namespace softlbr::toolchain {
namespace {

struct Start {
  double traces = 0;  // that start here
  double later = 0;   // executions later in traces
  double weight = 1;
};

class Starts {
 public:
  explicit Starts(const Profile& profile) : index_(profile), starts_(index_.size()) {}

  // Null for what no row holds.
  Start* Find(const Location& from) {
    const size_t number = index_.Find(from);
    return number != index_.size() ? &starts_[number] : nullptr;
  }

  // False if there is nothing to weigh.
  bool Weigh() {
    double traces = 0, later = 0;
    for (const Start& start : starts_) {
      traces += start.traces;
      later += start.later;
    }
    if (traces == 0 || later == 0) return false;
    for (Start& start : starts_) {
      start.weight = (traces * start.later / later + kStartWeightPrior) / (start.traces + kStartWeightPrior);
    }
    return true;
  }

 private:
  const BranchIndex index_;
  std::vector<Start> starts_;
};

}  // namespace

bool WeightByStarts(const TraceFeed& feed, Profile* profile) {
  Starts starts(*profile);
  feed([&](const Trace& trace) {
    if (trace.branches.size() < 2) return;
    if (Start* first = starts.Find(trace.branches[0].first)) ++first->traces;
    for (size_t i = 1; i < trace.branches.size(); ++i) {
      if (Start* later = starts.Find(trace.branches[i].first)) ++later->later;
    }
  });
  if (!starts.Weigh()) return false;

  WeightedCounts counts(*profile);
  feed([&](const Trace& trace) {
    if (trace.branches.size() < 2) return;
    const Start* first = starts.Find(trace.branches[0].first);
    counts.Add(trace, first == nullptr ? 1 : first->weight);
  });
  return counts.Store(profile);
}

}  // namespace softlbr::toolchain
