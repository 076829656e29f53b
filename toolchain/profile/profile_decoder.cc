#include "toolchain/profile/profile_decoder.h"

#include <algorithm>
#include <limits>
#include <string>

#include "platform/base/limits.h"
#include "runtime/format/byte_stream.h"
#include "runtime/format/labels.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/profile/flow_section.h"

namespace softlbr::toolchain {
namespace {

// Places a module in the frame's linear address space: linear addresses [base, base + span) are link-time addresses
// from `low`.
struct Placement {
  uint64_t base;
  uint64_t low;
  uint64_t span;
};

class FrameDecoder {
 public:
  explicit FrameDecoder(DecodedFrame* frame) : frame_(*frame) {}

  bool Decode(std::span<const uint8_t> payload) {
    // The other sections refer to the modules, whose section may come in any position: decode it first.
    return ForEachSection(
               payload,
               [this](SectionId id, ByteReader body) { return id != SectionId::kModules || DecodeModules(&body); }) &&
           ForEachSection(payload, [this](SectionId id, ByteReader body) { return DecodeSection(id, &body); });
  }

 private:
  template <typename Visitor>
  static bool ForEachSection(std::span<const uint8_t> payload, Visitor visit) {
    ByteReader in;
    in.Reset(payload.data(), payload.size());
    while (!in.IsAtEnd()) {
      const auto id = static_cast<SectionId>(in.GetU32());
      const uint32_t bytes = in.GetU32();
      const uint8_t* body = in.GetBytes(bytes);
      if (in.has_failed) return false;
      ByteReader section;
      section.Reset(body, bytes);
      if (!visit(id, section)) return false;
    }
    return true;
  }

  bool DecodeSection(SectionId id, ByteReader* body) {
    ++frame_.sections;
    switch (id) {
      case SectionId::kInfo: return DecodeInfo(body);
      case SectionId::kCounters: return DecodeCounters(body);
      case SectionId::kBranches: return DecodeBranches(body);
      case SectionId::kRanges: return DecodeRanges(body);
      case SectionId::kSamples: return DecodeSamples(body);
      case SectionId::kTraces: return DecodeTraces(body);
      case SectionId::kTotals: return DecodeTotals(body);
      case SectionId::kProcess: return DecodeProcess(body);
      case SectionId::kModules: return true;  // done
      case SectionId::kFlow: return DecodeFlowRows(body);
      case SectionId::kLabels: return DecodeLabels(body);
    }
    ++frame_.unknown_parts;  // from a later version: skipped
    return true;
  }

  template <typename Field>
  static bool Set(uint64_t value, Field* field) {
    *field = static_cast<Field>(value);
    return static_cast<uint64_t>(*field) == value;
  }

  bool DecodeProcess(ByteReader* in) {
    DecodedProcess process;
    if (!Set(in->GetVarint(), &process.id) || in->has_failed || in->Remaining() > kMaxRecordNameBytes) return false;
    const uint64_t bytes = in->Remaining();
    process.program.assign(reinterpret_cast<const char*>(in->GetBytes(bytes)), bytes);
    if (process.program.find('\0') != std::string::npos) return false;
    frame_.process = std::move(process);
    return true;
  }

  // Keys are numbered from 1 on without large gaps: one beyond this is of no version.
  void NoteKey(uint64_t key) {
    constexpr uint64_t kLastKey = 4095;
    if (key > kLastKey) ++frame_.unknown_parts;
  }

  bool DecodeLabels(ByteReader* in) {
    const uint64_t bytes = in->Remaining();
    const uint8_t* body = in->GetBytes(bytes);
    if (!AreLabels(body, bytes)) return false;
    frame_.labels.emplace();
    Label label;
    for (uint64_t at = 0; NextLabel(body, bytes, &at, &label);) {
      frame_.labels->emplace(std::string(label.key, label.key_bytes), std::string(label.value, label.value_bytes));
    }
    return true;
  }

  bool DecodeInfo(ByteReader* in) {
    SessionInfo info{};
    while (!in->IsAtEnd()) {
      const uint64_t key = in->GetVarint();
      const uint64_t value = in->GetVarint();
      if (in->has_failed) return false;
      NoteKey(key);
      switch (key) {
#define SOFTLBR_INFO(type, field, number, meaning) \
  case number:                                     \
    if (!Set(value, &info.field)) return false;    \
    break;
#include "runtime/counters/session_info.def"
        default: break;
      }
    }
    if (info.resolve > ResolvePolicy::kLookahead) return false;
    frame_.info = info;
    return true;
  }

