// Conversions between integers and floating-point formats. Contract: ops.h.
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/floats.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

constexpr double kTwoTo31 = 2147483648.0;
constexpr double kTwoTo32 = 4294967296.0;
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

struct IntegerFormat {
  uint32_t width;  // 4 or 8
  bool is_signed;
  bool saturates;  // A64; on x86 a value out of range gives one fixed result
};

// Takes floats too: a double represents every float exactly.
uint64_t ToInteger(double x, Rounding rounding, IntegerFormat format) {
  const double r = RoundToIntegral(x, rounding);
  double end = format.is_signed ? kTwoTo63 : kTwoTo64;
  if (format.width == 4) end = format.is_signed ? kTwoTo31 : kTwoTo32;
  const double begin = format.is_signed ? -end : 0;
  const uint64_t width_bits = WidthBits(format.width);
  if (r >= begin && r < end) {
    if (r < kTwoTo63) return static_cast<uint64_t>(static_cast<int64_t>(r)) & width_bits;
    return static_cast<uint64_t>(static_cast<int64_t>(r - kTwoTo63)) ^ uint64_t { 1 } << 63;
  }
  const uint64_t lowest = format.is_signed ? width_bits ^ width_bits >> 1 : 0;
  if (!format.saturates) return format.is_signed ? lowest : width_bits;
  if (r != r) return 0;
  return r < begin ? lowest : width_bits ^ lowest;
}

double ReadFloat(uint64_t bits, uint32_t lane_bytes) {
  return lane_bytes == 4 ? static_cast<double>(FromBits<float>(bits)) : FromBits<double>(bits);
}

// The compiler's conversions round once, to nearest even.
uint64_t FromInteger(uint64_t bits, uint32_t width, bool is_signed, uint32_t lane_bytes) {
  if (is_signed || width < 8) {
    const auto value = static_cast<int64_t>(is_signed ? SignExtendBits(bits, width) : bits & WidthBits(width));
    return lane_bytes == 4 ? ToBits(static_cast<float>(value)) : ToBits(static_cast<double>(value));
  }
  return lane_bytes == 4 ? ToBits(static_cast<float>(bits)) : ToBits(static_cast<double>(bits));
}

void ScalarFromInteger(MachineContext* context, const softlbr_uop& uop) {
  const Value a = OperandA(*context, uop);
  VectorValue result = {};
  if (IsKnown(a, uop.width) && (context->rounding_is_default || context->flushes_denormals)) {
    const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
    result.bits[0] = FromInteger(a.bits, uop.width, is_signed, uop.aux);
    result.known = VectorKnown(uop.aux);
  }
  WriteVector(context, uop.dst, uop.aux, result);
}

void ScalarToInteger(MachineContext* context, const softlbr_uop& uop) {
  VectorValue a;
  ReadVector(*context, uop.a, uop.aux, &a);
  Value result = kUnknownValue;
  if (IsLaneKnown(a, uop.aux, 0) && (context->rounding_is_default || context->flushes_denormals)) {
    const IntegerFormat format = {uop.width, (uop.flags & SOFTLBR_UOP_SIGNED) != 0,
                                  (uop.flags & SOFTLBR_UOP_CARRY_NOT_BORROW) != 0};
    const Rounding rounding = uop.imm != 0 ? Rounding::kTruncate : Rounding::kNearest;
    result = Value{ToInteger(ReadFloat(LaneBits(a, uop.aux, 0), uop.aux), rounding, format), kAllBytesKnown};
  }
  WriteResult(context, uop, result);
}

// One lane of a packed conversion.
Value ConvertLane(const softlbr_uop& uop, uint64_t bits) {
  switch (uop.op) {
    case SOFTLBR_OP_INTS_TO_FLOATS: return Value{FromInteger(bits, 4, true, uop.aux), kAllBytesKnown};
    case SOFTLBR_OP_FLOATS_TO_INTS: {
      const IntegerFormat format = {4, true, false};
      const Rounding rounding = uop.imm != 0 ? Rounding::kTruncate : Rounding::kNearest;
      return Value{ToInteger(ReadFloat(bits, uop.aux), rounding, format), kAllBytesKnown};
    }
    default:  // FLOAT_TO_FLOAT
      if (uop.aux == 4 && uop.imm == 8) return KnownUnlessNan(static_cast<double>(FromBits<float>(bits)));
      if (uop.aux == 8 && uop.imm == 4) return KnownUnlessNan(static_cast<float>(FromBits<double>(bits)));
      return kUnknownValue;  // half precision is not modelled
  }
}

void Packed(MachineContext* context, const softlbr_uop& uop) {
  uint32_t source = uop.aux;
  uint32_t lane = 4;
  if (uop.op == SOFTLBR_OP_INTS_TO_FLOATS) {
    source = 4;
    lane = uop.aux;
  } else if (uop.op == SOFTLBR_OP_FLOAT_TO_FLOAT) {
    lane = static_cast<uint32_t>(uop.imm);
  }
  const bool is_scalar = (uop.flags & SOFTLBR_UOP_SCALAR) != 0;
  const uint32_t lanes = is_scalar ? 1 : uop.width / (source > lane ? source : lane);
  VectorValue a;
  VectorValue result = {};
  ReadVector(*context, uop.a, lanes * source, &a);
  for (uint32_t i = 0; i < lanes; ++i) {
    // In conversions to integers a denormal gives 0 either way.
    const bool may_flush = context->flushes_denormals && uop.op == SOFTLBR_OP_FLOAT_TO_FLOAT;
    const bool is_known = IsLaneKnown(a, source, i) && (context->rounding_is_default || context->flushes_denormals) &&
                          !(may_flush && IsTiny(LaneBits(a, source, i), source));
    Value value = is_known ? ConvertLane(uop, LaneBits(a, source, i)) : kUnknownValue;
    if (may_flush && IsTiny(value.bits, lane)) value = kUnknownValue;
    SetLane(&result, lane, i, value);
  }
  WriteVector(context, uop.dst, lanes * lane, result);
}

}  // namespace

void RunFloatConversionUop(Evaluator* evaluator, const softlbr_uop& uop) {
  if (uop.op == SOFTLBR_OP_INT_TO_FLOAT) {
    ScalarFromInteger(&evaluator->context, uop);
  } else if (uop.op == SOFTLBR_OP_FLOAT_TO_INT) {
    ScalarToInteger(&evaluator->context, uop);
  } else {
    Packed(&evaluator->context, uop);
  }
}

}  // namespace softlbr
