// Floating-point arithmetic, comparisons and rounding. Contract: ops.h.
//
// Exact or UNKNOWN: a lane is known if its operands are known, the program's rounding mode is the default and the
// result is not a NaN. Comparisons with NaN are exact. If the program flushes denormals, a lane with a tiny operand or
// result (IsTiny) is UNKNOWN.
#include "platform/fused_multiply_add.h"
#include "runtime/lookahead/ops/float_lane.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/floats.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

// The sixteen predicates of cmpps; 16..31 differ only in which exceptions they raise.
bool Predicate(uint32_t predicate, bool is_less, bool is_equal, bool is_unordered) {
  const bool negate = (predicate & 4) != 0;  // for 0..7; 8..15 return directly
  bool result = false;
  switch (predicate & 15) {
    case 0:  // eq, ordered
    case 4:  // neq, or unordered
      result = is_equal;
      break;
    case 1:
    case 5: result = is_less; break;
    case 2:
    case 6: result = is_less || is_equal; break;
    case 3:
    case 7: result = is_unordered; break;
    case 8:  // eq, or unordered
      return is_equal || is_unordered;
    case 9:  // not greater or equal
      return is_less || is_unordered;
    case 10:  // not greater
      return is_less || is_equal || is_unordered;
    case 11: return false;
    case 12:  // neq, ordered
      return !is_equal && !is_unordered;
    case 13:  // greater or equal
      return !is_less && !is_unordered;
    case 14:  // greater
      return !is_less && !is_equal && !is_unordered;
    default: return true;
  }
  return result != negate;
}

template <typename Float>
bool Compare(uint32_t predicate, Float x, Float y) {
  return Predicate(predicate, x < y, x == y, x != x || y != y);
}

// Computes one lane from known operands.
template <typename Float>
Value RunLane(const softlbr_uop& uop, uint64_t x_bits, uint64_t y_bits, uint64_t z_bits) {
  const Float x = FromBits<Float>(x_bits);
  const Float y = FromBits<Float>(y_bits);
  switch (uop.op) {
    case SOFTLBR_OP_FADD: return KnownUnlessNan<Float>(x + y);
    case SOFTLBR_OP_FSUB: return KnownUnlessNan<Float>(x - y);
    case SOFTLBR_OP_FMUL: return KnownUnlessNan<Float>(x * y);
    case SOFTLBR_OP_FDIV: return KnownUnlessNan<Float>(x / y);
    case SOFTLBR_OP_FSQRT:
      return KnownUnlessNan<Float>(sizeof(Float) == 4 ? __builtin_sqrtf(static_cast<float>(y))
                                                      : static_cast<Float>(__builtin_sqrt(y)));
    case SOFTLBR_OP_FMIN:  // the second operand if both are 0
      return KnownUnlessNan<Float>(x < y ? x : y);
    case SOFTLBR_OP_FMAX: return KnownUnlessNan<Float>(x > y ? x : y);
    case SOFTLBR_OP_FMADD: {
      Float z = FromBits<Float>(z_bits);
      if ((uop.flags & SOFTLBR_UOP_SIGNED) != 0) z = -z;
      const bool is_there = platform::FusedMultiplyAdd((uop.flags & SOFTLBR_UOP_NEGATE) != 0 ? -x : x, y, &z);
      return is_there ? KnownUnlessNan<Float>(z) : kUnknownValue;
    }
    case SOFTLBR_OP_FROUND: {
      const uint32_t imm = static_cast<uint32_t>(uop.imm);
      const auto rounding = (imm & 4) != 0 ? Rounding::kNearest : static_cast<Rounding>(imm & 3);
      return KnownUnlessNan<Float>(RoundToIntegral<Float>(y, rounding));
    }
    default:  // FCMP, FCMP_MASK
      return Value{Compare<Float>(static_cast<uint32_t>(uop.imm), x, y) ? ~uint64_t{0} : 0, kAllBytesKnown};
  }
}

}  // namespace

Value RunFloatLane(const MachineContext& context, const softlbr_uop& uop, Value x, Value y, Value z) {
  const uint32_t lane = uop.aux;
  const bool is_unary = uop.op == SOFTLBR_OP_FSQRT || uop.op == SOFTLBR_OP_FROUND;
  const bool is_known =
      (is_unary || IsKnown(x, lane)) && IsKnown(y, lane) && (uop.op != SOFTLBR_OP_FMADD || IsKnown(z, lane));
  if (!is_known || !(context.rounding_is_default || context.flushes_denormals)) return kUnknownValue;
  const bool flushes = context.flushes_denormals;
  if (flushes && (IsTiny(x.bits, lane) || IsTiny(y.bits, lane) || IsTiny(z.bits, lane))) return kUnknownValue;
  const Value result =
      lane == 4 ? RunLane<float>(uop, x.bits, y.bits, z.bits) : RunLane<double>(uop, x.bits, y.bits, z.bits);
  return flushes && IsTiny(result.bits, lane) ? kUnknownValue : result;
}