  bool DecodeCounters(ByteReader* in) {
    SessionCounters counters{};
    while (!in->IsAtEnd()) {
      const uint64_t key = in->GetVarint();
      const uint64_t value = in->GetVarint();
      if (in->has_failed) return false;
      NoteKey(key);
      switch (key) {
#define SOFTLBR_COUNTER(field, name, number, unit, meaning) \
  case number:                                              \
    counters.field = value;                                 \
    break;
#include "runtime/counters/counters.def"
        default: break;
      }
#define SOFTLBR_COUNTER_ARRAY(field, name, first, reason, unit, meaning) \
  if (key - first < k##reason##ReasonCount) counters.field[key - first] = value;
#include "runtime/counters/counters.def"
    }
    frame_.counters = counters;
    return true;
  }

  bool DecodeTotals(ByteReader* in) {
    while (!in->IsAtEnd()) {
      const uint64_t key = in->GetVarint();
      const uint64_t value = in->GetVarint();
      if (in->has_failed) return false;
      NoteKey(key);
      if (key == static_cast<uint64_t>(TotalKey::kFrames)) frame_.total_frames = value;
    }
    return true;
  }

  bool DecodeModules(ByteReader* in) {
    const uint64_t count = in->GetVarint();
    if (in->has_failed || count > in->Remaining() || count > kMaxRecordModules || !placements_.empty()) return false;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t bytes = in->GetVarint();
      const uint8_t* body = in->GetBytes(bytes);
      if (in->has_failed) return false;
      ByteReader record;
      record.Reset(body, bytes);
      if (!DecodeModule(&record)) return false;
    }
    return in->IsAtEnd();
  }

  bool DecodeModule(ByteReader* in) {
    ProfileModule module;
    const uint64_t name_bytes = in->GetVarint();
    if (name_bytes > kMaxRecordNameBytes) return false;
    const uint8_t* name = in->GetBytes(name_bytes);
    const uint64_t build_id_bytes = in->GetVarint();
    if (build_id_bytes > kMaxRecordBuildIdBytes) return false;
    const uint8_t* build_id = in->GetBytes(build_id_bytes);
    const uint64_t machine = in->GetVarint();
    const uint64_t elf_type = in->GetVarint();
    const uint64_t flags = in->GetVarint();
    const Placement place = {in->GetVarint(), in->GetVarint(), in->GetVarint()};
    const uint64_t segment_count = in->GetVarint();
    if (in->has_failed || segment_count > kMaxRecordSegments) return false;
    if (!Set(machine, &module.machine) || !Set(elf_type, &module.elf_type)) return false;
    module.name.assign(reinterpret_cast<const char*>(name), name_bytes);
    if (module.name.find('\0') != std::string::npos) return false;
    module.build_id.assign(build_id, build_id + build_id_bytes);
    module.is_main = (flags & kModuleIsMain) != 0;
    module.segments.reserve(segment_count);
    for (uint64_t i = 0; i < segment_count; ++i) {
      Segment segment;
      segment.vaddr = in->GetVarint();
      segment.file_offset = in->GetVarint();
      segment.file_bytes = in->GetVarint();
      segment.memory_bytes = in->GetVarint();
      if (!Set(in->GetVarint(), &segment.flags) || in->has_failed) return false;
      module.segments.push_back(segment);
    }
    // Remaining bytes of the record are fields of a later version: skipped.
    const uint64_t end = placements_.empty() ? 1 : placements_.back().base + placements_.back().span;
    if (place.base < end || place.base > kMaxLinear || place.span > kMaxLinear - place.base ||
        place.low > std::numeric_limits<uint64_t>::max() - place.span) {
      return false;
    }
    placements_.push_back(place);
    frame_.modules.push_back(std::move(module));
    return true;
  }

  // Translates a linear address. False if it is neither in a module nor kOutside.
  bool Locate(uint64_t linear, Location* location) const {
    *location = Location{};
    if (linear == kOutside) return true;
    const auto after = std::upper_bound(placements_.begin(), placements_.end(), linear,
                                        [](uint64_t value, const Placement& place) { return value < place.base; });
    if (after == placements_.begin()) return false;
    const Placement& place = *(after - 1);
    if (linear - place.base >= place.span) return false;
    location->module = static_cast<uint32_t>(after - 1 - placements_.begin());
    location->address = place.low + (linear - place.base);
    return true;
  }

  // The section's row count; 0 if it claims more rows than its bytes can hold. A row takes at least `columns` bytes.
  static uint64_t RowCount(ByteReader* in, uint64_t columns) {
    const uint64_t rows = in->GetVarint();
    return rows <= in->Remaining() / columns ? rows : 0;
  }

  // Reads a column of differences. False if a sum exceeds kMaxLinear.
  static bool ReadAscending(ByteReader* in, std::vector<uint64_t>* values) {
    uint64_t value = 0;
    for (uint64_t& slot : *values) {
      const uint64_t difference = in->GetVarint();
      if (difference > kMaxLinear - value) return false;
      slot = value += difference;
    }
    return !in->has_failed;
  }

