// Encodes the branches and ranges within one module as a flow section (docs/profile_format.md, "10 flow").
//
// Who: compaction on the device, and the host's writer. Context: control. Memory: the caller's.
// Cost: three look-ups of a target for each row.
#ifndef SOFTLBR_RUNTIME_FORMAT_FLOW_ENCODER_H_
#define SOFTLBR_RUNTIME_FORMAT_FLOW_ENCODER_H_

#include <cstdint>

#include "runtime/format/byte_stream.h"
#include "runtime/format/source_row.h"

namespace softlbr {

class FlowEncoder {
 public:
  // body: `capacity` bytes. targets, arrived: a number for each row of a section.
  void Init(uint8_t* body, uint64_t capacity, uint64_t* targets, uint64_t* arrived) {
    body_ = body;
    capacity_ = capacity;
    targets_ = targets;
    arrived_ = arrived;
  }
  const uint8_t* body() const { return body_; }

  // rows: `count` rows, sorted by IsLess, at least 1: branches and ranges with both ends in the module at `base` on the
  // line. Returns the size of the body; 0 if it does not fit.
  uint64_t Encode(const CountRow* rows, uint32_t count, uint64_t base);

 private:
  // The rows of one source: branches [first, ranges), then ranges [ranges, end).
  struct Source {
    uint64_t address;  // from the module's base
    uint32_t first;
    uint32_t ranges;
    uint32_t end;
  };
  // Moves to the next source. False at the end.
  bool Next(Source* source) const;
  template <typename Visit>
  void ForEachSource(Visit visit) const;
  uint64_t TargetOf(const CountRow& row) const;
  uint32_t IndexOf(const CountRow& row) const;
  void CollectTargets();
  void PutTargets(ByteWriter* out) const;
  void PutCounts(ByteWriter* out);

  uint8_t* body_;
  uint64_t capacity_;
  uint64_t* targets_;
  uint64_t* arrived_;  // by target: executions that branches brought there, less those of the ranges so far
  const CountRow* rows_;
  uint32_t count_;
  uint64_t base_;
  uint32_t target_count_;
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_FLOW_ENCODER_H_
