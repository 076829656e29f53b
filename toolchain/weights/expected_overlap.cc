#include "toolchain/weights/expected_overlap.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "toolchain/base/text.h"
#include "toolchain/profile/canonical_order.h"
#include "toolchain/profile/counters.h"

namespace softlbr::toolchain {
namespace {

constexpr double kMostPairs = 16;

// Rows that follow a location, and their weights as sums up to and including each row.
class WeightedRows {
 public:
  struct Part {
    uint32_t begin = 0;
    uint32_t end = 0;  // equal: none
  };

  void Append(uint64_t count) { sums_.push_back((sums_.empty() ? 0 : sums_.back()) + static_cast<double>(count)); }
  Part All() const { return {0, static_cast<uint32_t>(sums_.size())}; }
  double SumOf(Part part) const { return part.begin == part.end ? 0 : sums_[part.end - 1] - Before(part); }

  // A row of a part that is not empty, in proportion to its weight. chance: from 0 to below 1.
  uint32_t Draw(Part part, double chance) const {
    if (part.end - part.begin == 1) return part.begin;
    const double at = Before(part) + chance * SumOf(part);
    const auto found = std::upper_bound(sums_.begin() + part.begin, sums_.begin() + part.end - 1, at);
    return static_cast<uint32_t>(found - sums_.begin());
  }

 private:
  double Before(Part part) const { return part.begin == 0 ? 0 : sums_[part.begin - 1]; }

  std::vector<double> sums_;
};

// What follows what: a branch, a range that begins at its target, a branch that ends the range.
class BranchChain {
 public:
  explicit BranchChain(const Profile& profile) {
    const auto& branches = profile.branches;
    const auto& ranges = profile.ranges;
    for (const BranchCount& row : branches) branch_rows_.Append(row.count);
    for (const RangeCount& row : ranges) range_rows_.Append(row.count);
    for (const BranchCount& row : branches) {
      const auto at = [&](uint64_t address) {
        return std::partition_point(ranges.begin(), ranges.end(), [&](const RangeCount& range) {
          return std::make_pair(range.module, range.first) < std::make_pair(row.to.module, address);
        });
      };
      ranges_after_.push_back(PartOf(ranges, at(row.to.address), at(row.to.address + 1)));
    }
    for (const RangeCount& row : ranges) {
      const auto at = [&](uint64_t address) {
        return std::partition_point(branches.begin(), branches.end(), [&](const BranchCount& branch) {
          return branch.from < Location{row.module, address};
        });
      };
      branches_after_.push_back(PartOf(branches, at(row.last), at(row.last + 1)));
    }
  }

  // Counts by row of the profile's branches. A chain that ends before the trace does begins anew.
  std::vector<double> DrawRecording(uint64_t traces, uint64_t trace_length, std::mt19937_64* random) const {
    const auto chance = [random] { return static_cast<double>((*random)() >> 11) * 0x1p-53; };
    std::vector<double> counts(branches_count());
    for (uint64_t trace = 0; trace < traces; ++trace) {
      uint32_t branch = branch_rows_.Draw(branch_rows_.All(), chance());
      for (uint64_t i = 0; i < trace_length; ++i) {
        counts[branch] += 1;
        const WeightedRows::Part ranges = ranges_after_[branch];
        WeightedRows::Part next = branch_rows_.All();
        if (ranges.begin != ranges.end) {
          const WeightedRows::Part after = branches_after_[range_rows_.Draw(ranges, chance())];
          if (after.begin != after.end) next = after;
        }
        branch = branch_rows_.Draw(next, chance());
      }
    }
    return counts;
  }

 private:
  template <typename Rows, typename Iterator>
  static WeightedRows::Part PartOf(const Rows& rows, Iterator begin, Iterator end) {
    if (end < begin) end = begin;  // an address at the end of the address space
    return {static_cast<uint32_t>(begin - rows.begin()), static_cast<uint32_t>(end - rows.begin())};
  }
  size_t branches_count() const { return ranges_after_.size(); }

