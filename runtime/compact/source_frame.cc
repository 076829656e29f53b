#include "runtime/compact/source_frame.h"

#include "platform/base/bytes.h"

#include "platform/base/handler_prelude.h"

namespace softlbr::compact {
namespace {

// Not inlined, for size.
SOFTLBR_NOINLINE uint64_t GetNumber(ByteReader* in) { return in->GetVarint(); }

// False unless *field can hold the value.
template <typename Field>
bool Set(uint64_t value, Field* field) {
  *field = static_cast<Field>(value);
  return static_cast<uint64_t>(*field) == value;
}

bool NextSection(ByteReader* in, SectionId* id, ByteReader* body) {
  *id = static_cast<SectionId>(in->GetU32());
  const uint32_t bytes = in->GetU32();
  const uint8_t* begin = in->GetBytes(bytes);
  if (in->has_failed) return false;
  body->Reset(begin, bytes);
  return true;
}

// The reader behind the next `rows` numbers.
ByteReader Behind(ByteReader in, uint64_t rows) {
  for (; rows != 0; --rows) (void)GetNumber(&in);
  return in;
}

}  // namespace

bool SourceFrame::Take(const uint8_t* payload, uint64_t bytes) {
  count_ = 0;
  last_ = 0;
  has_modules_ = false;
  has_info_ = false;
  ByteReader in;
  ByteReader body;
  SectionId id;
  // The rows refer to the modules, which come last.
  for (in.Reset(payload, bytes); !in.IsAtEnd();) {
    if (!NextSection(&in, &id, &body)) return false;
    if (id == SectionId::kModules && !TakeModules(&body)) return false;
  }
  for (in.Reset(payload, bytes); !in.IsAtEnd();) {
    if (!NextSection(&in, &id, &body) || !TakeSection(id, body)) return false;
  }
  return has_info_;
}

bool SourceFrame::TakeSection(SectionId id, ByteReader body) {
  switch (id) {
    case SectionId::kInfo: return TakeInfo(&body);
    case SectionId::kCounters:
      if (body.Remaining() > kMaxCounterBytes) return false;
      facts_->counter_bytes = static_cast<uint32_t>(body.Remaining());
      CopyBytes(facts_->counters, body.at, body.Remaining());
      while (!body.IsAtEnd()) {
        (void)GetNumber(&body);
        (void)GetNumber(&body);
        if (body.has_failed) return false;
      }
      return true;
    case SectionId::kLabels:
      if (!AreLabels(body.at, body.Remaining())) return false;
      facts_->has_labels = true;
      facts_->label_bytes = static_cast<uint32_t>(body.Remaining());
      CopyBytes(facts_->labels, body.at, body.Remaining());
      return true;
    case SectionId::kTotals: return TakeTotals(&body);
    case SectionId::kBranches:
    case SectionId::kRanges:
    case SectionId::kSamples: return TakeRows(id, &body);
    case SectionId::kModules: return true;  // taken
    default: return false;
  }
}

bool SourceFrame::TakeInfo(ByteReader* in) {
  has_info_ = true;
  SessionInfo& info = facts_->info;
#define SOFTLBR_INFO(type, field, key, meaning) info.field = {};
#include "runtime/counters/session_info.def"
  while (!in->IsAtEnd()) {
    const uint64_t key = GetNumber(in);
    const uint64_t value = GetNumber(in);
    if (in->has_failed) return false;
    switch (key) {
#define SOFTLBR_INFO(type, field, number, meaning) \
  case number:                                     \
    if (!Set(value, &info.field)) return false;    \
    break;
#include "runtime/counters/session_info.def"
      default: return false;
    }
  }
  return info.resolve <= ResolvePolicy::kLookahead;
}

bool SourceFrame::TakeTotals(ByteReader* in) {
  constexpr uint32_t kMost = sizeof facts_->totals / sizeof facts_->totals[0];
  for (facts_->total_count = 0; !in->IsAtEnd(); ++facts_->total_count) {
    const uint64_t key = GetNumber(in);
    const uint64_t value = GetNumber(in);
    if (in->has_failed || facts_->total_count == kMost || key != facts_->total_count + 1) return false;
    facts_->totals[facts_->total_count] = value;
  }
  return true;
}

bool SourceFrame::TakeModules(ByteReader* in) {
  if (has_modules_) return false;
  has_modules_ = true;
  const uint64_t count = GetNumber(in);
  if (in->has_failed || count > kMaxModules) return false;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t bytes = GetNumber(in);
    const uint8_t* begin = in->GetBytes(bytes);
    if (in->has_failed) return false;
    ByteReader record;
    record.Reset(begin, bytes);
    if (!TakeModule(&record) || record.has_failed || !record.IsAtEnd()) return false;
  }
  return in->IsAtEnd();
}

