#include "runtime/format/flow_encoder.h"

#include "runtime/format/bounded_sort.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

// Not inlined, for size.
SOFTLBR_NOINLINE void PutNumber(ByteWriter* out, uint64_t value) { out->PutVarint(value); }

bool IsBelow(const uint64_t& a, const uint64_t& b) { return a < b; }

// Returns how many remain once each is there once.
uint32_t SortUnique(uint64_t* values, uint32_t count) {
  BoundedSort<uint64_t, IsBelow>(values, count);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (kept == 0 || values[kept - 1] != values[i]) values[kept++] = values[i];
  }
  return kept;
}

uint64_t Saturated(uint64_t a, uint64_t b) { return a + b < a ? ~0ull : a + b; }
uint64_t Least(uint64_t a, uint64_t b) { return a < b ? a : b; }

}  // namespace

bool FlowEncoder::Next(Source* source) const {
  uint32_t at = source->end;
  if (at == count_) return false;
  const uint64_t address = SourceOf(rows_[at]);
  source->address = address - base_;
  source->first = at;
  while (at < count_ && rows_[at].first == PackSource(address, RowKind::kBranch)) ++at;
  source->ranges = at;
  while (at < count_ && rows_[at].first == PackSource(address, RowKind::kRange)) ++at;
  source->end = at;
  return true;
}

template <typename Visit>
void FlowEncoder::ForEachSource(Visit visit) const {
  Source source = {0, 0, 0, 0};
  while (Next(&source)) visit(source);
}

uint64_t FlowEncoder::TargetOf(const CountRow& row) const {
  return (KindOf(row) == RowKind::kBranch ? row.second : SourceOf(row) - row.second) - base_;
}

uint32_t FlowEncoder::IndexOf(const CountRow& row) const {
  const uint64_t target = TargetOf(row);
  uint32_t low = 0;
  uint32_t high = target_count_;  // the target lies in [low, high)
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (targets_[middle] <= target ? low : high) = middle;
  }
  return low;
}

void FlowEncoder::CollectTargets() {
  for (uint32_t i = 0; i < count_; ++i) targets_[i] = TargetOf(rows_[i]);
  target_count_ = SortUnique(targets_, count_);
}

// Columns 5 to 7.
void FlowEncoder::PutTargets(ByteWriter* out) const {
  uint32_t before = 0;  // targets at or below the source
  const auto pass = [&](const Source& source) {
    while (before < target_count_ && targets_[before] <= source.address) ++before;
  };
  ForEachSource([&](const Source& source) {
    pass(source);
    if (source.first != source.ranges) PutNumber(out, ZigZag(uint64_t{IndexOf(rows_[source.first])} - before));
  });
  ForEachSource([&](const Source& source) {
    for (uint32_t i = source.first + 1; i < source.ranges; ++i)
      PutNumber(out, IndexOf(rows_[i]) - IndexOf(rows_[i - 1]) - 1);
  });
  before = 0;
  ForEachSource([&](const Source& source) {
    pass(source);
    uint32_t last = before;
    for (uint32_t i = source.ranges; i < source.end; ++i) {
      const uint32_t index = IndexOf(rows_[i]);
      PutNumber(out, last - 1 - index);
      last = index;
    }
  });
}

// Columns 8 and 9.
void FlowEncoder::PutCounts(ByteWriter* out) {
  for (uint32_t i = 0; i < target_count_; ++i) {
    arrived_[i] = 0;
    __asm__ volatile("" ::: "memory");  // keeps the loop from becoming a call to memset
  }
  ForEachSource([&](const Source& source) {
    for (uint32_t i = source.first; i < source.ranges; ++i) {
      PutNumber(out, rows_[i].count);
      uint64_t& arrived = arrived_[IndexOf(rows_[i])];
      arrived = Saturated(arrived, rows_[i].count);
    }
  });
  ForEachSource([&](const Source& source) {
    uint64_t left = 0;
    for (uint32_t i = source.first; i < source.ranges; ++i) left = Saturated(left, rows_[i].count);
    for (uint32_t i = source.ranges; i < source.end; ++i) {
      uint64_t& arrived = arrived_[IndexOf(rows_[i])];
      const uint64_t count = rows_[i].count;
      const uint64_t known = Least(arrived, left);
      PutNumber(out, ZigZag(count - (known != 0 ? known : 1)));
      arrived -= Least(arrived, count);
      left -= Least(left, count);
    }
  });
}

uint64_t FlowEncoder::Encode(const CountRow* rows, uint32_t count, uint64_t base) {
  rows_ = rows;
  count_ = count;
  base_ = base;
  CollectTargets();
  uint32_t sources = 0;
  uint32_t branches = 0;
  ForEachSource([&](const Source& source) {
    ++sources;
    branches += source.ranges - source.first;
  });
  ByteWriter out;
  out.Reset(body_, capacity_);
  const uint64_t head[] = {base, 0, sources, target_count_, branches, uint64_t{count} - branches};
  for (const uint64_t number : head) PutNumber(&out, number);
  uint64_t before = 0;
  ForEachSource([&](const Source& source) {
    PutNumber(&out, source.address - before);
    before = source.address;
  });
  before = 0;
  for (uint32_t i = 0; i < target_count_; before = targets_[i++]) PutNumber(&out, targets_[i] - before);
  ForEachSource([&](const Source& source) { PutNumber(&out, source.ranges - source.first + 1); });
  ForEachSource([&](const Source& source) { PutNumber(&out, source.end - source.ranges); });
  PutTargets(&out);
  PutCounts(&out);
  return out.has_failed ? 0 : out.Size();
}

}  // namespace softlbr