  WeightedRows branch_rows_;
  WeightedRows range_rows_;
  std::vector<WeightedRows::Part> ranges_after_;    // by branch
  std::vector<WeightedRows::Part> branches_after_;  // by range
};

// Whether PutInCanonicalOrder would leave the rows as they are.
bool IsInCanonicalOrder(const Profile& profile) {
  return std::is_sorted(profile.modules.begin(), profile.modules.end(), IsBeforeInCanonicalOrder);
}

// The rows alone, in canonical order: what is drawn depends on the order, which differs before `record` combines the
// frames.
Profile RowsInCanonicalOrder(const Profile& profile) {
  Profile rows;
  rows.modules = profile.modules;
  rows.branches = profile.branches;
  rows.ranges = profile.ranges;
  PutInCanonicalOrder(&rows);
  return rows;
}

uint64_t TracesOf(const SessionCounters& counters) {
  return SaturatingAdd(counters.traces_complete, AbortedTraces(counters));
}

}  // namespace

std::optional<double> ExpectedOverlap(const Profile& profile, uint64_t max_drawn_branches) {
  const SessionCounters& counters = profile.counters;
  if (TracesOf(counters) < kLeastTraces) return std::nullopt;
  const auto traces = static_cast<double>(TracesOf(counters));
  const auto recorded = static_cast<double>(counters.taken_branches);
  const auto total = static_cast<double>(TotalBranches(profile));
  if (recorded < 1 || total < 1) return std::nullopt;
  // Counts may be those of several parts of one session, whose counters are taken once.
  const double length = std::clamp(std::round(recorded / traces), 1.0, static_cast<double>(max_drawn_branches));
  // Counts of a session whose rate fell may count several times each; its counters do not.
  const double all_traces = std::max(1.0, std::min(total, recorded) / length);
  const double drawn = std::min(all_traces, std::floor(static_cast<double>(max_drawn_branches) / length));
  const auto drawn_traces = static_cast<uint64_t>(std::max(1.0, std::round(drawn)));

  // For a small recording several pairs are drawn, because the overlap of one pair varies too much.
  const double branches = static_cast<double>(drawn_traces) * length;
  const auto pairs =
      static_cast<uint32_t>(std::clamp(static_cast<double>(max_drawn_branches) / branches, 1.0, kMostPairs));

  const BranchChain chain =
      IsInCanonicalOrder(profile) ? BranchChain(profile) : BranchChain(RowsInCanonicalOrder(profile));
  std::mt19937_64 random(1);
  double common = 0;
  for (uint32_t pair = 0; pair < pairs; ++pair) {
    const std::vector<double> a = chain.DrawRecording(drawn_traces, static_cast<uint64_t>(length), &random);
    const std::vector<double> b = chain.DrawRecording(drawn_traces, static_cast<uint64_t>(length), &random);
    for (size_t i = 0; i < a.size(); ++i) common += std::min(a[i], b[i]);
  }
  const double difference = 1 - common / (branches * pairs);
  return 1 - difference * std::sqrt(std::min(1.0, static_cast<double>(drawn_traces) / all_traces));
}

double TimesAsMuch(double expected_overlap, double wanted) {
  if (expected_overlap >= wanted) return 1;
  const double ratio = (1 - expected_overlap) / (1 - wanted);
  return ratio * ratio;
}

std::string DescribeExpectedOverlap(double expected_overlap) {
  char text[320];
  // In tenths, rounded up: "record 1.0 times as long" would be no advice.
  const auto in_tenths = [](double times) { return std::ceil(times * 10 - 1e-6) / 10; };
  const double for_layout = in_tenths(TimesAsMuch(expected_overlap, kEnoughForLayout));
  const double for_sources = in_tenths(TimesAsMuch(expected_overlap, kEnoughForSources));
  const double percent = std::floor(100 * expected_overlap + 1e-9);
  if (for_sources == 1) {
    std::snprintf(text, sizeof text, "a second recording would overlap by %.0f%%: enough for every consumer", percent);
  } else if (for_layout == 1) {
    std::snprintf(text, sizeof text,
                  "a second recording would overlap by %.0f%%: enough for bolt and propeller; for llvm, csspgo and "
                  "autofdo record %.1f "
                  "times as long, or as often (-F)",
                  percent, for_sources);
  } else {
    std::snprintf(text, sizeof text,
                  "a second recording would overlap by %.0f%%: too little; record %.1f times as long, or as often "
                  "(-F), for bolt and "
                  "propeller, %.1f times for llvm, csspgo and autofdo",
                  percent, for_layout, for_sources);
  }
  return text;
}

namespace {

// Of the taken branches, those that start in no module. A profile keeps them only if they end in one; the others are
// counted as lost.
double ShareOutside(const Profile& profile) {
  const auto lost = static_cast<double>(profile.counters.lost[static_cast<int>(LossReason::kUnmapped)]);
  double outside = lost;
  for (const BranchCount& branch : profile.branches) {
    if (branch.from.module == kNoModule) outside += static_cast<double>(branch.count);
  }
  return outside / std::max(1.0, lost + static_cast<double>(TotalBranches(profile)));
}

}  // namespace

std::string DescribeSufficiency(const Profile& profile) {
  const uint64_t traces = TracesOf(profile.counters);
  const double outside = traces != 0 ? ShareOutside(profile) : 0;
  if (outside > kMostOutside) {
    char text[192];
    std::snprintf(
        text, sizeof text,
        "%.0f%% of the taken branches are in code of no known module (JIT code, or a program whose file could not be "
        "identified): of no use to any consumer",
        100 * outside);
    return text;
  }
  if (traces == 0 || profile.branches.empty()) return "";
  if (traces < kLeastTraces) {
    return "too few samples (" + GroupedCount(traces) +
           ") to tell how far a second recording would agree; record longer";
  }
  const std::optional<double> overlap = ExpectedOverlap(profile);
  return overlap ? DescribeExpectedOverlap(*overlap) : "";
}

}  // namespace softlbr::toolchain
