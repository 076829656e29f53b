// Contract: fused_multiply_add.h.
//
// In integer arithmetic: product and addend become integers of 126 bits with a common exponent. The bits shifted out at the low end
// are kept as one sticky bit. The product has at most 106 bits, so it has 20 zero bits below: if more than two bits cancel, no bit
// was shifted out.
#include "runtime/lookahead/ops/fused_multiply_add.h"

#include <bit>

#include "runtime/lookahead/values/value.h"

namespace softlbr {

#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
double FusedMultiplyAdd(double a, double b, double c) { return __builtin_fma(a, b, c); }
float FusedMultiplyAdd(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else

namespace {

struct FloatFormat {
  uint32_t fraction_bits;  // without the hidden bit
  uint32_t exponent_bits;
};
constexpr FloatFormat kSingle = {23, 8};
constexpr FloatFormat kDouble = {52, 11};

// mantissa * 2^exponent
struct Parts {
  Uint128 mantissa;
  int32_t exponent;
  bool is_negative;
};

// Exponent of the lowest fraction bit of a denormal.
constexpr int32_t LowestExponent(FloatFormat f) { return 2 - (1 << (f.exponent_bits - 1)) - static_cast<int32_t>(f.fraction_bits); }

Parts Unpack(uint64_t bits, FloatFormat f) {
  const uint64_t fraction = bits & LowBits(f.fraction_bits);
  const uint32_t exponent = static_cast<uint32_t>(bits >> f.fraction_bits & LowBits(f.exponent_bits));
  Parts parts = {};
  parts.is_negative = (bits >> (f.fraction_bits + f.exponent_bits) & 1) != 0;
  parts.mantissa = exponent == 0 ? fraction : fraction | uint64_t{1} << f.fraction_bits;
  parts.exponent = LowestExponent(f) + (exponent == 0 ? 0 : static_cast<int32_t>(exponent) - 1);
  return parts;
}

int32_t TopBit(Uint128 x) {
  const uint64_t high = static_cast<uint64_t>(x >> 64);
  if (high != 0) return 127 - __builtin_clzll(high);
  return 63 - __builtin_clzll(static_cast<uint64_t>(x));
}

// Moves the top bit to bit 125.
void Normalise(Parts* parts) {
  const int32_t shift = 125 - TopBit(parts->mantissa);
  parts->mantissa <<= shift;
  parts->exponent -= shift;
}

// x >> count; if a 1 bit is shifted out, bit 0 is 1.
Uint128 ShiftRightSticky(Uint128 x, int32_t count) {
  if (count == 0) return x;
  if (count > 127) return x != 0 ? 1 : 0;
  const Uint128 lost = x & ((static_cast<Uint128>(1) << count) - 1);
  return (x >> count) | (lost != 0 ? 1 : 0);
}

uint64_t RoundAndPack(const Parts& sum, FloatFormat f) {
  const uint64_t sign = uint64_t{sum.is_negative} << (f.fraction_bits + f.exponent_bits);
  const int32_t lowest = LowestExponent(f);
  // Shift to the result's last place: a full mantissa, or fewer bits for a denormal.
  int32_t shift = TopBit(sum.mantissa) - static_cast<int32_t>(f.fraction_bits);
  if (sum.exponent + shift < lowest) shift = lowest - sum.exponent;
  uint64_t mantissa = 0;
  if (shift <= 0) {
    mantissa = static_cast<uint64_t>(sum.mantissa << -shift);
  } else {
    // Two more bits: one half of the last place, and whether anything below it is not 0.
    const uint64_t with_rest = static_cast<uint64_t>(shift >= 2 ? ShiftRightSticky(sum.mantissa, shift - 2) : sum.mantissa << 1);
    const uint64_t rest = with_rest & 3;
    mantissa = with_rest >> 2;
    if (rest == 3 || (rest == 2 && (mantissa & 1) != 0)) ++mantissa;
  }
  const int64_t place = int64_t{sum.exponent} + shift - lowest;
  const int64_t infinity_exponent = (1 << f.exponent_bits) - 1;
  const uint64_t infinity = static_cast<uint64_t>(infinity_exponent) << f.fraction_bits;
  if (place >= infinity_exponent) return sign | infinity;
  // The hidden bit of a full mantissa carries into the exponent field; so does the extra bit of one that rounding made too long.
  const uint64_t packed = (static_cast<uint64_t>(place) << f.fraction_bits) + mantissa;
  return sign | (packed < infinity ? packed : infinity);
}

// All operands must be finite and not 0.
uint64_t Fuse(uint64_t a_bits, uint64_t b_bits, uint64_t c_bits, FloatFormat f) {
  const Parts a = Unpack(a_bits, f);
  const Parts b = Unpack(b_bits, f);
  Parts product = {a.mantissa * b.mantissa, a.exponent + b.exponent, a.is_negative != b.is_negative};
  Parts addend = Unpack(c_bits, f);
  Normalise(&product);
  Normalise(&addend);
  const bool is_product_larger =
      product.exponent > addend.exponent || (product.exponent == addend.exponent && product.mantissa >= addend.mantissa);
  Parts sum = is_product_larger ? product : addend;
  const Parts& smaller = is_product_larger ? addend : product;
  const Uint128 aligned = ShiftRightSticky(smaller.mantissa, sum.exponent - smaller.exponent);
  if (sum.is_negative == smaller.is_negative) {
    sum.mantissa += aligned;
  } else {
    sum.mantissa -= aligned;
    if (sum.mantissa == 0) return 0;  // exact cancellation: +0
  }
  return RoundAndPack(sum, f);
}

bool IsFinite(uint64_t bits, FloatFormat f) {
  const uint64_t exponents = LowBits(f.exponent_bits) << f.fraction_bits;
  return (bits & exponents) != exponents;
}

template <typename Float, typename Bits>
Float Run(Float a, Float b, Float c, FloatFormat f) {
  const Bits a_bits = std::bit_cast<Bits>(a);
  const Bits b_bits = std::bit_cast<Bits>(b);
  const Bits c_bits = std::bit_cast<Bits>(c);
  // If the product is exactly 0 or an operand is not finite, separate operations round no differently.
  if (!IsFinite(a_bits, f) || !IsFinite(b_bits, f) || !IsFinite(c_bits, f) || a == 0 || b == 0) {
    if (IsFinite(a_bits, f) && IsFinite(b_bits, f) && !IsFinite(c_bits, f)) return c;  // the product must not overflow first
    return a * b + c;
  }
  if (c == 0) return a * b;
  return std::bit_cast<Float>(static_cast<Bits>(Fuse(a_bits, b_bits, c_bits, f)));
}

}  // namespace

double FusedMultiplyAdd(double a, double b, double c) { return Run<double, uint64_t>(a, b, c, kDouble); }
float FusedMultiplyAdd(float a, float b, float c) { return Run<float, uint32_t>(a, b, c, kSingle); }

#endif

}  // namespace softlbr
