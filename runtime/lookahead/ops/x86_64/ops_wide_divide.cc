// Contract: wide_division.h.
#include "runtime/lookahead/ops/wide_division.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
namespace {

// (high : low) / divisor, high < divisor, by shift and subtract: 128-bit division would be a library call.
Division DivideWide(uint64_t high, uint64_t low, uint64_t divisor) {
  for (uint32_t bit = 0; bit < 64; ++bit) {
    const bool carry = (high >> 63) != 0;
    high = high << 1 | low >> 63;
    low <<= 1;
    if (carry || high >= divisor) {
      high -= divisor;
      low |= 1;
    }
  }
  return Division{low, high};
}

}  // namespace

bool DivideX86(uint64_t high, uint64_t low, uint64_t divisor, uint32_t width, bool is_signed, Division* out) {
  const uint32_t bits = 8 * width;
  high &= WidthBits(width);
  low &= WidthBits(width);
  divisor &= WidthBits(width);
  if (divisor == 0) return false;
  // Divide the magnitudes.
  Uint128 dividend = static_cast<Uint128>(high) << bits | low;
  bool is_negative = false;
  bool is_divisor_negative = false;
  if (is_signed) {
    is_negative = (high >> (bits - 1) & 1) != 0;
    is_divisor_negative = (divisor >> (bits - 1) & 1) != 0;
    if (is_negative) dividend = -dividend & (~static_cast<Uint128>(0) >> (128 - 2 * bits));
    if (is_divisor_negative) divisor = -divisor & WidthBits(width);
  }
  high = static_cast<uint64_t>(dividend >> bits) & WidthBits(width);
  if (high >= divisor) return false;  // the quotient needs more than `width` bytes
  const uint64_t top = static_cast<uint64_t>(dividend >> 64);
  low = static_cast<uint64_t>(dividend);
  Division result = {0, 0};
  if (top == 0) {
    result = Division{low / divisor, low % divisor};
  } else {
    result = DivideWide(top, low, divisor);
  }
  if (is_signed) {
    const uint64_t limit = uint64_t{1} << (bits - 1);
    const bool is_quotient_negative = is_negative != is_divisor_negative;
    if (result.quotient > limit - (is_quotient_negative ? 0 : 1)) return false;
    if (is_quotient_negative) result.quotient = -result.quotient;
    if (is_negative) result.remainder = -result.remainder;
  }
  *out = result;
  return true;
}

}  // namespace softlbr
