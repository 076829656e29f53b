#include "runtime/compact/session_compactor.h"

#include "runtime/compact/decompressor.h"
#include "runtime/format/crc32c.h"
#include "runtime/profile/compressor.h"

#include "platform/base/handler_prelude.h"

namespace softlbr::compact {
namespace {

static_assert(kFrameHeaderBytes + SOFTLBR_COMPRESS_BOUND(kPayloadBytes) <= spool::kWindowBytes,
              "a frame is compressed into the window");

// The largest number of rows from the front, up to `most`, that ends with a source's last row; `most` if there is none.
uint32_t WholeSources(const CountRow* rows, uint32_t count, uint32_t most) {
  if (most >= count) return count;
  for (uint32_t i = most; i != 0; --i) {
    if (SourceOf(rows[i - 1]) != SourceOf(rows[i])) return i;
  }
  return most;
}

}  // namespace

CompactResult SessionCompactor::Run() {
  compressor_ = SoftlbrInitCompressor(memory_.zstd, sizeof memory_.zstd, kProfileEncodeBytes);
  if (compressor_ == nullptr) return CompactResult::kFailed;
  memory_.modules.Clear();
  memory_.facts.total_count = 0;
  memory_.facts.counter_bytes = 0;
  memory_.facts.label_bytes = 0;
  memory_.facts.has_labels = false;
  table_.Init(memory_.rows, sizes_.rows, memory_.chunk, sizes_.chunk_rows);
  flow_.Init(memory_.flow, sizes_.flow_bytes, memory_.targets, memory_.arrived);
  builder_.Init(memory_.payload, sizeof memory_.payload);
  if (!Put(kFileMagic, kFileMagicBytes)) return CompactResult::kFailed;
  for (;;) {
    const CompactResult gathered = Gather();
    if (gathered != CompactResult::kDone) return gathered;
    is_first_pass_ = false;
    // Each pass begins new frames, because the builder's memory is also used for the frames read.
    builder_.SetModules(memory_.modules.Source(), memory_.used);
    builder_.Begin(memory_.facts.info, memory_.facts.Labels(), memory_.facts.label_bytes);
    if (!WriteRows()) return CompactResult::kFailed;
    if (bytes_written_ >= bytes_read_) return CompactResult::kKept;
    if (!table_.IsCut()) break;
    if (!builder_.IsEmpty() && !Flush(FrameKind::kData)) return CompactResult::kFailed;
    table_.BeginNextPass();
  }
  if (!WriteEnd()) return CompactResult::kFailed;
  return bytes_written_ < bytes_read_ ? CompactResult::kDone : CompactResult::kKept;
}

CompactResult SessionCompactor::Gather() {
  frames_ = 0;
  is_complete_ = false;
  spool::FrameScan scan(memory_.window, files_.read, files_.cookie);
  for (;;) {
    const spool::Piece piece = scan.Next();
    switch (piece.kind) {
      case spool::PieceKind::kUnreadable: return CompactResult::kFailed;
      case spool::PieceKind::kDamage: return CompactResult::kKept;
      case spool::PieceKind::kMagic:
        if (piece.at != 0) return CompactResult::kKept;
        break;
      case spool::PieceKind::kFrame:
        if (!IsOfSession(piece.header)) return CompactResult::kKept;
        if (piece.header.kind == FrameKind::kProcess) {  // outside the session's numbering: copied as it is
          if (is_first_pass_ && !Put(piece.data, piece.bytes)) return CompactResult::kFailed;
          break;
        }
        if (!TakeFrame(piece)) return CompactResult::kKept;
        break;
      case spool::PieceKind::kNothing:
        bytes_read_ = piece.at;
        table_.EndPass();
        return frames_ != 0 ? CompactResult::kDone : CompactResult::kKept;
    }
  }
}

bool SessionCompactor::IsOfSession(const FrameHeader& header) {
  uint64_t& id = memory_.facts.info.session_id;
  if (!has_id_) id = header.session_id;
  has_id_ = true;
  return header.version == kFormatVersion && header.session_id == id;
}

bool SessionCompactor::TakeFrame(const spool::Piece& piece) {
  const FrameHeader& header = piece.header;
  if (is_complete_ || header.sequence != frames_) return false;
  if (header.kind != FrameKind::kData && header.kind != FrameKind::kEnd) return false;
  if (header.uncompressed_bytes > sizeof memory_.payload) return false;
  const size_t bytes = SoftlbrDecompress(memory_.unzstd, sizeof memory_.unzstd, memory_.payload, sizeof memory_.payload,
                                         piece.data + kFrameHeaderBytes, header.compressed_bytes);
  if (bytes == 0 || bytes != header.uncompressed_bytes) return false;
  memory_.facts.total_count = 0;
  SourceFrame frame(&memory_.modules, &table_, &memory_.facts);
  if (!frame.Take(memory_.payload, bytes)) return false;
  is_complete_ = header.kind == FrameKind::kEnd;
  // Only an end frame has totals; its first says how many frames were before it.
  if (is_complete_ != (memory_.facts.total_count != 0) || (is_complete_ && memory_.facts.totals[0] != frames_))
    return false;
  ++frames_;
  return true;
}

bool SessionCompactor::WriteRows() {
  // Rows of explicit sections are taken out of the table; those of flow sections move to its front.
  CountRow* rows = table_.rows();
  const uint32_t count = table_.count();
  const uint32_t most = table_.chunk_capacity();
  CountRow* chunk = table_.chunk();
  uint32_t kept = 0;
  constexpr RowKind kKinds[] = {RowKind::kSample, RowKind::kBranch};
  for (const RowKind kind : kKinds) {
    const bool is_sample = kind == RowKind::kSample;
    const SectionId section = is_sample ? SectionId::kSamples : SectionId::kBranches;
    const uint32_t left = is_sample ? count : kept;
    kept = 0;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < left; ++i) {
      const CountRow row = rows[i];
      const uint64_t source = SourceOf(row);
      const auto is_within_module = [&] {
        if (source == kOutside || row.second == kOutside) return false;
        const uint32_t module = memory_.modules.ModuleOf(source);
        return row.second >= memory_.modules.Base(module) && row.second < memory_.modules.End(module);
      };
      if (KindOf(row) != kind || (!is_sample && is_within_module())) {
        rows[kept++] = row;
        continue;
      }
      chunk[taken++] = CountRow{source, is_sample ? source : row.second, row.count};
      if (taken == most) {
        if (!AddAll(section, chunk, taken)) return false;
        taken = 0;
      }
    }
    if (!AddAll(section, chunk, taken)) return false;
  }
  for (uint32_t i = 0; i < kept;) {
    const uint32_t module = memory_.modules.ModuleOf(SourceOf(rows[i]));
    const uint32_t begin = i;
    while (i < kept && SourceOf(rows[i]) < memory_.modules.End(module)) ++i;
    if (!AddFlow(rows + begin, i - begin, module)) return false;
  }
  return true;
}

