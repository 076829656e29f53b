#include "toolchain/optimize/paired_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softlbr::toolchain {
namespace {

constexpr double kConfidence = 0.95;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// How many of the smallest and of the largest of n values the interval of the median leaves out on each side; n if
// there is none. The median lies outside with probability 2 * P(Binomial(n, 1/2) <= left out).
size_t LeftOut(size_t n) {
  double tail = 0;
  double term = std::pow(0.5, static_cast<double>(n));
  for (size_t k = 0; k < n; ++k) {
    tail += term;
    if (2 * tail > 1 - kConfidence) return k == 0 ? n : k - 1;
    term = term * static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return n;
}

}  // namespace

PairedTimes ComparePairs(const std::vector<std::pair<double, double>>& pairs) {
  PairedTimes result;
  std::vector<double> before;
  std::vector<double> after;
  std::vector<double> ratios;
  for (const auto& [first, second] : pairs) {
    before.push_back(first);
    after.push_back(second);
    ratios.push_back(second / first);
  }
  result.median_before = Median(before);
  result.median_after = Median(after);
  result.high = std::numeric_limits<double>::infinity();
  if (ratios.empty()) return result;
  result.ratio = Median(ratios);
  std::sort(ratios.begin(), ratios.end());
  const size_t left_out = LeftOut(ratios.size());
  if (left_out >= ratios.size()) return result;
  result.low = ratios[left_out];
  result.high = ratios[ratios.size() - 1 - left_out];
  return result;
}

}  // namespace softlbr::toolchain
