#include "runtime/profile/aggregator.h"

#include <cstring>

namespace softlbr {
namespace {

constexpr uint32_t kMinSlots = 64;
constexpr uint32_t kMaxSlots = 1u << 24;

constexpr bool IsSlotCount(uint32_t slots) {
  return slots >= kMinSlots && slots <= kMaxSlots && (slots & (slots - 1)) == 0;
}

// Odd constants from the golden ratio and its square; the high bits of the product are well mixed, so they are
// the home slot.
constexpr uint64_t kMixFirst = 0x9e3779b97f4a7c15;
constexpr uint64_t kMixSecond = 0xc2b2ae3d27d4eb4f;

uint64_t Home(uint64_t first, uint64_t second, uint32_t slots) {
  uint64_t mixed = first * kMixFirst + second;
  mixed ^= mixed >> 32;
  mixed *= kMixSecond;
  return mixed >> (64 - __builtin_ctz(slots));
}

bool IsKey(const BranchRow& row, uint64_t from, uint64_t to) { return row.from == from && row.to == to; }
bool IsKey(const RangeRow& row, uint64_t first, uint64_t last) { return row.first == first && row.last == last; }
bool IsKey(const SampleRow& row, uint64_t pc, uint64_t) { return row.pc == pc; }

void SetKey(BranchRow* row, uint64_t from, uint64_t to) {
  row->from = from;
  row->to = to;
}
void SetKey(RangeRow* row, uint64_t first, uint64_t last) {
  row->first = first;
  row->last = last;
}
void SetKey(SampleRow* row, uint64_t pc, uint64_t) { row->pc = pc; }

// Adds one to the key's count. False if there is no slot for it.
template <typename Row>
bool CountKey(Row* table, uint32_t slots, uint64_t first, uint64_t second, uint32_t* used) {
  uint64_t slot = Home(first, second, slots);
  for (uint64_t probe = 0; probe < kMaxTableProbes && probe < slots; ++probe) {
    Row& row = table[slot];
    if (row.count == 0) {
      SetKey(&row, first, second);
      row.count = 1;
      ++*used;
      return true;
    }
    if (IsKey(row, first, second)) {
      ++row.count;
      return true;
    }
    slot = (slot + 1) & (slots - 1);
  }
  return false;
}

// Moves the rows in use to the front.
template <typename Row>
void Compact(Row* table, uint32_t slots) {
  uint32_t next = 0;
  for (uint32_t slot = 0; slot < slots; ++slot) {
    if (table[slot].count != 0) table[next++] = table[slot];
  }
}

constexpr bool IsThreeQuarters(uint32_t used, uint32_t slots) { return used >= slots - slots / 4; }

}  // namespace

Status Aggregator::Init(void* workspace, uint64_t workspace_bytes, const AggregatorSizes& sizes) {
  if (!IsSlotCount(sizes.branch_slots) || !IsSlotCount(sizes.range_slots) || !IsSlotCount(sizes.sample_slots) ||
      (sizes.trace_entries != 0 && sizes.trace_entries < kTraceBufferEntries)) {
    return Status::kInvalidArgument;
  }
  if (workspace_bytes < WorkspaceBytes(sizes)) return Status::kNotEnoughMemory;
  sizes_ = sizes;
  losses_ = AggregatorLosses{0, 0};
  branches_ = static_cast<BranchRow*>(workspace);
  ranges_ = reinterpret_cast<RangeRow*>(branches_ + sizes.branch_slots);
  samples_ = reinterpret_cast<SampleRow*>(ranges_ + sizes.range_slots);
  traces_ = reinterpret_cast<TraceBuffer::Entry*>(samples_ + sizes.sample_slots);
  Clear();
  return Status::kOk;
}

void Aggregator::Clear() {
  memset(branches_, 0, sizeof(BranchRow) * sizes_.branch_slots);
  memset(ranges_, 0, sizeof(RangeRow) * sizes_.range_slots);
  memset(samples_, 0, sizeof(SampleRow) * sizes_.sample_slots);
  branch_count_ = range_count_ = sample_count_ = trace_entry_count_ = 0;
}

void Aggregator::FoldBuffer(const TraceBuffer& buffer) {
  const uint32_t used = buffer.used <= kTraceBufferEntries ? buffer.used : kTraceBufferEntries;
  uint32_t at = 0;
  while (at < used) {
    const uint32_t entries = 1u + buffer.entries[at].header.branch_count;
    if (entries > used - at) return;
    FoldTrace(&buffer.entries[at]);
    at += entries;
  }
}

void Aggregator::FoldTrace(const TraceBuffer::Entry* entries) {
  const TraceHeader& header = entries[0].header;
  if (header.is_continued == 0) CountSample(header.sampled_pc);
  for (uint32_t i = 1; i <= header.branch_count; ++i) {
    const BranchRecord& branch = entries[i].branch;
    if (i > 1) CountRange(entries[i - 1].branch.to, branch.from);
    CountBranch(branch.from, branch.to);
  }
  if (sizes_.trace_entries == 0) return;
  const uint32_t count = 1u + header.branch_count;
  if (count > sizes_.trace_entries - trace_entry_count_) {
    ++losses_.table_full;
    return;
  }
  memcpy(traces_ + trace_entry_count_, entries, count * sizeof(TraceBuffer::Entry));
  trace_entry_count_ += count;
}

void Aggregator::CountBranch(uint64_t from, uint64_t to) {
  if (!CountKey(branches_, sizes_.branch_slots, from, to, &branch_count_)) ++losses_.table_full;
}

void Aggregator::CountRange(uint64_t first, uint64_t last) {
  if (last < first || last - first >= kMaxRangeBytes) {
    ++losses_.implausible_range;
    return;
  }
  if (!CountKey(ranges_, sizes_.range_slots, first, last, &range_count_)) ++losses_.table_full;
}

void Aggregator::CountSample(uint64_t pc) {
  if (!CountKey(samples_, sizes_.sample_slots, pc, 0, &sample_count_)) ++losses_.table_full;
}

bool Aggregator::IsAboveThreshold() const {
  return IsThreeQuarters(branch_count_, sizes_.branch_slots) || IsThreeQuarters(range_count_, sizes_.range_slots) ||
         IsThreeQuarters(sample_count_, sizes_.sample_slots) ||
         (sizes_.trace_entries != 0 && sizes_.trace_entries - trace_entry_count_ < kTraceBufferEntries);
}

bool Aggregator::IsEmpty() const { return branch_count_ == 0 && sample_count_ == 0; }

Aggregator::Rows Aggregator::TakeRows() {
  Compact(branches_, sizes_.branch_slots);
  Compact(ranges_, sizes_.range_slots);
  Compact(samples_, sizes_.sample_slots);
  return Rows{branches_, ranges_, samples_, traces_, branch_count_, range_count_, sample_count_, trace_entry_count_};
}

}  // namespace softlbr
