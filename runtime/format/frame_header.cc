#include "runtime/format/frame_header.h"

#include "runtime/format/byte_stream.h"
#include "runtime/format/crc32c.h"

namespace softlbr {
namespace {

constexpr uint32_t kVersionAt = 4;
constexpr uint32_t kKindAt = 5;
constexpr uint32_t kReservedAt = 6;
constexpr uint32_t kSessionAt = 8;
constexpr uint32_t kSequenceAt = 16;
constexpr uint32_t kCompressedAt = 20;
constexpr uint32_t kUncompressedAt = 24;
constexpr uint32_t kPayloadCrcAt = 28;
constexpr uint32_t kHeaderCrcAt = 32;
static_assert(kHeaderCrcAt + 4 == kFrameHeaderBytes, "docs/profile_format.md states these offsets");

}  // namespace

void EncodeFrameHeader(const FrameHeader& header, uint8_t* output) {
  memcpy(output, kFrameMagic, kFrameMagicBytes);
  output[kVersionAt] = header.version;
  output[kKindAt] = static_cast<uint8_t>(header.kind);
  output[kReservedAt] = 0;
  output[kReservedAt + 1] = 0;
  StoreU64(output + kSessionAt, header.session_id);
  StoreU32(output + kSequenceAt, header.sequence);
  StoreU32(output + kCompressedAt, header.compressed_bytes);
  StoreU32(output + kUncompressedAt, header.uncompressed_bytes);
  StoreU32(output + kPayloadCrcAt, header.payload_crc);
  StoreU32(output + kHeaderCrcAt, Crc32c(output, kHeaderCrcAt));
}

bool DecodeFrameHeader(const uint8_t* input, FrameHeader* header) {
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
