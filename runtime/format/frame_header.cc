#include "runtime/format/frame_header.h"

namespace softlbr {

void EncodeFrameHeader(const FrameHeader& header, uint8_t* output) {
  using namespace frame_header;
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

}  // namespace softlbr
