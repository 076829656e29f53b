#include "toolchain/profile/flow_section.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/format/flow_encoder.h"
#include "runtime/format/slbr_format.h"
#include "runtime/format/source_row.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// One source of branches, and the end of ranges: its rows are branches [first_branch, first_branch + branches) and so
// on.
struct Source {
  uint64_t address;  // offset from the module's lowest address
  uint64_t branches = 0;
  uint64_t ranges = 0;
};

// False if the values do not ascend strictly or one is not below `end`.
bool ReadStrictlyAscending(ByteReader* in, uint64_t end, std::vector<uint64_t>* values) {
  uint64_t value = 0;
  for (size_t i = 0; i < values->size(); ++i) {
    const uint64_t difference = in->GetVarint();
    if ((i != 0 && difference == 0) || difference >= end - value) return false;
    (*values)[i] = value += difference;
  }
  return !in->has_failed;
}

// The count that flow conservation predicts for a range: the counts of this section's branches to its first instruction
// and from its last, less the counts of the ranges before it.
class FlowBalance {
 public:
  explicit FlowBalance(size_t targets) : arrived_(targets, 0) {}

  void AddBranch(size_t target, uint64_t count) {
    arrived_[target] = SaturatingAdd(arrived_[target], count);
    left_ = SaturatingAdd(left_, count);
  }
  // The sum of the counts of a source's branches. The ranges that end there follow.
  uint64_t TakeLeft() { return std::exchange(left_, 0); }
  void BeginRanges(uint64_t left) { left_ = left; }
  uint64_t Expected(size_t target) const { return std::max<uint64_t>(1, std::min(arrived_[target], left_)); }
  void AddRange(size_t target, uint64_t count) {
    arrived_[target] -= std::min(arrived_[target], count);
    left_ -= std::min(left_, count);
  }

 private:
  std::vector<uint64_t> arrived_;
  uint64_t left_ = 0;
};

}  // namespace

