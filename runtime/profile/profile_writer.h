// Writes aggregated counts as frames of a .slbr profile and hands them to the session's sink.
//
// Who: the control thread (or stop), one thread at a time.
// Context: control; runs on a thread without libc thread state.
// Memory: one block given at Init (encode buffer, compressed frame, zstd's static workspace); no heap; never grows.
// Full: rows that do not fit one frame go into the next. A frame that the sink does not take is lost and counted.
// Cost: about 0.2 us a row to sort, encode and compress (49,000 rows in 9.5 ms on a 2-core VM); 10 KiB of stack.
#ifndef SOFTLBR_RUNTIME_PROFILE_PROFILE_WRITER_H_
#define SOFTLBR_RUNTIME_PROFILE_PROFILE_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "platform/base/limits.h"
#include "platform/base/status.h"
#include "runtime/counters/session_counters.h"
#include "runtime/format/frame_builder.h"
#include "runtime/format/frame_header.h"
#include "runtime/modules/module_table.h"
#include "runtime/profile/aggregator.h"
#include "runtime/profile/label_store.h"

struct SoftlbrCompressor;

namespace softlbr {

// The same as softlbr_sink. Returns 0 if the bytes were taken; they are valid only during the call.
using ProfileSink = int (*)(void* cookie, const void* bytes, size_t count);

// Sums since Init.
struct WriterLosses {
  uint64_t unmapped;           // executions of branches with both ends outside every module
  uint64_t implausible_range;  // executions of ranges that are not inside one module
  uint64_t sink_failed;        // frames
  uint64_t table_full;         // whole traces that fit no frame
};

class ProfileWriter {
 public:
  // At least SOFTLBR_COMPRESS_BOUND; profile_writer.cc checks it.
  static constexpr uint64_t kCompressedBytes = kProfileEncodeBytes + (kProfileEncodeBytes >> 8) + 64;
  static constexpr uint64_t WorkspaceBytes() {
    return kProfileZstdBytes + kProfileEncodeBytes + Aligned(kFrameHeaderBytes + kCompressedBytes) +
           kMaxModules * sizeof(uint64_t) + FrameBuilder::UsedWords(kMaxModules) * sizeof(uint64_t);
  }

  // workspace: WorkspaceBytes(), aligned to 8, of any content.
  // labels: each frame has those that are set when it begins, the end frame those that are set at the end; nullptr:
  // none. kNotEnoughMemory: too small, or this zstd needs more than kProfileZstdBytes. Nothing was written.
  Status Init(void* workspace, uint64_t workspace_bytes, ProfileSink sink, void* cookie, const SessionInfo& info,
              const LabelStore* labels = nullptr);

  // Writes the file magic and a frame with the session's settings. Call once, first.
  void WriteSessionStart();

  // Writes the aggregator's rows, with addresses relative to modules, and the totals so far; clears the aggregator.
  // `modules` must be the table that was valid while the rows were counted. Without rows nothing is written.
  // weight: how often each count is to count (profile_output.h), in the rows and in the losses of this writer.
  void WriteCounts(Aggregator* aggregator, const ModuleTable& modules, const SessionCounters& counters,
                   uint64_t weight = 1);

  // Writes the frame that completes the session. Call once, last.
  void WriteEnd(const Aggregator& aggregator, const SessionCounters& counters);

  // Adds the losses of the aggregator and the writer (table_full, implausible_range, unmapped, sink_failed,
  // module_table_full) to the session's counters, which do not include them. The Write functions above do so for the
  // totals that they write.
  void AddLosses(const Aggregator& aggregator, SessionCounters* counters) const;
  const WriterLosses& losses() const { return losses_; }

 private:
  static constexpr uint64_t Aligned(uint64_t bytes) { return (bytes + 7) & ~7ull; }

  void BeginFrame();
  void AddModules(const ModuleTable& modules);
  void WriteTable(uint32_t kind, const Aggregator::Table& table, const ModuleTable& modules, uint64_t weight);
  void WriteTraces(const Aggregator::Rows& rows, const ModuleTable& modules);
  uint64_t Linear(const ModuleTable& modules, uint64_t address) const;
  // Ends the frame in the builder, compresses it and hands it to the sink. is_stored: of a frame without rows, which is
  // not compressed (stored_payload.h).
  void Flush(FrameKind kind, bool is_stored = false);
  void Hand(const void* bytes, uint64_t count);

  SessionInfo info_;
  FrameBuilder builder_;
  SoftlbrCompressor* compressor_;
  ProfileSink sink_;
  void* cookie_;
  uint8_t* frame_;   // header and compressed payload
  uint64_t* bases_;  // per module
  uint64_t* used_;
  uint32_t sequence_;
  uint32_t modules_dropped_;
  uint64_t totals_[4];  // counts of branches, ranges, samples, traces
  WriterLosses losses_;
  const LabelStore* labels_;
  uint32_t label_bytes_;
  bool has_labels_;  // there were some: when all are removed, the section stays, empty
  uint8_t label_body_[kMostLabelsBytes];
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROFILE_PROFILE_WRITER_H_
