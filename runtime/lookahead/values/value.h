// Values with byte-wise known masks, shared by every op family.
//
// Context: handler, no loop. A `known` byte mask has bit i set iff byte i is known; its bit mask (ExpandKnown) has all
// eight bits of each known byte set. Ops that move bits work on bit masks and convert back with CompressKnown, which
// keeps a byte only if all of its bits are known: exact or UNKNOWN.
// The bits of an UNKNOWN byte are unspecified; no result marked known may depend on them.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_VALUE_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_VALUE_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr {

__extension__ using Uint128 = unsigned __int128;

// Up to 8 bytes.
struct Value {
  uint64_t bits;
  uint8_t known;
};

inline constexpr Value kUnknownValue = {0, 0};
inline constexpr uint8_t kAllBytesKnown = 0xff;

// False, true, or not known.
enum class Truth : uint8_t { kFalse = 0, kTrue = 1, kUnknown = 2 };

SOFTLBR_HANDLER_SAFE constexpr Truth TruthOf(bool value) { return value ? Truth::kTrue : Truth::kFalse; }
SOFTLBR_HANDLER_SAFE constexpr Truth Not(Truth t) {
  return t == Truth::kUnknown ? t : t == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}
SOFTLBR_HANDLER_SAFE constexpr Truth And(Truth x, Truth y) {
  if (x == Truth::kFalse || y == Truth::kFalse) return Truth::kFalse;
  return x == Truth::kTrue && y == Truth::kTrue ? Truth::kTrue : Truth::kUnknown;
}
SOFTLBR_HANDLER_SAFE constexpr Truth Or(Truth x, Truth y) { return Not(And(Not(x), Not(y))); }
SOFTLBR_HANDLER_SAFE constexpr Truth Xor(Truth x, Truth y) {
  if (x == Truth::kUnknown || y == Truth::kUnknown) return Truth::kUnknown;
  return TruthOf(x != y);
}

// Byte mask to bit mask. Not inlined: there are eighty calls, and the archive has a budget.
SOFTLBR_HANDLER_SAFE uint64_t ExpandKnown(uint8_t known);

// Bit mask to byte mask: a byte is known only if its eight bits are all set.
SOFTLBR_HANDLER_SAFE constexpr uint8_t CompressKnown(uint64_t mask) {
  constexpr uint64_t kLow7 = 0x7f7f7f7f7f7f7f7f;
  const uint64_t missing = ~mask;
  const uint64_t incomplete = ((missing & kLow7) + kLow7) | missing;  // bit 7 of each byte that has a bit missing
  const uint64_t complete = (~incomplete >> 7) & 0x0101010101010101;
  return static_cast<uint8_t>((complete * 0x0102040810204080) >> 56);
}

// Mask of the low `count` bits, count 0..64.
SOFTLBR_HANDLER_SAFE constexpr uint64_t LowOnes(uint32_t count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}
// The same for a count of 1..64. Shifting by -count modulo 64, as CPUs do, takes fewer instructions than by 64 - count.
SOFTLBR_HANDLER_SAFE constexpr uint64_t LowBits(uint32_t count) { return ~uint64_t{0} >> ((0 - count) & 63); }

// Masks of the low `width` bytes, width 1..8.
SOFTLBR_HANDLER_SAFE constexpr uint64_t WidthBits(uint32_t width) { return LowBits(8 * width); }
SOFTLBR_HANDLER_SAFE constexpr uint8_t WidthKnown(uint32_t width) { return static_cast<uint8_t>(~(~0u << width)); }

// The known bytes below the lowest UNKNOWN one: no carry from an UNKNOWN byte reaches them.
SOFTLBR_HANDLER_SAFE constexpr uint8_t KnownRunFromBottom(uint8_t known) {
  return static_cast<uint8_t>(known & (known ^ (known + 1)));
}

// Sign extension of the low `width` bytes to 64 bits.
SOFTLBR_HANDLER_SAFE constexpr uint64_t SignExtendBits(uint64_t bits, uint32_t width) {
  const uint32_t shift = (0 - 8 * width) & 63;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
}
// The same on a value: the bytes above are known iff the sign byte is.
SOFTLBR_HANDLER_SAFE constexpr Value SignExtendValue(Value value, uint32_t width) {
  const uint32_t shift = 8 - width;
  const int8_t top_aligned = static_cast<int8_t>(value.known << shift);
  return Value{SignExtendBits(value.bits, width), static_cast<uint8_t>(top_aligned >> shift)};
}
SOFTLBR_HANDLER_SAFE constexpr Value ZeroExtendValue(Value value, uint32_t width) {
  return Value{value.bits & WidthBits(width), static_cast<uint8_t>(value.known | ~WidthKnown(width))};
}

// The number of bits set. The compiler's builtin would call a library where the CPU has no popcount.
SOFTLBR_HANDLER_SAFE constexpr uint32_t CountOnes(uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555;
  x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<uint32_t>((x * 0x0101010101010101) >> 56);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_VALUE_H_