void SortFlow(FlowRows* rows) {
  std::sort(rows->branches.begin(), rows->branches.end(),
            [](const FlowBranch& a, const FlowBranch& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  // Of the ranges that end at one branch, the nearest first.
  std::sort(rows->ranges.begin(), rows->ranges.end(), [](const FlowRange& a, const FlowRange& b) {
    return std::tie(a.last, b.first) < std::tie(b.last, a.first);
  });
}

std::vector<uint8_t> EncodeFlow(const FlowRows& rows, uint64_t base) {
  std::vector<CountRow> packed;
  packed.reserve(rows.branches.size() + rows.ranges.size());
  for (const FlowBranch& row : rows.branches) {
    packed.push_back({PackSource(base + row.from, RowKind::kBranch), base + row.to, row.count});
  }
  for (const FlowRange& row : rows.ranges) {
    packed.push_back({PackSource(base + row.last, RowKind::kRange), row.last - row.first, row.count});
  }
  std::sort(packed.begin(), packed.end(), [](const CountRow& a, const CountRow& b) { return IsLess(a, b); });
  // At most four numbers a row, and two for each source and target.
  std::vector<uint8_t> body((packed.size() * 7 + 6) * kMaxVarintBytes);
  std::vector<uint64_t> targets(packed.size());
  std::vector<uint64_t> arrived(packed.size());
  FlowEncoder encoder;
  encoder.Init(body.data(), body.size(), targets.data(), arrived.data());
  body.resize(encoder.Encode(packed.data(), static_cast<uint32_t>(packed.size()), base));
  return body;
}

bool DecodeFlow(ByteReader in, uint64_t span, FlowRows* rows) {
  const uint64_t flags = in.GetVarint();
  const uint64_t source_count = in.GetVarint();
  const uint64_t target_count = in.GetVarint();
  const uint64_t branch_count = in.GetVarint();
  const uint64_t range_count = in.GetVarint();
  const uint64_t left_bytes = in.Remaining();
  // Least bytes: three for a source, one for a target or branch, two for a range.
  if (in.has_failed || flags != 0 || source_count == 0 || source_count > left_bytes / 3 || target_count > left_bytes ||
      branch_count > left_bytes || range_count > left_bytes / 2) {
    return false;
  }
  std::vector<uint64_t> addresses(source_count);
  std::vector<uint64_t> targets(target_count);
  if (!ReadStrictlyAscending(&in, span, &addresses) || !ReadStrictlyAscending(&in, span, &targets)) return false;
  std::vector<Source> sources;
  sources.reserve(source_count);
  uint64_t branches_left = branch_count;
  uint64_t ranges_left = range_count;
  for (const uint64_t address : addresses) {
    const uint64_t branches_and_one = in.GetVarint();
    if (in.has_failed || branches_and_one == 0 || branches_and_one - 1 > branches_left) return false;
    const Source source{address, branches_and_one - 1, 0};
    branches_left -= source.branches;
    sources.push_back(source);
  }
  for (Source& source : sources) {
    source.ranges = in.GetVarint();
    if (in.has_failed || source.ranges > ranges_left || source.branches + source.ranges == 0) return false;
    ranges_left -= source.ranges;
  }
  if (branches_left != 0 || ranges_left != 0) return false;

  rows->branches.resize(branch_count);
  rows->ranges.resize(range_count);
  // Indices of targets, in the rows' `to` and `first` until the counts are known.
  size_t before = 0;
  size_t b = 0;
  for (const Source& source : sources) {
    while (before < targets.size() && targets[before] <= source.address) ++before;
    if (source.branches != 0) rows->branches[b].to = before + UnZigZag(in.GetVarint());
    for (uint64_t i = 0; i < source.branches; ++i) rows->branches[b + i].from = source.address;
    if (source.branches != 0 && rows->branches[b].to >= targets.size()) return false;
    b += source.branches;
  }
  b = 0;
  for (const Source& source : sources) {
    for (uint64_t i = 1; i < source.branches; ++i) {
      const uint64_t last = rows->branches[b + i - 1].to;
      const uint64_t skipped = in.GetVarint();
      if (skipped >= targets.size() - last - 1) return false;
      rows->branches[b + i].to = last + 1 + skipped;
    }
    b += source.branches;
  }
  before = 0;
  size_t r = 0;
  for (const Source& source : sources) {
    while (before < targets.size() && targets[before] <= source.address) ++before;
    uint64_t last = before;
    for (uint64_t i = 0; i < source.ranges; ++i, ++r) {
      const uint64_t skipped = in.GetVarint();
      if (skipped >= last) return false;
      last -= skipped + 1;
      rows->ranges[r] = FlowRange{last, source.address, 0};
      if (!IsRange(targets[last], source.address)) return false;
    }
  }
  FlowBalance balance(targets.size());
  std::vector<uint64_t> left;
  left.reserve(source_count);
  b = 0;
  for (const Source& source : sources) {
    for (uint64_t i = 0; i < source.branches; ++i, ++b) {
      rows->branches[b].count = in.GetVarint();
      if (rows->branches[b].count == 0) return false;
      balance.AddBranch(rows->branches[b].to, rows->branches[b].count);
    }
    left.push_back(balance.TakeLeft());
  }
  r = 0;
  for (size_t s = 0; s < sources.size(); ++s) {
    balance.BeginRanges(left[s]);
    for (uint64_t i = 0; i < sources[s].ranges; ++i, ++r) {
      FlowRange& range = rows->ranges[r];
      range.count = balance.Expected(range.first) + UnZigZag(in.GetVarint());
      if (range.count == 0) return false;
      balance.AddRange(range.first, range.count);
    }
  }
  if (in.has_failed || !in.IsAtEnd()) return false;
  for (FlowBranch& branch : rows->branches) branch.to = targets[branch.to];
  for (FlowRange& range : rows->ranges) range.first = targets[range.first];
  return true;
}

}  // namespace softlbr::toolchain