bool SourceFrame::TakeModule(ByteReader* in) {
  KnownModule module;
  FillBytes(&module, 0, sizeof module);
  const uint64_t name_bytes = GetNumber(in);
  if (name_bytes > sizeof module.name) return false;
  const uint8_t* name = in->GetBytes(name_bytes);
  if (name == nullptr || StringBytes(reinterpret_cast<const char*>(name), name_bytes) != name_bytes) return false;
  CopyBytes(module.name, name, name_bytes);
  module.name_bytes = static_cast<uint32_t>(name_bytes);
  const uint64_t build_id_bytes = GetNumber(in);
  if (build_id_bytes > sizeof module.build_id) return false;
  const uint8_t* build_id = in->GetBytes(build_id_bytes);
  if (build_id == nullptr) return false;
  CopyBytes(module.build_id, build_id, build_id_bytes);
  module.build_id_bytes = static_cast<uint32_t>(build_id_bytes);
  if (!Set(GetNumber(in), &module.machine) || !Set(GetNumber(in), &module.elf_type)) return false;
  const uint64_t flags = GetNumber(in);
  if (flags > kModuleIsMain) return false;
  module.is_main = flags == kModuleIsMain;
  const uint64_t base = GetNumber(in);
  module.low = GetNumber(in);
  module.span = GetNumber(in);
  const uint64_t segments = GetNumber(in);
  if (in->has_failed || segments > kMaxProgramHeaders) return false;
  for (uint64_t i = 0; i < segments; ++i) {
    ModuleSegment& segment = module.segments[i];
    segment.vaddr = GetNumber(in);
    segment.file_offset = GetNumber(in);
    segment.file_bytes = GetNumber(in);
    segment.memory_bytes = GetNumber(in);
    if (!Set(GetNumber(in), &segment.flags)) return false;
  }
  module.segment_count = static_cast<uint32_t>(segments);
  const uint64_t end = count_ == 0 ? 1 : placements_[count_ - 1].base + placements_[count_ - 1].span;
  if (base < end || base > kMaxLinear || module.span > kMaxLinear - base || module.low > ~0ull - module.span)
    return false;
  Placement& place = placements_[count_++];
  place.base = base;
  place.span = module.span;
  return modules_->Add(module, &place.module);
}

bool SourceFrame::Locate(uint64_t address, Place* place) {
  *place = Place{kOutside, kMaxModules};
  if (address == kOutside) return true;
  if (count_ == 0) return false;
  const auto begins_at_or_below = [&](uint32_t i) { return placements_[i].base <= address; };
  if (!begins_at_or_below(last_) || (last_ + 1 < count_ && begins_at_or_below(last_ + 1))) {
    uint32_t low = 0;
    uint32_t high = count_;  // the last base <= address lies in [low, high)
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      (begins_at_or_below(middle) ? low : high) = middle;
    }
    last_ = low;
  }
  const Placement& found = placements_[last_];
  if (address - found.base >= found.span) return false;  // wraps below the first
  *place = Place{modules_->Base(found.module) + (address - found.base), found.module};
  return true;
}

bool SourceFrame::Convert(SectionId id, uint64_t first, uint64_t second, CountRow* row) {
  Place from;
  if (!Locate(first, &from)) return false;
  if (id == SectionId::kSamples) {
    *row = CountRow{PackSource(from.address, RowKind::kSample), 0, 0};
    return true;
  }
  if (id == SectionId::kRanges && !IsRange(first, second)) return false;
  Place to;
  if (!Locate(second, &to)) return false;
  const bool is_outside = from.module == kMaxModules;
  if (id == SectionId::kBranches) {
    *row = CountRow{PackSource(from.address, RowKind::kBranch), to.address, 0};
    return !is_outside || to.module != kMaxModules;
  }
  *row = CountRow{PackSource(to.address, RowKind::kRange), second - first, 0};
  return !is_outside && from.module == to.module && to.address - from.address == second - first;
}

bool SourceFrame::TakeRows(SectionId id, ByteReader* in) {
  const uint32_t columns = id == SectionId::kSamples ? 2 : 3;
  const uint64_t count = GetNumber(in);
  if (in->has_failed || count == 0 || count > in->Remaining() / columns) return false;
  // A reader in each column.
  ByteReader seconds = Behind(*in, count);
  ByteReader counts = columns == 2 ? seconds : Behind(seconds, count);
  uint64_t first = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t difference = GetNumber(in);
    if (difference > kMaxLinear - first) return false;
    first += difference;
    uint64_t second = first;
    if (columns == 3) {
      const uint64_t distance = GetNumber(&seconds);
      second += id == SectionId::kBranches ? UnZigZag(distance) : distance;
    }
    CountRow row;
    if (!Convert(id, first, second, &row)) return false;
    row.count = GetNumber(&counts);
    if (counts.has_failed || row.count == 0 || row.count >= kMaxCount) return false;
    rows_->Add(row);
  }
  return counts.IsAtEnd();
}

}  // namespace softlbr::compact
