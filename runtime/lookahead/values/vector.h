// Vector operands and lanes, shared by the vector and floating-point families.
//
// Context: handler. A vector is up to 64 bytes with one known bit per byte. Lanes of 1, 2, 4 or 8 bytes are processed
// within 8-byte words: masking the top bits of the lanes ("high") keeps carries inside a lane.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_VECTOR_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_VECTOR_H_

#include <cstdint>

#include "platform/base/machine_context.h"
#include "runtime/lookahead/values/value.h"

namespace softlbr {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes and known bytes are read in memory order");

inline constexpr uint32_t kMaxVectorBytes = 64;

struct VectorValue {
  uint64_t bits[8];  // words beyond the width read are unspecified
  uint64_t known;    // bit i: byte i
};

// Known mask of the low `bytes` bytes, bytes 1..64.
SOFTLBR_HANDLER_SAFE constexpr uint64_t VectorKnown(uint32_t bytes) { return LowBits(bytes); }

SOFTLBR_HANDLER_SAFE constexpr uint32_t WordsOf(uint32_t bytes) { return (bytes + 7) / 8; }

// Bytes of a chunk: 16, or 8 for an MMX register.
SOFTLBR_HANDLER_SAFE constexpr uint32_t ChunkOf(uint32_t width) { return width < 16 ? 8 : 16; }

// Reads `width` bytes (1..64) of consecutive register slots; known is cut to them. Words beyond the width are
// unspecified.
SOFTLBR_HANDLER_SAFE void ReadVector(const MachineContext& context, uint32_t slot, uint32_t width, VectorValue* out);
// Writes the low `width` bytes; no other byte changes.
SOFTLBR_HANDLER_SAFE void WriteVector(MachineContext* context, uint32_t slot, uint32_t width, const VectorValue& value);

// --- lanes within words ---

// One in the lowest bit of every lane.
SOFTLBR_HANDLER_SAFE constexpr uint64_t LaneOnes(uint32_t lane_bytes) {
  return ~uint64_t{0} / (lane_bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * lane_bytes)) - 1);
}

struct LaneShape {
  uint32_t bits;  // of a lane
  uint64_t ones;  // lowest bit of each lane
  uint64_t high;  // top bit of each lane
};
SOFTLBR_HANDLER_SAFE LaneShape ShapeOf(uint32_t lane_bytes);

// Fills each lane with its top bit; the other bits of `tops` are ignored.
SOFTLBR_HANDLER_SAFE inline uint64_t SpreadTop(uint64_t tops, LaneShape s) {
  const uint64_t low = (tops & s.high) >> (s.bits - 1);
  // per lane 0 or 2^bits - 1; the top lane borrows the bit shifted out of the word
  return (low << (s.bits - 1) << 1) - low;
}
SOFTLBR_HANDLER_SAFE inline uint64_t AddLanes(uint64_t x, uint64_t y, LaneShape s) {
  return ((x & ~s.high) + (y & ~s.high)) ^ ((x ^ y) & s.high);
}
SOFTLBR_HANDLER_SAFE inline uint64_t SubtractLanes(uint64_t x, uint64_t y, LaneShape s) {
  return ((x | s.high) - (y & ~s.high)) ^ ((x ^ ~y) & s.high);
}
// All ones in lanes where x < y, unsigned.
SOFTLBR_HANDLER_SAFE uint64_t LessLanes(uint64_t x, uint64_t y, LaneShape s);
// All ones in lanes that are not 0.
SOFTLBR_HANDLER_SAFE uint64_t NonZeroLanes(uint64_t x, LaneShape s);

// Reduces a known mask to the bytes of lanes that are known entirely. Works for 8 or 64 bytes.
SOFTLBR_HANDLER_SAFE uint64_t WholeLanes(uint64_t known, uint32_t lane_bytes);

// --- single lanes ---

SOFTLBR_HANDLER_SAFE inline uint64_t LaneBits(const VectorValue& v, uint32_t lane_bytes, uint32_t index) {
  const uint32_t byte = lane_bytes * index;
  return v.bits[byte / 8] >> (8 * (byte % 8)) & WidthBits(lane_bytes);
}
SOFTLBR_HANDLER_SAFE inline uint8_t LaneKnown(const VectorValue& v, uint32_t lane_bytes, uint32_t index) {
  return static_cast<uint8_t>(v.known >> (lane_bytes * index)) & WidthKnown(lane_bytes);
}
SOFTLBR_HANDLER_SAFE Value LaneValue(const VectorValue& v, uint32_t lane_bytes, uint32_t index);
SOFTLBR_HANDLER_SAFE inline bool IsLaneKnown(const VectorValue& v, uint32_t lane_bytes, uint32_t index) {
  return LaneKnown(v, lane_bytes, index) == WidthKnown(lane_bytes);
}
SOFTLBR_HANDLER_SAFE void SetLane(VectorValue* v, uint32_t lane_bytes, uint32_t index, Value value);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_VECTOR_H_
