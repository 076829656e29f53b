#include "toolchain/weights/weighted_counts.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace softlbr::toolchain {
namespace {

template <typename Row, typename Key, typename KeyOf>
void AddTo(const std::vector<Row>& rows, const Key& key, KeyOf key_of, double weight, std::vector<double>* sums) {
  const auto it = std::lower_bound(rows.begin(), rows.end(), key,
                                   [&](const Row& row, const Key& wanted) { return key_of(row) < wanted; });
  if (it != rows.end() && key_of(*it) == key) (*sums)[static_cast<size_t>(it - rows.begin())] += weight;
}

template <typename Row>
void SetCounts(const std::vector<double>& sums, double scale, std::vector<Row>* rows) {
  for (size_t i = 0; i < rows->size(); ++i)
    (*rows)[i].count = std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(sums[i] * scale)));
}

}  // namespace

WeightedCounts::WeightedCounts(const Profile& profile)
    : profile_(profile), branches_(profile.branches.size()), ranges_(profile.ranges.size()) {}

void WeightedCounts::Add(const Trace& trace, double weight) {
  for (size_t i = 1; i < trace.branches.size(); ++i) {
    const auto& [from, to] = trace.branches[i];
    AddTo(
        profile_.branches, std::make_pair(from, to),
        [](const BranchCount& row) { return std::make_pair(row.from, row.to); }, weight, &branches_);
    const Location& start = trace.branches[i - 1].second;
    if (start.module != from.module) continue;
    AddTo(
        profile_.ranges, std::make_tuple(from.module, start.address, from.address),
        [](const RangeCount& row) { return std::make_tuple(row.module, row.first, row.last); }, weight, &ranges_);
  }
}

bool WeightedCounts::Store(Profile* profile) const {
  double recorded = 0, weighted = 0;
  for (const BranchCount& row : profile->branches) recorded += static_cast<double>(row.count);
  for (const double sum : branches_) weighted += sum;
  if (weighted == 0) return false;
  SetCounts(branches_, recorded / weighted, &profile->branches);
  SetCounts(ranges_, recorded / weighted, &profile->ranges);
  return true;
}

}  // namespace softlbr::toolchain
