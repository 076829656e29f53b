#include "runtime/profile/aggregator.h"

#include <cstring>

namespace softlbr {
namespace {

constexpr bool IsSlotCount(uint32_t slots) {
  return slots >= kMinTableSlots && slots <= kMaxTableSlots && (slots & (slots - 1)) == 0;
}

// Odd constants from the golden ratio and its square. The high bits of the product, which are well mixed, give the home
// slot.
constexpr uint64_t kMixFirst = 0x9e3779b97f4a7c15;
constexpr uint64_t kMixSecond = 0xc2b2ae3d27d4eb4f;

uint64_t Home(uint64_t first, uint64_t second, uint32_t slots) {
  uint64_t mixed = first * kMixFirst + second;
  mixed ^= mixed >> 32;
  mixed *= kMixSecond;
  return mixed >> (64 - __builtin_ctz(slots));
}

enum : uint32_t { kBranchTable, kRangeTable, kSampleTable };

constexpr bool IsThreeQuarters(uint32_t used, uint32_t slots) { return used >= slots - slots / 4; }

}  // namespace

Status Aggregator::Init(void* workspace, uint64_t workspace_bytes, const AggregatorSizes& sizes) {
  const uint32_t slots[kCountSections] = {sizes.branch_slots, sizes.range_slots, sizes.sample_slots};
  if (sizes.trace_entries != 0 && sizes.trace_entries < kTraceBufferEntries) return Status::kInvalidArgument;
#pragma GCC unroll 1
  for (const uint32_t count : slots) {
    if (!IsSlotCount(count)) return Status::kInvalidArgument;
  }
  if (workspace_bytes < WorkspaceBytes(sizes)) return Status::kNotEnoughMemory;
  trace_entries_ = sizes.trace_entries;
  losses_ = AggregatorLosses{0, 0};
  auto* next = static_cast<CountRow*>(workspace);
#pragma GCC unroll 1
  for (uint32_t i = 0; i < kCountSections; ++i) {
    rows_.tables[i].rows = next;
    rows_.tables[i].slots = slots[i];
    next += RowsOf(slots[i]);
  }
  rows_.traces = reinterpret_cast<TraceBuffer::Entry*>(next);
  auto* index = reinterpret_cast<uint32_t*>(rows_.traces + trace_entries_);
#pragma GCC unroll 1
  for (uint32_t i = 0; i < kCountSections; ++i) {
    indexes_[i].rows = index;
    index += slots[i];
  }
  Clear();
  return Status::kOk;
}

void Aggregator::Clear() {
  for (Table& table : rows_.tables) table.count = 0;
  for (Index& index : indexes_) index.slots = index.most_rows = 0;
  rows_.trace_entry_count = 0;
  counted_ = 0;
}

void Aggregator::AddBuffer(const TraceBuffer& buffer) {
  const uint32_t used = buffer.used <= kTraceBufferEntries ? buffer.used : kTraceBufferEntries;
  uint32_t at = 0;
  while (at < used) {
    const uint32_t entries = 1u + buffer.entries[at].header.branch_count;
    if (entries > used - at) return;
    AddTrace(&buffer.entries[at]);
    at += entries;
  }
}

void Aggregator::AddTrace(const TraceBuffer::Entry* entries) {
  const TraceHeader& header = entries[0].header;
  if (header.is_continued == 0) Count(kSampleTable, header.sampled_pc, header.sampled_pc);
  for (uint32_t i = 1; i <= header.branch_count; ++i) {
    const BranchRecord& branch = entries[i].branch;
    if (i > 1) Count(kRangeTable, entries[i - 1].branch.to, branch.from);
    Count(kBranchTable, branch.from, branch.to);
  }
  if (trace_entries_ == 0 || (header.is_continued != 0 && header.branch_count == 0)) return;
  const uint32_t count = 1u + header.branch_count;
  if (count > trace_entries_ - rows_.trace_entry_count) {
    ++losses_.table_full;
    return;
  }
  memcpy(rows_.traces + rows_.trace_entry_count, entries, count * sizeof(TraceBuffer::Entry));
  rows_.trace_entry_count += count;
}

void Aggregator::GrowIndex(uint32_t kind) {
  constexpr uint32_t kFirstSlots = 256;
  Index& index = indexes_[kind];
  const Table& table = rows_.tables[kind];
  index.slots = index.slots == 0 ? kFirstSlots : index.slots * 4;
  if (index.slots > table.slots) index.slots = table.slots;
  index.most_rows = index.slots == table.slots ? ~uint32_t{0} : index.slots - index.slots / 4;
  memset(index.rows, 0, index.slots * sizeof *index.rows);
  for (uint32_t i = 0; i < table.count && i < RowsOf(table.slots); ++i) {
    uint64_t slot = Home(table.rows[i].first, table.rows[i].second, index.slots);
    for (uint64_t probe = 0; probe < kMaxTableProbes && index.rows[slot] != 0; ++probe)
      slot = (slot + 1) & (index.slots - 1);
    if (index.rows[slot] == 0) index.rows[slot] = i + 1;
  }
}

void Aggregator::Count(uint32_t kind, uint64_t first, uint64_t second) {
  if (kind == kRangeTable && !IsRange(first, second)) {
    ++losses_.implausible_range;
    return;
  }
  Table& table = rows_.tables[kind];
  Index& index = indexes_[kind];
  if (table.count >= index.most_rows) GrowIndex(kind);
  uint64_t slot = Home(first, second, index.slots);
  for (uint64_t probe = 0; probe < kMaxTableProbes && probe < index.slots; ++probe) {
    uint32_t& number = index.rows[slot];
    if (number == 0) {
      if (table.count == RowsOf(table.slots)) break;
      table.rows[table.count] = CountRow{first, second, 0};
      number = ++table.count;
    }
    if (number > table.count) number = table.count;  // the index is damaged
    CountRow& row = table.rows[number - 1];
    if (row.first == first && row.second == second) {
      ++row.count;
      ++counted_;
      return;
    }
    slot = (slot + 1) & (index.slots - 1);
  }
  ++losses_.table_full;
}

bool Aggregator::IsAboveThreshold() const {
  for (const Table& table : rows_.tables) {
    if (IsThreeQuarters(table.count, table.slots)) return true;
  }
  return trace_entries_ != 0 && trace_entries_ - rows_.trace_entry_count < kTraceBufferEntries;
}

bool Aggregator::IsDamaged() const {
  uint64_t sum = 0;
  for (const Table& table : rows_.tables) {
    if (table.count > RowsOf(table.slots)) return true;
    for (uint32_t i = 0; i < table.count; ++i) sum += table.rows[i].count;
  }
  return sum != counted_;
}

bool Aggregator::IsEmpty() const {
  return rows_.tables[kBranchTable].count == 0 && rows_.tables[kSampleTable].count == 0;
}

}  // namespace softlbr