  bool DecodeBranches(ByteReader* in) {
    const uint64_t rows = RowCount(in, 3);
    if (rows == 0) return false;
    std::vector<uint64_t> froms(rows);
    if (!ReadAscending(in, &froms)) return false;
    const size_t first = frame_.branches.size();
    frame_.branches.resize(first + rows);
    for (uint64_t i = 0; i < rows; ++i) {
      BranchCount& row = frame_.branches[first + i];
      if (!Locate(froms[i], &row.from) || !Locate(froms[i] + UnZigZag(in->GetVarint()), &row.to)) return false;
      if (row.from.module == kNoModule && row.to.module == kNoModule) return false;
    }
    return ReadCounts(in, &frame_.branches, first);
  }

  bool DecodeRanges(ByteReader* in) {
    const uint64_t rows = RowCount(in, 3);
    if (rows == 0) return false;
    std::vector<uint64_t> firsts(rows);
    if (!ReadAscending(in, &firsts)) return false;
    const size_t first = frame_.ranges.size();
    frame_.ranges.resize(first + rows);
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t length = in->GetVarint();
      Location begin;
      Location end;
      if (!IsRange(firsts[i], firsts[i] + length) || !Locate(firsts[i], &begin) || !Locate(firsts[i] + length, &end))
        return false;
      if (begin.module == kNoModule || begin.module != end.module) return false;
      frame_.ranges[first + i] = RangeCount{begin.module, begin.address, end.address, 0};
    }
    return ReadCounts(in, &frame_.ranges, first);
  }

  bool DecodeSamples(ByteReader* in) {
    const uint64_t rows = RowCount(in, 2);
    if (rows == 0) return false;
    std::vector<uint64_t> pcs(rows);
    if (!ReadAscending(in, &pcs)) return false;
    const size_t first = frame_.samples.size();
    frame_.samples.resize(first + rows);
    for (uint64_t i = 0; i < rows; ++i) {
      if (!Locate(pcs[i], &frame_.samples[first + i].pc)) return false;
    }
    return ReadCounts(in, &frame_.samples, first);
  }

  bool DecodeFlowRows(ByteReader* in) {
    const uint64_t base = in->GetVarint();
    Location begin;
    if (in->has_failed || base == kOutside || !Locate(base, &begin) || placements_[begin.module].base != base)
      return false;
    const uint32_t module = begin.module;
    const Placement& place = placements_[module];
    FlowRows rows;
    if (!DecodeFlow(*in, place.span, &rows)) return false;
    frame_.branches.reserve(frame_.branches.size() + rows.branches.size());
    for (const FlowBranch& row : rows.branches) {
      frame_.branches.push_back({{module, place.low + row.from}, {module, place.low + row.to}, row.count});
    }
    frame_.ranges.reserve(frame_.ranges.size() + rows.ranges.size());
    for (const FlowRange& row : rows.ranges)
      frame_.ranges.push_back({module, place.low + row.first, place.low + row.last, row.count});
    return true;
  }

  template <typename Row>
  static bool ReadCounts(ByteReader* in, std::vector<Row>* rows, size_t first) {
    for (size_t i = first; i < rows->size(); ++i) {
      (*rows)[i].count = in->GetVarint();
      if ((*rows)[i].count == 0) return false;
    }
    return !in->has_failed && in->IsAtEnd();
  }

  bool DecodeTraces(ByteReader* in) {
    while (!in->IsAtEnd()) {
      Trace trace;
      if (!Set(in->GetVarint(), &trace.thread)) return false;
      const uint64_t reason = in->GetVarint();
      uint64_t at = in->GetVarint();
      const uint64_t branches = in->GetVarint();
      if (in->has_failed || branches > in->Remaining() / 2 || !Locate(at, &trace.sampled_pc)) return false;
      trace.branches.resize(branches);
      for (auto& [from, to] : trace.branches) {
        if (!Locate(at += UnZigZag(in->GetVarint()), &from)) return false;
        if (!Locate(at += UnZigZag(in->GetVarint()), &to)) return false;
      }
      if (in->has_failed) return false;
      // An abort reason of a later version: skip the trace, which would otherwise count as complete.
      if (reason >= kAbortReasonCount) continue;
      trace.reason = static_cast<AbortReason>(reason);
      frame_.traces.push_back(std::move(trace));
    }
    return true;
  }

  DecodedFrame& frame_;
  std::vector<Placement> placements_;
};

}  // namespace

bool DecodeFrame(std::span<const uint8_t> payload, DecodedFrame* frame) {
  *frame = DecodedFrame{};
  return FrameDecoder(frame).Decode(payload);
}

}  // namespace softlbr::toolchain
