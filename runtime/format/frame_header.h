// The fixed header in front of every frame's payload.
//
// Who: writers fill it, the reader checks it. Context: any. Bytes: docs/profile_format.md, "Frame".
#ifndef SOFTLBR_RUNTIME_FORMAT_FRAME_HEADER_H_
#define SOFTLBR_RUNTIME_FORMAT_FRAME_HEADER_H_

#include <cstdint>

#include "runtime/format/byte_stream.h"
#include "runtime/format/crc32c.h"
#include "runtime/format/slbr_format.h"

namespace softlbr {

namespace frame_header {
inline constexpr uint32_t kVersionAt = 4;
inline constexpr uint32_t kKindAt = 5;
inline constexpr uint32_t kReservedAt = 6;
inline constexpr uint32_t kSessionAt = 8;
inline constexpr uint32_t kSequenceAt = 16;
inline constexpr uint32_t kCompressedAt = 20;
inline constexpr uint32_t kUncompressedAt = 24;
inline constexpr uint32_t kPayloadCrcAt = 28;
inline constexpr uint32_t kHeaderCrcAt = 32;
static_assert(kHeaderCrcAt + 4 == kFrameHeaderBytes, "docs/profile_format.md states these offsets");
}  // namespace frame_header

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

// False unless the kFrameHeaderBytes at input are a header with a correct checksum, of any version and kind. Inline, so
// that no app contains it.
inline bool DecodeFrameHeader(const uint8_t* input, FrameHeader* header) {
  using namespace frame_header;
  for (uint32_t i = 0; i < kFrameMagicBytes; ++i) {
    if (input[i] != kFrameMagic[i]) return false;
  }
  if (Crc32c(input, kHeaderCrcAt) != LoadU32(input + kHeaderCrcAt)) return false;
  header->version = input[kVersionAt];
  header->kind = static_cast<FrameKind>(input[kKindAt]);
  header->session_id = LoadU64(input + kSessionAt);
  header->sequence = LoadU32(input + kSequenceAt);
  header->compressed_bytes = LoadU32(input + kCompressedAt);
  header->uncompressed_bytes = LoadU32(input + kUncompressedAt);
  header->payload_crc = LoadU32(input + kPayloadCrcAt);
  return true;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_FRAME_HEADER_H_
