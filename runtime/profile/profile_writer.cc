#include "runtime/profile/profile_writer.h"

#include "runtime/format/bounded_sort.h"
#include "runtime/format/crc32c.h"
#include "runtime/format/stored_payload.h"
#include "runtime/profile/compressor.h"

namespace softlbr {
namespace {

static_assert(ProfileWriter::kCompressedBytes >= SOFTLBR_COMPRESS_BOUND(kProfileEncodeBytes));
static_assert(kProfileEncodeBytes <= kMaxFramePayloadBytes && ProfileWriter::kCompressedBytes <= kMaxFramePayloadBytes,
              "readers refuse larger frames");
static_assert(kStoredHeaderBytes <= 64, "kCompressedBytes has room for it");
static_assert(kMaxModuleNameBytes <= kMaxRecordNameBytes && kMaxBuildIdBytes <= kMaxRecordBuildIdBytes &&
              kMaxProgramHeaders <= kMaxRecordSegments && kMaxModules <= kMaxRecordModules);

// An empty frame has room for the session's info and labels, one row and the records of its two modules. So splitting
// always ends.
constexpr uint64_t kRoomForOneRow =
    2 * (kMaxModuleNameBytes + kMaxBuildIdBytes + 10 * kMaxVarintBytes + kMaxProgramHeaders * 5 * kMaxVarintBytes) +
    kMostLabelsBytes + 1024;
static_assert(kRoomForOneRow <= kProfileEncodeBytes);

// Lowest link-time address, and bytes up to the end of the highest segment.
struct Extent {
  uint64_t low;
  uint64_t span;
};

Extent ExtentOf(const Module& module) {
  if (module.segment_count == 0) return Extent{0, 0};
  uint64_t low = module.segments[0].vaddr;
  uint64_t high = low;
  for (uint32_t i = 0; i < module.segment_count; ++i) {
    const ModuleSegment& segment = module.segments[i];
    const uint64_t end = segment.vaddr + segment.memory_bytes;
    if (segment.vaddr < low) low = segment.vaddr;
    if (end > high) high = end;
  }
  return Extent{low, high - low};
}

void Describe(const void* cookie, uint32_t index, ModuleRecord* record) {
  const Module& module = static_cast<const ModuleTable*>(cookie)->modules[index];
  uint32_t name_bytes = 0;
  while (name_bytes < kMaxModuleNameBytes && module.name[name_bytes] != 0) ++name_bytes;
  const Extent extent = ExtentOf(module);
  *record = ModuleRecord{module.name,           module.build_id,      module.segments, name_bytes,
                         module.build_id_bytes, module.segment_count, module.machine,  module.elf_type,
                         module.is_main,        extent.low,           extent.span};
}

enum : uint32_t { kBranchTotal, kRangeTotal, kSampleTotal, kTraceTotal };

}  // namespace

Status ProfileWriter::Init(void* workspace, uint64_t workspace_bytes, ProfileSink sink, void* cookie,
                           const SessionInfo& info, const LabelStore* labels) {
  if (workspace_bytes < WorkspaceBytes()) return Status::kNotEnoughMemory;
  uint8_t* at = static_cast<uint8_t*>(workspace);
  compressor_ = SoftlbrInitCompressor(at, kProfileZstdBytes, kProfileEncodeBytes);
  if (compressor_ == nullptr) return Status::kNotEnoughMemory;
  at += kProfileZstdBytes;
  bases_ = reinterpret_cast<uint64_t*>(at);
  at += kMaxModules * sizeof(uint64_t);
  used_ = reinterpret_cast<uint64_t*>(at);
  at += FrameBuilder::UsedWords(kMaxModules) * sizeof(uint64_t);
  frame_ = at;
  at += Aligned(kFrameHeaderBytes + kCompressedBytes);
  builder_.Init(at, kProfileEncodeBytes);
  sink_ = sink;
  cookie_ = cookie;
  info_ = info;
  sequence_ = 0;
  modules_dropped_ = 0;
  for (uint64_t& total : totals_) total = 0;
  losses_ = WriterLosses{0, 0, 0, 0};
  labels_ = labels;
  label_bytes_ = 0;
  has_labels_ = false;
  BeginFrame();
  return Status::kOk;
}

void ProfileWriter::BeginFrame() {
  if (labels_ != nullptr) (void)labels_->Read(label_body_, &label_bytes_);  // else those of the frame before
  has_labels_ |= label_bytes_ != 0;
  builder_.Begin(info_, has_labels_ ? label_body_ : nullptr, label_bytes_);
}

void ProfileWriter::Hand(const void* bytes, uint64_t count) {
  if (sink_(cookie_, bytes, count) != 0) ++losses_.sink_failed;
}

void ProfileWriter::Flush(FrameKind kind, bool is_stored) {
  const uint8_t* payload;
  uint64_t bytes;
  const uint32_t sequence = sequence_++;
  const bool is_whole = builder_.Finish(&payload, &bytes);
  uint8_t* const to = frame_ + kFrameHeaderBytes;
  size_t compressed = 0;
  if (is_whole && is_stored) compressed = StorePayload(payload, bytes, to);
  if (is_whole && compressed == 0) compressed = SoftlbrCompress(compressor_, to, kCompressedBytes, payload, bytes);
  if (compressed == 0) {
    ++losses_.sink_failed;
  } else {
    const FrameHeader header = {kFormatVersion,
                                kind,
                                info_.session_id,
                                sequence,
                                static_cast<uint32_t>(compressed),
                                static_cast<uint32_t>(bytes),
                                Crc32c(frame_ + kFrameHeaderBytes, compressed)};
    EncodeFrameHeader(header, frame_);
    Hand(frame_, kFrameHeaderBytes + compressed);
  }
  BeginFrame();
}

void ProfileWriter::WriteSessionStart() {
  Hand(kFileMagic, kFileMagicBytes);
  BeginFrame();  // with the labels as they are now
  Flush(FrameKind::kData, true);
}

void ProfileWriter::AddModules(const ModuleTable& modules) {
  uint64_t base = 1;
  for (uint32_t i = 0; i < modules.count; ++i) {
    bases_[i] = base;
    base += ExtentOf(modules.modules[i]).span;
  }
  modules_dropped_ = modules.dropped > modules_dropped_ ? modules.dropped : modules_dropped_;
  builder_.SetModules(ModuleSource{&modules, modules.count, bases_, Describe}, used_);
  BeginFrame();
}

uint64_t ProfileWriter::Linear(const ModuleTable& modules, uint64_t address) const {
  const Module* module = FindModule(modules, address);
  if (module == nullptr) return kOutside;
  const Extent extent = ExtentOf(*module);
  const uint64_t offset = address - module->bias - extent.low;  // wraps below low, in the padding of the first page
  return offset < extent.span ? bases_[module - modules.modules] + offset : kOutside;
}

void ProfileWriter::AddLosses(const Aggregator& aggregator, SessionCounters* counters) const {
  const auto add = [counters](LossReason reason, uint64_t count) {
    counters->lost[static_cast<uint32_t>(reason)] += count;
  };
  add(LossReason::kTableFull, aggregator.losses().table_full + losses_.table_full);
  add(LossReason::kImplausibleRange, aggregator.losses().implausible_range + losses_.implausible_range);
  add(LossReason::kUnmapped, losses_.unmapped);
  add(LossReason::kSinkFailed, losses_.sink_failed);
  add(LossReason::kModuleTableFull, modules_dropped_);
}

// kind: kBranchTotal, kRangeTotal or kSampleTotal.
void ProfileWriter::WriteTable(uint32_t kind, const Aggregator::Table& table, const ModuleTable& modules,
                               uint64_t weight) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < table.count; ++i) {
    const CountRow at = table.rows[i];  // run-time addresses
    const CountRow row = {Linear(modules, at.first), Linear(modules, at.second), at.count * weight};
    if (kind != kSampleTotal && row.first == kOutside && row.second == kOutside) {
      if (kind == kBranchTotal) losses_.unmapped += row.count;  // for a range, its branches are counted
      continue;
    }
    if (kind == kRangeTotal && (row.first == kOutside || row.second - row.first != at.second - at.first ||
                                FindModule(modules, at.first) != FindModule(modules, at.second))) {
      losses_.implausible_range += row.count;
      continue;
    }
    totals_[kind] += row.count;
    table.rows[kept++] = row;
  }
  // merges only rows with kOutside: each mapping of a file is a module of its own
  kept = SortAndMerge(table.rows, kept);
  const auto section = static_cast<SectionId>(static_cast<uint32_t>(SectionId::kBranches) + kind);
  uint32_t done = builder_.AddRows(section, table.rows, kept);
  while (done < kept) {
    Flush(FrameKind::kData);  // the next frame is empty and takes at least one row (kRoomForOneRow)
    done += builder_.AddRows(section, table.rows + done, kept - done);
  }
}

