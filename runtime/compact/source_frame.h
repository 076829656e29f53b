// Decodes the payload of a frame as the runtime writes it (docs/profile_format.md), without flow sections.
//
// Who: session_compactor.cc, for each frame and each pass. Context: control. Memory: the caller's.
// The bytes are not trusted: their checksums are right, but anybody can compute those. The result is false for
// everything that the runtime would not write: what the host's reader rejects, unknown keys and sections, and whole
// traces. The file then stays as it is.
#ifndef SOFTLBR_RUNTIME_COMPACT_SOURCE_FRAME_H_
#define SOFTLBR_RUNTIME_COMPACT_SOURCE_FRAME_H_

#include <cstdint>

#include "platform/base/limits.h"
#include "runtime/compact/compact_limits.h"
#include "runtime/compact/module_union.h"
#include "runtime/compact/row_table.h"
#include "runtime/counters/session_counters.h"
#include "runtime/format/byte_stream.h"
#include "runtime/format/labels.h"
#include "runtime/format/slbr_format.h"

namespace softlbr::compact {

// What a session has besides its rows; the last info, counters and labels of its frames.
struct SessionFacts {
  SessionInfo info;
  uint64_t totals[5];  // totals[i] has TotalKey i + 1
  uint32_t total_count;
  uint32_t counter_bytes;
  uint8_t counters[kMaxCounterBytes];  // the body of the section
  uint32_t label_bytes;
  bool has_labels;
  uint8_t labels[kMostLabelsBytes];  // the same

  const uint8_t* Labels() const { return has_labels ? labels : nullptr; }
};

class SourceFrame {
 public:
  SourceFrame(ModuleUnion* modules, RowTable* rows, SessionFacts* facts)
      : modules_(modules), rows_(rows), facts_(facts) {}

  // Adds the frame's modules, rows and facts. False: it is not of the runtime, or the modules have no room.
  bool Take(const uint8_t* payload, uint64_t bytes);

 private:
  struct Placement {
    uint64_t base;  // on the frame's line
    uint64_t span;
    uint32_t module;  // of the union
  };
  struct Place {
    uint64_t address;  // on the union's line, or kOutside
    uint32_t module;   // kMaxModules: outside
  };

  bool TakeSection(SectionId id, ByteReader body);
  bool TakeInfo(ByteReader* in);
  bool TakeTotals(ByteReader* in);
  bool TakeModules(ByteReader* in);
  bool TakeModule(ByteReader* in);
  bool TakeRows(SectionId id, ByteReader* in);
  // Makes a row of the table. False: it is invalid.
  bool Convert(SectionId id, uint64_t first, uint64_t second, CountRow* row);
  bool Locate(uint64_t address, Place* place);

  ModuleUnion* modules_;
  RowTable* rows_;
  SessionFacts* facts_;
  uint32_t count_ = 0;
  uint32_t last_ = 0;  // the placement found last: neighbours mostly share it
  bool has_modules_ = false;
  bool has_info_ = false;
  Placement placements_[kMaxModules];
};

}  // namespace softlbr::compact

#endif  // SOFTLBR_RUNTIME_COMPACT_SOURCE_FRAME_H_
