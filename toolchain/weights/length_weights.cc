#include "toolchain/weights/length_weights.h"

#include "toolchain/weights/weighted_counts.h"

namespace softlbr::toolchain {
namespace {

constexpr double kBranchBytes = 4;    // of the branch that ends a range, about
constexpr double kOutsideBytes = 16;  // of a range that leaves its module or is not known, about

// Bytes of code between branches, for each branch. The trace has two branches or more.
double BytesOfBranch(const Trace& trace) {
  double bytes = 0;
  for (size_t i = 1; i < trace.branches.size(); ++i) {
    const Location& first = trace.branches[i - 1].second;
    const Location& last = trace.branches[i].first;
    const bool is_known = first.module != kNoModule && first.module == last.module && first.address <= last.address;
    bytes += is_known ? static_cast<double>(last.address - first.address) + kBranchBytes : kOutsideBytes;
  }
  return bytes / static_cast<double>(trace.branches.size() - 1);
}

}  // namespace

bool WeightByLength(const TraceFeed& feed, Profile* profile) {
  WeightedCounts counts(*profile);
  feed([&](const Trace& trace) {
    if (trace.branches.size() >= 2) counts.Add(trace, 1 / BytesOfBranch(trace));
  });
  return counts.Store(profile);
}

}  // namespace softlbr::toolchain
