// Checks the frames of one session's file and divides them into segments, the units that travel.
//
// Who: `softlbr upload` for a file of the spool, `softlbr collect` for the body of a request (which must be one
// segment).
// A segment is a run of frames without a missing number, as they stand in the file, one after the other. The file magic
//   in front of it makes it a valid .slbr file. The division depends on the file and the bound alone, so every attempt
//   to send a file uses the same names.
// Checked: checksums, the session, ascending frame numbers, and that each payload decodes. A frame of a newer format
//   counts as damage, because its content cannot be checked.
// Memory: two frames at a time, for a file of any size. Input is hostile.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_SEGMENT_PLAN_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_SEGMENT_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/base/profile_input.h"
#include "toolchain/upload/segment_name.h"

namespace softlbr::toolchain {

struct PlannedSegment {
  SegmentName name;
  uint64_t offset = 0;  // of its first frame in the file
  uint64_t bytes = 0;   // of its frames, without the file magic
};

struct SegmentPlan {
  std::vector<PlannedSegment> segments;
  std::string damage;  // one line; empty if all frames are intact. With damage, `segments` must not be used
};

struct SegmentRules {
  uint64_t session = 0;
  // The end of the file may be inside a frame, which is then left out.
  bool may_be_cut = false;
  // Bound of a segment with its file magic. A single frame may exceed it.
  uint64_t segment_bytes = 256u << 10;
  // A kind of frame or a section that this version does not know, which could hold anything, is damage.
  bool must_be_known = false;
  // Bound of all payloads together, decompressed: decoding a hostile body must end.
  uint64_t max_content_bytes = ~0ull;
};

SegmentPlan PlanSegments(ProfileInput* input, const SegmentRules& rules);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_SEGMENT_PLAN_H_
