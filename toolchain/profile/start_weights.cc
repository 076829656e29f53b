#include "toolchain/profile/start_weights.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

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

template <typename Row, typename Key, typename KeyOf>
void AddTo(const std::vector<Row>& rows, const Key& key, KeyOf key_of, double weight, std::vector<double>* sums) {
  const auto it =
      std::lower_bound(rows.begin(), rows.end(), key, [&](const Row& row, const Key& wanted) { return key_of(row) < wanted; });
  if (it != rows.end() && key_of(*it) == key) (*sums)[static_cast<size_t>(it - rows.begin())] += weight;
}

template <typename Row>
void SetCounts(const std::vector<double>& sums, double scale, std::vector<Row>* rows) {
  for (size_t i = 0; i < rows->size(); ++i)
    (*rows)[i].count = std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(sums[i] * scale)));
}

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

  std::vector<double> branches(profile->branches.size()), ranges(profile->ranges.size());
  feed([&](const Trace& trace) {
    if (trace.branches.size() < 2) return;
    const Start* first = starts.Find(trace.branches[0].first);
    const double weight = first == nullptr ? 1 : first->weight;
    for (size_t i = 1; i < trace.branches.size(); ++i) {
      const auto& [from, to] = trace.branches[i];
      AddTo(
          profile->branches, std::make_pair(from, to), [](const BranchCount& row) { return std::make_pair(row.from, row.to); },
          weight, &branches);
      const Location& start = trace.branches[i - 1].second;
      if (start.module != from.module) continue;
      AddTo(
          profile->ranges, std::make_tuple(from.module, start.address, from.address),
          [](const RangeCount& row) { return std::make_tuple(row.module, row.first, row.last); }, weight, &ranges);
    }
  });
  double recorded = 0, weighted = 0;
  for (const BranchCount& row : profile->branches) recorded += static_cast<double>(row.count);
  for (const double sum : branches) weighted += sum;
  if (weighted == 0) return false;
  SetCounts(branches, recorded / weighted, &profile->branches);
  SetCounts(ranges, recorded / weighted, &profile->ranges);
  return true;
}

}  // namespace softlbr::toolchain
