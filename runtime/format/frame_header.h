// The fixed header in front of every frame's payload.
//
// Who: writers fill it, the reader checks it. Context: any. Bytes: docs/profile_format.md, "Frame".
#ifndef SOFTLBR_RUNTIME_FORMAT_FRAME_HEADER_H_
#define SOFTLBR_RUNTIME_FORMAT_FRAME_HEADER_H_

#include <cstdint>

#include "runtime/format/slbr_format.h"

namespace softlbr {

struct FrameHeader {
  uint8_t version;
  FrameKind kind;
  uint64_t session_id;
  uint32_t sequence;          // number of the frame in its session, from 0; a gap is a lost frame
  uint32_t compressed_bytes;  // of the payload that follows: one zstd frame
  uint32_t uncompressed_bytes;
  uint32_t payload_crc;  // of the compressed payload
};

// output has kFrameHeaderBytes.
void EncodeFrameHeader(const FrameHeader& header, uint8_t* output);

// False unless the kFrameHeaderBytes at input are a header whose checksum holds. Any version and kind.
bool DecodeFrameHeader(const uint8_t* input, FrameHeader* header);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_FRAME_HEADER_H_
