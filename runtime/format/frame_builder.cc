#include "runtime/format/frame_builder.h"

#include <cstddef>

namespace softlbr {
namespace {

// Not inlined: the runtime's text has a budget.
SOFTLBR_NOINLINE void PutNumber(ByteWriter* out, uint64_t value) { out->PutVarint(value); }

// Column `column` of a row, as written: first address less that of the row before, second address less the first,
// count. Samples have no second address. Rows are written column by column, which compresses better
// (docs/profile_format.md, "Size").
uint64_t Column(SectionId id, uint32_t column, const CountRow* before, const CountRow& row) {
  if (column == 0) return row.first - (before != nullptr ? before->first : 0);
  if (column == 2 || id == SectionId::kSamples) return row.count;
  const uint64_t distance = row.second - row.first;
  return id == SectionId::kBranches ? ZigZag(distance) : distance;
}

uint64_t RecordBytes(const ModuleRecord& record, uint64_t base) {
  const uint64_t is_main = record.is_main ? kModuleIsMain : 0;
  uint64_t bytes = VarintBytes(record.name_bytes) + record.name_bytes + VarintBytes(record.build_id_bytes) +
                   record.build_id_bytes + VarintBytes(record.machine) + VarintBytes(record.elf_type) +
                   VarintBytes(is_main) + VarintBytes(base) + VarintBytes(record.low) + VarintBytes(record.span) +
                   VarintBytes(record.segment_count);
  for (uint32_t i = 0; i < record.segment_count; ++i) {
    const ModuleSegment& segment = record.segments[i];
    bytes += VarintBytes(segment.vaddr) + VarintBytes(segment.file_offset) + VarintBytes(segment.file_bytes) +
             VarintBytes(segment.memory_bytes) + VarintBytes(segment.flags);
  }
  return bytes;
}

void PutRecord(const ModuleRecord& record, uint64_t base, ByteWriter* out) {
  PutNumber(out, RecordBytes(record, base));
  PutNumber(out, record.name_bytes);
  out->PutBytes(record.name, record.name_bytes);
  PutNumber(out, record.build_id_bytes);
  out->PutBytes(record.build_id, record.build_id_bytes);
  PutNumber(out, record.machine);
  PutNumber(out, record.elf_type);
  PutNumber(out, record.is_main ? kModuleIsMain : 0);
  PutNumber(out, base);
  PutNumber(out, record.low);
  PutNumber(out, record.span);
  PutNumber(out, record.segment_count);
  for (uint32_t i = 0; i < record.segment_count; ++i) {
    const ModuleSegment& segment = record.segments[i];
    PutNumber(out, segment.vaddr);
    PutNumber(out, segment.file_offset);
    PutNumber(out, segment.file_bytes);
    PutNumber(out, segment.memory_bytes);
    PutNumber(out, segment.flags);
  }
}

void PutPair(uint64_t key, uint64_t value, ByteWriter* out) {
  PutNumber(out, key);
  PutNumber(out, value);
}

void PutCounter(uint64_t key, uint64_t value, ByteWriter* out) {
  if (value != 0) PutPair(key, value, out);  // absent means 0
}

// Keys of the counters in the order of their fields, so that loops write them: a statement for each would take 400
// bytes of text.
constexpr uint8_t kHandlerKeys[] = {
#define SOFTLBR_HANDLER_COUNTER(field, name, key, unit, meaning) key,
#include "runtime/counters/counters.def"
};
constexpr uint8_t kSessionKeys[] = {
#define SOFTLBR_SESSION_COUNTER(field, name, key, unit, meaning) key,
#include "runtime/counters/counters.def"
};
static_assert(offsetof(HandlerCounters, traces_aborted) == sizeof kHandlerKeys * sizeof(uint64_t),
              "arrays follow in counters.def");
static_assert(sizeof(SessionCounters) == sizeof(HandlerCounters) + sizeof kSessionKeys * sizeof(uint64_t));

// Section header and count of the MODULES section that Finish appends.
constexpr uint64_t kModulesHeaderBytes = kSectionHeaderBytes + kMaxVarintBytes;
// Room for all counters, at two varints each.
constexpr uint64_t kMaxPairsBytes = 2048;
static_assert(sizeof(SessionCounters) / sizeof(uint64_t) * 2 * kMaxVarintBytes <= kMaxPairsBytes);

}  // namespace

void FrameBuilder::Init(uint8_t* buffer, uint64_t capacity) {
  out_.Reset(buffer, capacity);
  source_ = ModuleSource{nullptr, 0, nullptr, nullptr};
  used_ = nullptr;
}

void FrameBuilder::SetModules(const ModuleSource& source, uint64_t* used) {
  source_ = source;
  used_ = used;
}

void FrameBuilder::Begin(const SessionInfo& info, const uint8_t* labels, uint64_t label_bytes) {
  out_.at = out_.begin;
  out_.has_failed = false;
  for (uint64_t i = 0; i < UsedWords(source_.count); ++i) used_[i] = 0;
  used_count_ = 0;
  module_bytes_ = 0;
  promised_ = 0;
  section_ = nullptr;
  last_module_ = 0;
  in_traces_ = false;
  OpenSection(SectionId::kInfo);
#define SOFTLBR_INFO(type, field, key, meaning) PutPair(key, static_cast<uint64_t>(info.field), &out_);
#include "runtime/counters/session_info.def"
  CloseSection();
  if (labels != nullptr) {
    OpenSection(SectionId::kLabels);
    out_.PutBytes(labels, label_bytes);
    CloseSection();
  }
  is_empty_ = true;
}

void FrameBuilder::OpenSection(SectionId id) {
  CloseSection();
  out_.PutU32(static_cast<uint32_t>(id));
  out_.PutU32(0);
  section_ = out_.at;
  is_empty_ = false;
}

void FrameBuilder::CloseSection() {
  if (section_ == nullptr) return;
  if (!out_.has_failed) StoreU32(section_ - 4, static_cast<uint32_t>(out_.at - section_));
  section_ = nullptr;
  in_traces_ = false;
}

uint32_t FrameBuilder::ModuleOf(uint64_t address) {
  const uint64_t* bases = source_.bases;
  const uint32_t last = last_module_;
  if (bases[last] <= address && (last + 1 == source_.count || address < bases[last + 1])) return last;
  uint32_t low = 0;
  uint32_t high = source_.count;  // the last base <= address lies in [low, high)
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (bases[middle] <= address) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return last_module_ = low;
}

bool FrameBuilder::Admit(uint64_t bytes, const uint64_t* addresses, uint64_t count) {
  const uint64_t capacity = static_cast<uint64_t>(out_.end - out_.begin);
  const uint64_t taken = out_.Size() + promised_ + bytes + kModulesHeaderBytes;
  if (taken + module_bytes_ > capacity) return false;
  for (uint64_t i = 0; i < count; ++i) {
    if (addresses[i] == kOutside || source_.count == 0) continue;
    const uint32_t module = ModuleOf(addresses[i]);
    const uint64_t bit = 1ull << (module % 64);
    if ((used_[module / 64] & bit) != 0) continue;
    ModuleRecord record;
    source_.describe(source_.cookie, module, &record);
    const uint64_t body = RecordBytes(record, source_.bases[module]);
    const uint64_t record_bytes = VarintBytes(body) + body;
    // A module that is marked for a row that then does not fit stays in the frame: this costs a few bytes, and is never
    // wrong.
    if (taken + module_bytes_ + record_bytes > capacity) return false;
    used_[module / 64] |= bit;
    ++used_count_;
    module_bytes_ += record_bytes;
  }
  promised_ += bytes;
  return true;
}

uint32_t FrameBuilder::AddRows(SectionId id, const CountRow* rows, uint32_t count) {
  CloseSection();
  if (count == 0 || !Admit(kSectionHeaderBytes + kMaxVarintBytes, nullptr, 0)) return 0;
  const uint32_t columns = id == SectionId::kSamples ? 2 : 3;
  uint32_t taken = 0;
  const CountRow* before = nullptr;
  for (; taken < count; before = &rows[taken++]) {
    uint64_t bytes = 0;
    for (uint32_t column = 0; column < columns; ++column) bytes += VarintBytes(Column(id, column, before, rows[taken]));
    if (!Admit(bytes, &rows[taken].first, 2)) break;  // first and second are adjacent
  }
  promised_ = 0;
  if (taken == 0) return 0;
  OpenSection(id);
  PutNumber(&out_, taken);
  for (uint32_t column = 0; column < columns; ++column) {
    before = nullptr;
    for (uint32_t i = 0; i < taken; before = &rows[i++]) PutNumber(&out_, Column(id, column, before, rows[i]));
  }
  CloseSection();
  return taken;
}

bool FrameBuilder::AddTrace(uint32_t thread, AbortReason reason, uint64_t sampled, const uint64_t* pairs,
                            uint32_t branch_count) {
  const uint64_t reason_number = static_cast<uint64_t>(reason);
  uint64_t bytes = VarintBytes(thread) + VarintBytes(reason_number) + VarintBytes(sampled) + VarintBytes(branch_count);
  uint64_t at = sampled;
  for (uint32_t i = 0; i < 2 * branch_count; ++i) {
    bytes += VarintBytes(ZigZag(pairs[i] - at));
    at = pairs[i];
  }
  const bool fits = Admit(kSectionHeaderBytes + bytes, &sampled, 1) && Admit(0, pairs, 2ull * branch_count);
  promised_ = 0;
  if (!fits) return false;
  if (!in_traces_) OpenSection(SectionId::kTraces);
  in_traces_ = true;
  PutNumber(&out_, thread);
  PutNumber(&out_, reason_number);
  PutNumber(&out_, sampled);
  PutNumber(&out_, branch_count);
  at = sampled;
  for (uint32_t i = 0; i < 2 * branch_count; ++i) {
    PutNumber(&out_, ZigZag(pairs[i] - at));
    at = pairs[i];
  }
  return true;
}

bool FrameBuilder::AddPairs(SectionId id, const ByteWriter& pairs) {
  CloseSection();
  const bool fits = Admit(kSectionHeaderBytes + pairs.Size(), nullptr, 0);
  promised_ = 0;
  if (!fits) return false;
  OpenSection(id);
  out_.PutBytes(pairs.begin, pairs.Size());
  CloseSection();
  return true;
}

bool FrameBuilder::AddCounters(const SessionCounters& counters) {
  uint8_t buffer[kMaxPairsBytes];
  ByteWriter pairs;
  pairs.Reset(buffer, sizeof buffer);
  const auto* first = reinterpret_cast<const uint64_t*>(&counters);
  for (const uint8_t key : kHandlerKeys) PutCounter(key, *first++, &pairs);
  first = reinterpret_cast<const uint64_t*>(&counters) + sizeof(HandlerCounters) / sizeof(uint64_t);
  for (const uint8_t key : kSessionKeys) PutCounter(key, *first++, &pairs);
#define SOFTLBR_COUNTER_ARRAY(field, name, key, reason, unit, meaning) \
  for (uint32_t i = 0; i < k##reason##ReasonCount; ++i) PutCounter(key + i, counters.field[i], &pairs);
#include "runtime/counters/counters.def"
  return AddPairs(SectionId::kCounters, pairs);
}

bool FrameBuilder::AddTotals(const uint64_t* totals, uint32_t count) {
  uint8_t buffer[kMaxPairsBytes];
  ByteWriter pairs;
  pairs.Reset(buffer, sizeof buffer);
  for (uint32_t i = 0; i < count; ++i) PutPair(i + 1, totals[i], &pairs);
  return AddPairs(SectionId::kTotals, pairs);
}

bool FrameBuilder::Finish(const uint8_t** payload, uint64_t* bytes) {
  CloseSection();
  if (used_count_ != 0) {
    OpenSection(SectionId::kModules);
    PutNumber(&out_, used_count_);
    for (uint32_t module = 0; module < source_.count; ++module) {
      if ((used_[module / 64] >> (module % 64) & 1) == 0) continue;
      ModuleRecord record;
      source_.describe(source_.cookie, module, &record);
      PutRecord(record, source_.bases[module], &out_);
    }
    CloseSection();
  }
  *payload = out_.begin;
  *bytes = out_.Size();
  return !out_.has_failed;
}

}  // namespace softlbr