void ProfileWriter::WriteCounts(Aggregator* aggregator, const ModuleTable& modules, const SessionCounters& counters,
                                uint64_t weight) {
  if (aggregator->IsEmpty()) return;
  AddModules(modules);
  const Aggregator::Rows rows = aggregator->TakeRows();
  for (uint32_t kind = 0; kind < kCountSections; ++kind) WriteTable(kind, rows.tables[kind], modules, weight);
  WriteTraces(rows, modules);

  SessionCounters totals = counters;
  AddLosses(*aggregator, &totals);
  if (!builder_.AddCounters(totals)) {
    Flush(FrameKind::kData);
    (void)builder_.AddCounters(totals);
  }
  Flush(FrameKind::kData);
  aggregator->Clear();
}

void ProfileWriter::WriteTraces(const Aggregator::Rows& rows, const ModuleTable& modules) {
  uint32_t at = 0;
  while (at < rows.trace_entry_count) {
    TraceBuffer::Entry* entries = rows.traces + at;
    const TraceHeader header = entries[0].header;
    at += 1u + header.branch_count;
    for (uint32_t i = 1; i <= header.branch_count; ++i) {
      entries[i].branch = BranchRecord{Linear(modules, entries[i].branch.from), Linear(modules, entries[i].branch.to)};
    }
    const uint64_t sampled = Linear(modules, header.sampled_pc);
    const uint64_t* pairs = &entries[1].branch.from;  // BranchRecord is {from, to}
    bool is_added = builder_.AddTrace(header.thread, header.reason, sampled, pairs, header.branch_count);
    if (!is_added && !builder_.IsEmpty()) {
      Flush(FrameKind::kData);
      is_added = builder_.AddTrace(header.thread, header.reason, sampled, pairs, header.branch_count);
    }
    if (is_added) {
      ++totals_[kTraceTotal];
    } else {
      ++losses_.table_full;
    }
  }
}

void ProfileWriter::WriteEnd(const Aggregator& aggregator, const SessionCounters& counters) {
  SessionCounters totals = counters;
  AddLosses(aggregator, &totals);
  const uint64_t end[] = {sequence_, totals_[kBranchTotal], totals_[kRangeTotal], totals_[kSampleTotal],
                          totals_[kTraceTotal]};
  BeginFrame();  // with the labels as they are now; the frame is empty
  // An empty frame has room for both.
  (void)builder_.AddCounters(totals);
  (void)builder_.AddTotals(end, sizeof end / sizeof end[0]);
  Flush(FrameKind::kEnd, true);
}

}  // namespace softlbr
