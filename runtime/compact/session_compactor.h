// Reads the frames of one session, adds up equal rows, and writes them as few frames with flow sections.
//
// Who: compact_api.cc. Context: control; no heap. Memory: one CompactorMemory, of the caller; never grows.
// In order of events: a pass over the file reads and checks every frame and gathers its rows (row_table.h); the rows
//   are written. If rows did not fit in memory, further passes gather and write them. The end frame comes last.
// Kept as it is: a file with anything that the runtime would not write, because this code might lose it
//   (source_frame.h); a file that is damaged, lacks frames, or has several sessions; a file that would not become
//   smaller.
#ifndef SOFTLBR_RUNTIME_COMPACT_SESSION_COMPACTOR_H_
#define SOFTLBR_RUNTIME_COMPACT_SESSION_COMPACTOR_H_

#include <cstdint>

#include "platform/base/limits.h"
#include "runtime/compact/compact_limits.h"
#include "runtime/compact/module_union.h"
#include "runtime/compact/row_table.h"
#include "runtime/compact/source_frame.h"
#include "runtime/format/flow_encoder.h"
#include "runtime/format/frame_builder.h"
#include "runtime/spool/frame_scan.h"
#include "runtime/spool/spool_limits.h"

struct SoftlbrCompressor;

namespace softlbr::compact {

enum class CompactResult : uint8_t { kDone, kKept, kFailed };

// Appends to the bytes written so far. False on failure.
using WritePiece = bool (*)(void* cookie, const void* bytes, uint64_t count);

struct CompactorFiles {
  spool::ReadPiece read;
  WritePiece write;
  void* cookie;
};

// Tests set sizes below those of the memory.
struct CompactorSizes {
  uint32_t rows = kMaxRows;
  uint32_t chunk_rows = kChunkRows;
  uint64_t flow_bytes = kFlowBytes;
};

// Of any content. Pages are touched as they are needed: first those of windows and compressors.
struct CompactorMemory {
  alignas(16) uint8_t zstd[kProfileZstdBytes];
  alignas(16) uint8_t unzstd[kUnzstdBytes];
  uint8_t window[spool::kWindowBytes];  // of the file read; then a frame to be written
  uint8_t payload[kPayloadBytes];       // of a frame read, then of a frame to be written
  uint8_t flow[kFlowBytes];
  uint64_t used[FrameBuilder::UsedWords(kMaxModules)];
  ModuleUnion modules;
  SessionFacts facts;
  CountRow chunk[kChunkRows];
  CountRow rows[kMaxRows];
  uint64_t targets[kMaxRows];
  uint64_t arrived[kMaxRows];
};

class SessionCompactor {
 public:
  SessionCompactor(CompactorMemory* memory, const CompactorFiles& files, const CompactorSizes& sizes = {})
      : memory_(*memory), files_(files), sizes_(sizes) {}
  CompactResult Run();

 private:
  // Reads the whole file.
  CompactResult Gather();
  bool IsOfSession(const FrameHeader& header);
  bool TakeFrame(const spool::Piece& piece);
  // Writes the rows of the table.
  bool WriteRows();
  bool AddAll(SectionId section, const CountRow* rows, uint32_t count);
  bool AddFlow(const CountRow* rows, uint32_t count, uint32_t module);
  bool AddSection(SectionId section, uint64_t base, const uint8_t* body, uint64_t bytes);
  bool WriteEnd();
  // Ends the frame in the builder and writes it.
  bool Flush(FrameKind kind);
  bool Put(const uint8_t* bytes, uint64_t count);

  CompactorMemory& memory_;
  CompactorFiles files_;
  CompactorSizes sizes_;
  RowTable table_;
  FlowEncoder flow_;
  FrameBuilder builder_;
  SoftlbrCompressor* compressor_ = nullptr;
  uint64_t bytes_read_ = 0;
  uint64_t bytes_written_ = 0;
  uint32_t frames_ = 0;  // read in this pass
  uint32_t sequence_ = 0;
  bool is_first_pass_ = true;
  bool has_id_ = false;
  bool is_complete_ = false;
};

}  // namespace softlbr::compact

#endif  // SOFTLBR_RUNTIME_COMPACT_SESSION_COMPACTOR_H_
