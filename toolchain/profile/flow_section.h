// Encodes and decodes a flow section: the branches and ranges within one module.
// docs/profile_format.md, "10 flow", is normative. Host code; the decoder's input is hostile.
//
// What makes it small: a range ends at a branch that the section has anyway and begins at a target that it has anyway,
// so both ends are indices, mostly 0; the counts of ranges follow from those of branches but for the ends of traces.
// Memory: proportional to the rows; a decoder's to the body, whose claimed numbers of rows are checked against its
// bytes.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_FLOW_SECTION_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_FLOW_SECTION_H_

#include <cstdint>
#include <vector>

#include "runtime/format/byte_stream.h"

namespace softlbr::toolchain {

// Rows of one module, with offsets from its lowest address. Counts are at least 1.
struct FlowBranch {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t count = 0;
};
struct FlowRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t count = 0;
};
struct FlowRows {
  std::vector<FlowBranch> branches;
  std::vector<FlowRange> ranges;
};

// Sorts rows as the section has them: by the branch, then by the target; of ranges that end at one branch, the nearest
// first.
void SortFlow(FlowRows* rows);

// The section's body. rows: no two equal, not all empty. base: of the module.
std::vector<uint8_t> EncodeFlow(const FlowRows& rows, uint64_t base);

// in: a body behind the module's base. span: bytes of the module from its lowest address on. False if the body breaks
// the format; *rows is then unspecified.
bool DecodeFlow(ByteReader in, uint64_t span, FlowRows* rows);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_FLOW_SECTION_H_
