// Decides whether the second program of timed pairs is faster, beyond the noise of the machine.
//
// Each pair is a run of one program and a run of the other right after it, so that slow changes of the machine hit
// both. The figure is the median of the ratios after/before. Its interval is that of the sign test, by order
// statistics: it assumes nothing about the noise but that pairs are independent. Ratios below 1 are gains.
#ifndef SOFTLBR_TOOLCHAIN_OPTIMIZE_PAIRED_TIMES_H_
#define SOFTLBR_TOOLCHAIN_OPTIMIZE_PAIRED_TIMES_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace softlbr::toolchain {

// With fewer pairs no interval reaches that confidence.
inline constexpr size_t kFewestPairs = 6;

struct PairedTimes {
  double median_before = 0;  // seconds
  double median_after = 0;
  double ratio = 1;  // median of the pairs' ratios
  double low = 0;    // of the interval that holds the true median ratio with at least 95 % confidence
  double high = 0;   // 0 to infinity with fewer than kFewestPairs pairs
  bool is_faster() const { return high < 1; }
};

// pairs: seconds before and after, all positive.
PairedTimes ComparePairs(const std::vector<std::pair<double, double>>& pairs);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_OPTIMIZE_PAIRED_TIMES_H_