namespace {

void LaneByLane(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t lane = uop.aux;
  const bool is_scalar = (uop.flags & SOFTLBR_UOP_SCALAR) != 0;
  const uint32_t bytes = is_scalar ? kScalarBytes : uop.width;
  VectorValue a;
  VectorValue b;
  VectorValue c = {};
  ReadVector(*context, uop.a, bytes, &a);
  ReadVector(*context, uop.b, is_scalar ? lane : bytes, &b);
  if (uop.op == SOFTLBR_OP_FMADD) {
    ReadVector(*context, static_cast<uint32_t>(uop.imm), is_scalar ? lane : bytes, &c);
    // The scalar form keeps dst's other lanes; dst may be any of the operands.
    if (is_scalar) {
      VectorValue result;
      ReadVector(*context, uop.dst, bytes, &result);
      SetLane(&result, lane, 0,
              RunFloatLane(*context, uop, LaneValue(a, lane, 0), LaneValue(b, lane, 0), LaneValue(c, lane, 0)));
      WriteVector(context, uop.dst, bytes, result);
      return;
    }
  }
  VectorValue result;
  ReadVector(*context, uop.a, bytes, &result);  // not a copy of `a`, which would call memcpy (AArch64 at -Os)
  for (uint32_t i = 0; i < (is_scalar ? 1 : bytes / lane); ++i) {
    SetLane(&result, lane, i,
            RunFloatLane(*context, uop, LaneValue(a, lane, i), LaneValue(b, lane, i), LaneValue(c, lane, i)));
  }
  WriteVector(context, uop.dst, bytes, result);
}

void CompareFlags(Evaluator* evaluator, const softlbr_uop& uop) {
  const MachineContext& context = evaluator->context;
  VectorValue a;
  VectorValue b;
  ReadVector(context, uop.a, uop.aux, &a);
  ReadVector(context, uop.b, uop.aux, &b);
  const bool is_a64 = (uop.flags & SOFTLBR_UOP_CARRY_NOT_BORROW) != 0;
  const bool is_exact = context.rounding_is_default ||
                        (context.flushes_denormals && !IsTiny(a.bits[0], uop.aux) && !IsTiny(b.bits[0], uop.aux));
  if (!is_exact || (a.known & b.known) != VectorKnown(uop.aux)) {
    const uint8_t zeroes = is_a64 ? 0 : SOFTLBR_FLAG_V | SOFTLBR_FLAG_A | SOFTLBR_FLAG_S;
    SetExplicitFlags(&evaluator->lazy, 0, zeroes);
    return;
  }
  const double x = uop.aux == 4 ? static_cast<double>(FromBits<float>(LaneBits(a, 4, 0))) : FromBits<double>(a.bits[0]);
  const double y = uop.aux == 4 ? static_cast<double>(FromBits<float>(LaneBits(b, 4, 0))) : FromBits<double>(b.bits[0]);
  uint8_t packed = 0;
  if (x != x || y != y) {
    packed = is_a64 ? SOFTLBR_FLAG_C | SOFTLBR_FLAG_V : SOFTLBR_FLAG_Z | SOFTLBR_FLAG_P | SOFTLBR_FLAG_C;
  } else if (x < y) {
    packed = is_a64 ? SOFTLBR_FLAG_S : SOFTLBR_FLAG_C;
  } else if (x == y) {
    packed = is_a64 ? SOFTLBR_FLAG_Z | SOFTLBR_FLAG_C : SOFTLBR_FLAG_Z;
  } else {
    packed = is_a64 ? SOFTLBR_FLAG_C : 0;
  }
  SetExplicitFlags(&evaluator->lazy, packed, SOFTLBR_FLAG_ALL);
}

void SetRounding(MachineContext* context, const softlbr_uop& uop) {
  const Value mode = ReadSlot(*context, uop.a);
  const uint32_t difference = static_cast<uint32_t>(mode.bits) ^ static_cast<uint32_t>(uop.imm);
  context->rounding_is_default = IsKnown(mode, 4) && difference >> uop.aux == 0;
  context->flushes_denormals = false;
}

}  // namespace

void RunFloatUop(Evaluator* evaluator, const softlbr_uop& uop) {
  switch (uop.op) {
    case SOFTLBR_OP_FCMP_FLAGS: CompareFlags(evaluator, uop); return;
    case SOFTLBR_OP_ROUNDING: SetRounding(&evaluator->context, uop); return;
    default: LaneByLane(&evaluator->context, uop); return;
  }
}

}  // namespace softlbr
