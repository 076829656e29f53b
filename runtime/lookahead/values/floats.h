// Floating-point lanes: shared by ops_float.cc and ops_float_convert.cc.
//
// The handler runs with the default rounding mode (docs/signal_safety.md). So the compiler's own arithmetic gives the
// program's results where context.rounding_is_default. Must not be built with -ffast-math or contraction.
// Context: handler, header only.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_FLOATS_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_FLOATS_H_

#include <bit>
#include <cstdint>

#include "runtime/lookahead/values/value.h"

namespace softlbr {

template <typename Float>
struct FloatTraits;
template <>
struct FloatTraits<float> {
  using Bits = uint32_t;
  static constexpr float kIntegral = 8388608.0f;  // 2^23: every value from here on is an integer
};
template <>
struct FloatTraits<double> {
  using Bits = uint64_t;
  static constexpr double kIntegral = 4503599627370496.0;  // 2^52
};

template <typename Float>
SOFTLBR_HANDLER_SAFE inline Float FromBits(uint64_t bits) {
  return std::bit_cast<Float>(static_cast<typename FloatTraits<Float>::Bits>(bits));
}
template <typename Float>
SOFTLBR_HANDLER_SAFE inline uint64_t ToBits(Float value) {
  return std::bit_cast<typename FloatTraits<Float>::Bits>(value);
}

// A NaN is UNKNOWN: which NaN the CPU produces depends on more than the values.
template <typename Float>
SOFTLBR_HANDLER_SAFE inline Value KnownUnlessNan(Float value) {
  return Value{ToBits(value), value == value ? kAllBytesKnown : uint8_t{0}};
}

// True for denormals and the least normal number, the values that flushing to zero may affect; false for 0.
template <typename Float>
SOFTLBR_HANDLER_SAFE inline bool IsTiny(uint64_t bits) {
  constexpr uint64_t kLeastNormal = sizeof(Float) == 4 ? uint64_t{1} << 23 : uint64_t{1} << 52;
  const uint64_t magnitude = bits & (WidthBits(sizeof(Float)) >> 1);
  return magnitude != 0 && magnitude <= kLeastNormal;
}
SOFTLBR_HANDLER_SAFE inline bool IsTiny(uint64_t bits, uint32_t lane_bytes) {
  return lane_bytes == 4 ? IsTiny<float>(bits) : IsTiny<double>(bits);
}

enum class Rounding : uint8_t { kNearest = 0, kDown = 1, kUp = 2, kTruncate = 3 };  // as x86 numbers them

// Rounds to an integer in the same format. Returns NaN and infinities unchanged; keeps the sign of 0.
template <typename Float>
SOFTLBR_HANDLER_SAFE inline Float RoundToIntegral(Float x, Rounding rounding) {
  constexpr Float kIntegral = FloatTraits<Float>::kIntegral;
  const bool is_negative = ToBits(x) >> (8 * sizeof(Float) - 1) != 0;
  const Float magnitude = is_negative ? -x : x;
  if (!(magnitude < kIntegral)) return x;
  Float rounded = (magnitude + kIntegral) - kIntegral;  // nearest even: the sum has no bits for a fraction
  const bool away = (rounding == Rounding::kDown && is_negative) || (rounding == Rounding::kUp && !is_negative);
  if (rounding != Rounding::kNearest) {
    if (away && rounded < magnitude) rounded += 1;
    if (!away && rounded > magnitude) rounded -= 1;
  }
  return is_negative ? -rounded : rounded;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_FLOATS_H_
