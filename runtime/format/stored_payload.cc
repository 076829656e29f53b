#include "runtime/format/stored_payload.h"

#include "platform/base/bytes.h"
#include "runtime/format/byte_stream.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

// RFC 8878: a frame header with a content size of 4 bytes and no window; then a block header of 3 bytes: last, raw, its
// size.
constexpr uint32_t kZstdMagic = 0xfd2fb528;
constexpr uint8_t kFrameForm = 2u << 6 | 1u << 5;
constexpr uint32_t kLastRawBlock = 1;
constexpr uint32_t kBlockSizeShift = 3;

}  // namespace

uint64_t StorePayload(const uint8_t* payload, uint64_t bytes, uint8_t* to) {
  if (bytes > kMostStoredBytes) return 0;
  const auto size = static_cast<uint32_t>(bytes);
  const uint32_t block = kLastRawBlock | size << kBlockSizeShift;
  StoreU32(to, kZstdMagic);
  to[4] = kFrameForm;
  StoreU32(to + 5, size);
  for (uint32_t i = 0; i < 3; ++i) to[9 + i] = static_cast<uint8_t>(block >> 8 * i);
  CopyBytes(to + kStoredHeaderBytes, payload, bytes);
  return kStoredHeaderBytes + bytes;
}

const uint8_t* OpenStored(const uint8_t* frame, uint64_t bytes, uint64_t* payload_bytes) {
  if (bytes < kStoredHeaderBytes || bytes - kStoredHeaderBytes > kMostStoredBytes) return nullptr;
  ByteReader in;
  in.Reset(frame, bytes);
  const auto size = static_cast<uint32_t>(bytes - kStoredHeaderBytes);
  const uint32_t block = frame[9] | static_cast<uint32_t>(frame[10]) << 8 | static_cast<uint32_t>(frame[11]) << 16;
  const bool is_stored =
      in.GetU32() == kZstdMagic && frame[4] == kFrameForm && block == (kLastRawBlock | size << kBlockSizeShift);
  in.Reset(frame + 5, 4);
  if (!is_stored || in.GetU32() != size) return nullptr;
  *payload_bytes = size;
  return frame + kStoredHeaderBytes;
}

}  // namespace softlbr
