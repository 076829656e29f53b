#include "toolchain/profile/start_weights.h"

#include <algorithm>
#include <vector>

#include "toolchain/profile/weighted_counts.h"

namespace softlbr::toolchain {
namespace {

struct Start {
  Location from;
  double traces = 0;  // that start here
  double later = 0;   // executions later in traces
  double weight = 1;
};

class Starts {
 public:
  explicit Starts(const Profile& profile) {
    for (const BranchCount& row : profile.branches) {
      if (starts_.empty() || starts_.back().from != row.from) starts_.push_back({row.from});
    }
  }

  // Null for what no row holds: a branch between code outside every module.
  Start* Find(const Location& from) {
    const auto it = std::lower_bound(starts_.begin(), starts_.end(), from,
                                     [](const Start& start, const Location& location) { return start.from < location; });
    return it != starts_.end() && it->from == from ? &*it : nullptr;
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
  std::vector<Start> starts_;  // by `from`, as the rows of a profile are
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
