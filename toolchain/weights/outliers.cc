#include "toolchain/weights/outliers.h"

#include <algorithm>
#include <cmath>

#include "toolchain/base/text.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {
namespace {

constexpr double kShareUnit = 65535;
constexpr double kSumUnit = 4294967296;  // sums are integers, so that they do not depend on the order of the profiles

// FNV-1a, so that figures do not depend on the C++ library; then a finalizer, as addresses differ in few bits.
uint64_t HashText(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

uint64_t MixHash(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void OutlierFinder::Add(size_t number, const Profile& profile) {
  const uint64_t traces = SaturatingAdd(profile.counters.traces_complete, AbortedTraces(profile.counters));
  const auto total = static_cast<double>(TotalBranches(profile));
  if (traces < kFewestOutlierTraces || total == 0) return;
  const std::vector<uint64_t> by_module = BranchesByModule(profile);
  size_t main = profile.modules.size();
  for (size_t i = 0; i < profile.modules.size(); ++i) {
    if (profile.modules[i].is_main && (main == profile.modules.size() || by_module[i] > by_module[main])) main = i;
  }
  if (main == profile.modules.size()) return;

  std::vector<uint64_t> module_hashes;
  for (const ProfileModule& module : profile.modules) module_hashes.push_back(HashText(ModuleIdentity(module)));
  const auto hash = [&module_hashes](const Location& location) {
    const uint64_t module = location.module < module_hashes.size() ? module_hashes[location.module] : 0;
    return MixHash(module + location.address);
  };
  std::vector<double> shares(kOutlierBuckets);
  for (const BranchCount& row : profile.branches) {
    shares[MixHash(hash(row.from) + 3 * hash(row.to)) % kOutlierBuckets] += static_cast<double>(row.count) / total;
  }
  Build& build = builds_[ModuleIdentity(profile.modules[main])];
  Sketch sketch{number, {}};
  for (size_t i = 0; i < kOutlierBuckets; ++i) {
    build.sums[i] += static_cast<uint64_t>(std::llround(shares[i] * kSumUnit));
    const auto share = static_cast<uint16_t>(std::lround(shares[i] * kShareUnit));
    if (share != 0) sketch.top.push_back({static_cast<uint16_t>(i), share});
  }
  const size_t kept = std::min(sketch.top.size(), kOutlierTop);
  std::partial_sort(
      sketch.top.begin(), sketch.top.begin() + static_cast<std::ptrdiff_t>(kept), sketch.top.end(),
      [](const Share& a, const Share& b) { return a.share != b.share ? a.share > b.share : a.bucket < b.bucket; });
  sketch.top.resize(kept);
  sketch.top.shrink_to_fit();
  build.sketches.push_back(std::move(sketch));
}

std::vector<Outlier> OutlierFinder::Find() const {
  std::vector<Outlier> outliers;
  for (const auto& [identity, build] : builds_) {
    if (build.sketches.size() <= kFewestOutlierProfiles) continue;
    const auto others = static_cast<double>(build.sketches.size() - 1);
    std::vector<double> figures;
    for (const Sketch& sketch : build.sketches) {
      double common = 0, all = 0;
      for (const auto& [bucket, units] : sketch.top) {
        const double share = units / kShareUnit;
        const double sum = static_cast<double>(build.sums[bucket]) / kSumUnit;
        common += std::min(share, std::max(0.0, sum - share) / others);
        all += share;
      }
      figures.push_back(all == 0 ? 1 : common / all);
    }
    const double median = MedianOf(figures);
    std::vector<double> distances;
    for (const double figure : figures) distances.push_back(std::abs(figure - median));
    const double limit = median - std::max(kOutlierDrop, kOutlierSpreads * MedianOf(distances));
    for (size_t i = 0; i < figures.size(); ++i) {
      if (figures[i] < limit) outliers.push_back({build.sketches[i].number, figures[i], median});
    }
  }
  std::sort(outliers.begin(), outliers.end(), [](const Outlier& a, const Outlier& b) { return a.number < b.number; });
  return outliers;
}

}  // namespace softlbr::toolchain