bool SessionCompactor::AddAll(SectionId section, const CountRow* rows, uint32_t count) {
  while (count != 0) {
    const uint32_t taken = builder_.AddRows(section, rows, count);
    rows += taken;
    count -= taken;
    if (count == 0) break;
    if (taken == 0 && builder_.IsEmpty()) return false;
    if (!Flush(FrameKind::kData)) return false;
  }
  return true;
}

bool SessionCompactor::AddFlow(const CountRow* rows, uint32_t count, uint32_t module) {
  while (count != 0) {
    uint32_t taken = count;
    uint64_t bytes = 0;
    while ((bytes = flow_.Encode(rows, taken, memory_.modules.Base(module))) == 0) {
      if (taken == 1) return false;
      taken = WholeSources(rows, taken, taken / 2);
    }
    if (!AddSection(SectionId::kFlow, memory_.modules.Base(module), flow_.body(), bytes)) return false;
    rows += taken;
    count -= taken;
  }
  return true;
}

bool SessionCompactor::AddSection(SectionId section, uint64_t base, const uint8_t* body, uint64_t bytes) {
  if (builder_.AddSection(section, base, body, bytes)) return true;
  return Flush(FrameKind::kData) && builder_.AddSection(section, base, body, bytes);
}

bool SessionCompactor::WriteEnd() {
  SessionFacts& facts = memory_.facts;
  if (!is_complete_) {
    // The counters of the last frame; a session without rows may have nothing else.
    return (facts.counter_bytes == 0 ||
            AddSection(SectionId::kCounters, kOutside, facts.counters, facts.counter_bytes)) &&
           Flush(FrameKind::kData);
  }
  if (!builder_.IsEmpty() && !Flush(FrameKind::kData)) return false;
  facts.totals[0] = sequence_;
  return (facts.counter_bytes == 0 ||
          builder_.AddSection(SectionId::kCounters, kOutside, facts.counters, facts.counter_bytes)) &&
         builder_.AddTotals(facts.totals, facts.total_count) && Flush(FrameKind::kEnd);
}

bool SessionCompactor::Flush(FrameKind kind) {
  const uint8_t* payload;
  uint64_t bytes;
  if (!builder_.Finish(&payload, &bytes)) return false;
  uint8_t* frame = memory_.window;  // nothing is being read
  const size_t compressed =
      SoftlbrCompress(compressor_, frame + kFrameHeaderBytes, SOFTLBR_COMPRESS_BOUND(bytes), payload, bytes);
  if (compressed == 0) return false;
  const FrameHeader header = {kFormatVersion,
                              kind,
                              memory_.facts.info.session_id,
                              sequence_++,
                              static_cast<uint32_t>(compressed),
                              static_cast<uint32_t>(bytes),
                              Crc32c(frame + kFrameHeaderBytes, compressed)};
  EncodeFrameHeader(header, frame);
  if (!Put(frame, kFrameHeaderBytes + compressed)) return false;
  builder_.Begin(memory_.facts.info, memory_.facts.Labels(), memory_.facts.label_bytes);
  return true;
}

bool SessionCompactor::Put(const uint8_t* bytes, uint64_t count) {
  bytes_written_ += count;
  return files_.write(files_.cookie, bytes, count);
}

}  // namespace softlbr::compact
