// Bounded writer and reader of little-endian integers, LEB128 varints and byte strings.
//
// Who: encoders in the app (context: control), readers on the host. Memory: the caller's, never grows.
// Full or short: the operation does nothing; has_failed is set and stays set, so the caller checks it once, at the end.
// Always inlined: host builds may sanitize their copy, the runtime's is never sanitized, and the linker must not mix
// the two.
#ifndef SOFTLBR_RUNTIME_FORMAT_BYTE_STREAM_H_
#define SOFTLBR_RUNTIME_FORMAT_BYTE_STREAM_H_

#include <cstdint>
#include <cstring>

#include "platform/base/attributes.h"

namespace softlbr {

inline constexpr uint32_t kMaxVarintBytes = 10;

// Encoded length of value.
SOFTLBR_ALWAYS_INLINE uint32_t VarintBytes(uint64_t value) {
  return (64 - static_cast<uint32_t>(__builtin_clzll(value | 1)) + 6) / 7;
}

// Maps small magnitudes of either sign to small numbers: 0, -1, 1, -2 ... to 0, 1, 2, 3 ...
SOFTLBR_ALWAYS_INLINE uint64_t ZigZag(uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
SOFTLBR_ALWAYS_INLINE uint64_t UnZigZag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

SOFTLBR_ALWAYS_INLINE void StoreU32(uint8_t* output, uint32_t value) {
  for (int i = 0; i < 4; ++i) output[i] = static_cast<uint8_t>(value >> (8 * i));
}
SOFTLBR_ALWAYS_INLINE void StoreU64(uint8_t* output, uint64_t value) {
  for (int i = 0; i < 8; ++i) output[i] = static_cast<uint8_t>(value >> (8 * i));
}
SOFTLBR_ALWAYS_INLINE uint32_t LoadU32(const uint8_t* input) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= static_cast<uint32_t>(input[i]) << (8 * i);
  return value;
}
SOFTLBR_ALWAYS_INLINE uint64_t LoadU64(const uint8_t* input) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= static_cast<uint64_t>(input[i]) << (8 * i);
  return value;
}

struct ByteWriter {
  uint8_t* begin;
  uint8_t* at;
  uint8_t* end;
  bool has_failed;

  SOFTLBR_ALWAYS_INLINE void Reset(uint8_t* buffer, uint64_t bytes) {
    begin = at = buffer;
    end = buffer + bytes;
    has_failed = false;
  }
  SOFTLBR_ALWAYS_INLINE uint64_t Size() const { return static_cast<uint64_t>(at - begin); }
  SOFTLBR_ALWAYS_INLINE uint64_t Room() const { return static_cast<uint64_t>(end - at); }

  SOFTLBR_ALWAYS_INLINE void PutVarint(uint64_t value) {
    if (Room() < VarintBytes(value)) {
      has_failed = true;
      return;
    }
    while (value >= 0x80) {
      *at++ = static_cast<uint8_t>(value) | 0x80;
      value >>= 7;
    }
    *at++ = static_cast<uint8_t>(value);
  }
  SOFTLBR_ALWAYS_INLINE void PutBytes(const void* bytes, uint64_t count) {
    if (Room() < count) {
      has_failed = true;
      return;
    }
    if (count != 0) memcpy(at, bytes, count);
    at += count;
  }
  SOFTLBR_ALWAYS_INLINE void PutU32(uint32_t value) {
    if (Room() < 4) {
      has_failed = true;
      return;
    }
    StoreU32(at, value);
    at += 4;
  }
};

struct ByteReader {
  const uint8_t* at;
  const uint8_t* end;
  bool has_failed;

  SOFTLBR_ALWAYS_INLINE void Reset(const uint8_t* bytes, uint64_t count) {
    at = bytes;
    end = bytes + count;
    has_failed = false;
  }
  SOFTLBR_ALWAYS_INLINE uint64_t Remaining() const { return static_cast<uint64_t>(end - at); }
  SOFTLBR_ALWAYS_INLINE bool IsAtEnd() const { return at == end; }

  // 0 on failure. Padded encodings are accepted up to kMaxVarintBytes; bits beyond 64 are not.
  SOFTLBR_ALWAYS_INLINE uint64_t GetVarint() {
    uint64_t value = 0;
    for (uint32_t i = 0; i < kMaxVarintBytes; ++i) {
      if (at == end) break;
      const uint64_t byte = *at++;
      if (i == kMaxVarintBytes - 1 && byte > 1) break;
      value |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return value;
    }
    has_failed = true;
    at = end;
    return 0;
  }
  // nullptr on failure.
  SOFTLBR_ALWAYS_INLINE const uint8_t* GetBytes(uint64_t count) {
    if (Remaining() < count) {
      has_failed = true;
      at = end;
      return nullptr;
    }
    const uint8_t* bytes = at;
    at += count;
    return bytes;
  }
  SOFTLBR_ALWAYS_INLINE uint32_t GetU32() {
    const uint8_t* bytes = GetBytes(4);
    return bytes == nullptr ? 0 : LoadU32(bytes);
  }
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_BYTE_STREAM_H_
