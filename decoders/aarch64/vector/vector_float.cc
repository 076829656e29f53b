// Single- and double-precision vectors and SIMD scalars.
//
// The evaluator gives UNKNOWN if FPCR is not the default, and for NaN results. Estimates, fused products of half
// precision, and conversions that round to odd or to half precision are UNKNOWN.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

// FCMP predicates of the IR.
constexpr int32_t kEqual = 0;
constexpr int32_t kLess = 1;
constexpr int32_t kLessOrEqual = 2;

// IR rounding immediates.
constexpr int32_t kNearest = 0;
constexpr int32_t kDown = 1;
constexpr int32_t kUp = 2;
constexpr int32_t kTruncate = 3;

void ClearSigns(const Shape& s, uint32_t dst, uint32_t a, BlockBuilder* out) {
  ShiftLanes(SOFTLBR_OP_VSHL, s, dst, a, 1, out);
  ShiftLanes(SOFTLBR_OP_VSHR, s, dst, dst, 1, out);
}

Shape FloatShape(uint32_t word, bool is_scalar) {
  const uint32_t lane = Bit(word, 22) ? 8 : 4;
  return is_scalar ? ScalarShape(lane) : WholeShape(word, lane);
}

// For ops that the IR has for lane 0 only: lane by lane, through a scalar register slot. The results are collected in
// temporary vector 0.
void ConvertLanes(const Shape& s, uint32_t n, bool to_integer, bool is_unsigned, bool truncates, BlockBuilder* out) {
  const uint32_t result = VectorTemp(0);
  const uint32_t lanes = s.kept / s.lane;
  const uint16_t lane = out->Temp();
  const uint16_t converted = out->Temp();
  for (uint32_t i = 0; i < lanes; ++i) {
    out->Add(SOFTLBR_OP_VEXTRACT, 8, lane, n, 0, static_cast<int32_t>(i), s.lane);
    AddConversion(to_integer, s.lane, s.lane, is_unsigned, truncates, converted, lane, out);
    out->Add(SOFTLBR_OP_VINSERT, 16, result, converted, 0, static_cast<int32_t>(i), s.lane);
  }
}

// fcvtns .. fcvtzu. rounding: the IR's rounding immediate, or -1 for ties away.
Lifted ToIntegers(uint32_t word, const Shape& s, int32_t rounding, bool is_unsigned, BlockBuilder* out) {
  const uint32_t d = V(Rd(word));
  uint32_t n = V(Rn(word));
  if (rounding < 0) return Forget(word, s.kept, out);
  if (rounding == kUp || rounding == kDown) {
    AddLanes(SOFTLBR_OP_FROUND, s, VectorTemp(1), n, n, out, 0, rounding);
    n = VectorTemp(1);
  }
  ConvertLanes(s, n, true, is_unsigned, rounding == kTruncate, out);
  AddBits(SOFTLBR_OP_MOV, s.kept == 16 ? 16 : 8, d, VectorTemp(0), 0, out);
  if (s.kept < 8) ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

Lifted FromIntegers(uint32_t word, const Shape& s, bool is_unsigned, BlockBuilder* out) {
  const uint32_t d = V(Rd(word));
  if (!is_unsigned && s.lane == 4) {
    AddLanes(SOFTLBR_OP_INTS_TO_FLOATS, s, d, V(Rn(word)), 0, out);
  } else {
    ConvertLanes(s, V(Rn(word)), false, is_unsigned, false, out);
    AddBits(SOFTLBR_OP_MOV, s.kept == 16 ? 16 : 8, d, VectorTemp(0), 0, out);
    if (s.kept >= 8) return Lifted::kNext;
  }
  ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

Lifted CompareZero(uint32_t word, const Shape& s, int32_t predicate, bool zero_first, BlockBuilder* out) {
  const uint32_t zero = VectorTemp(0);
  const uint32_t n = V(Rn(word));
  FillZero(zero, out);
  AddLanes(SOFTLBR_OP_FCMP, s, V(Rd(word)), zero_first ? zero : n, zero_first ? n : zero, out, 0, predicate);
  ZeroAbove(s.kept, V(Rd(word)), out);
  return Lifted::kNext;
}

Lifted Round(uint32_t word, const Shape& s, int32_t rounding, BlockBuilder* out) {
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  AddLanes(SOFTLBR_OP_FROUND, s, d, n, n, out, 0, rounding);
  ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

// fcvtl, fcvtn, fcvtxn, bfcvtn: conversions between formats.
Lifted ConvertFormat(uint32_t word, bool is_scalar, uint32_t opcode, BlockBuilder* out) {
  const uint32_t size = Field(word, 22, 2);
  const bool is_unsigned = Bit(word, 29);
  const bool is_high = Bit(word, 30) && !is_scalar;
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  if (opcode == 23) {  // fcvtl
    if (is_scalar || (!is_unsigned && size >= 2)) return Lifted::kUnallocated;
    if (is_unsigned || size == 0) return Forget(word, 16, out);  // from 8 bits, from half precision
    out->Add(SOFTLBR_OP_FLOAT_TO_FLOAT, 16, d, n + (is_high ? 1 : 0), 0, 8, 4);
    return Lifted::kNext;
  }
  if (is_unsigned ? size != 1 : is_scalar || size == 3) return Lifted::kUnallocated;
  if (is_scalar) return Forget(word, 4, out);  // fcvtxn
  const uint32_t half = d + (is_high ? 1 : 0);
  if (!is_unsigned && size == 1) {
    out->Add(SOFTLBR_OP_FLOAT_TO_FLOAT, 16, half, n, 0, 4, 8);
  } else {
    out->Add(SOFTLBR_OP_UNKNOWN, 8, half, 0);
  }
  if (!is_high) ZeroAbove(8, d, out);
  return Lifted::kNext;
}

Lifted Negate(uint32_t word, const Shape& s, BlockBuilder* out) {
  const uint32_t signs = VectorTemp(0);
  const uint32_t d = V(Rd(word));
  FillLanes(s, signs, s.lane == 4 ? INT32_MIN : INT64_MIN, out);
  AddBits(SOFTLBR_OP_XOR, s.kept, d, V(Rn(word)), signs, out);
  return Lifted::kNext;
}

}  // namespace

void AddFloatExtreme(const Shape& s, bool is_minimum, uint32_t dst, uint32_t a, uint32_t b, BlockBuilder* out) {
  const uint32_t x = VectorTemp(2);
  const uint32_t y = VectorTemp(3);
  const uint32_t op = is_minimum ? SOFTLBR_OP_FMIN : SOFTLBR_OP_FMAX;
  // For equal operands, which include zeroes of either sign, x is b and y is a; otherwise x == y. Compared as integers,
  // -0 is the larger.
  AddLanes(op, s, x, a, b, out);
  AddLanes(op, s, y, b, a, out);
  AddLanes(is_minimum ? SOFTLBR_OP_VMAX : SOFTLBR_OP_VMIN, s, dst, x, y, out);
}

Lifted LiftFloatSame(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 11, 5);
  const bool is_unsigned = Bit(word, 29);
  const bool a = Bit(word, 23);
  const Shape s = FloatShape(word, is_scalar);
  const uint32_t d = V(Rd(word));
  uint32_t n = V(Rn(word));
  uint32_t m = V(Rm(word));
  const bool is_half_product = opcode == (is_unsigned ? 25u : 29u);  // fmlal2, fmlal: half-precision operands
  if (is_half_product) {
    if (is_scalar || s.lane == 8) return Lifted::kUnallocated;
    return Forget(word, s.kept, out);
  }
  if (!is_scalar && s.lane == 8 && s.width == 8) return Lifted::kUnallocated;
  // Only these exist as scalars: fmulx, fcmeq, frecps, frsqrts; fcmge, facge, fabd, fcmgt, facgt.
  if (is_scalar) {
    const uint32_t allowed = is_unsigned ? (a ? 0x34u : 0x30u) : (a ? 0x80u : 0x98u);
    if ((allowed >> (opcode - 24) & 1) == 0) return Lifted::kUnallocated;
  }
  // clang-format off
  switch (Field(word, 29, 1) << 4 | Field(word, 23, 1) << 3 | (opcode - 24)) {
    case 0x00: case 0x06: case 0x08: case 0x0e:  // fmaxnm, fmax, fminnm, fmin
      AddFloatExtreme(s, a, d, n, m, out);
      break;
    case 0x01: case 0x09:
      AddLanes(SOFTLBR_OP_FMADD, s, d, n, m, out, When(a, SOFTLBR_UOP_NEGATE), static_cast<int32_t>(d));
      break;
    case 0x02: case 0x0a:
      AddLanes(a ? SOFTLBR_OP_FSUB : SOFTLBR_OP_FADD, s, d, n, m, out);
      break;
    case 0x03:  // fmulx: 0 * infinity is 2; the evaluator gives UNKNOWN, as for a NaN
    case 0x13:
      AddLanes(SOFTLBR_OP_FMUL, s, d, n, m, out);
      break;
    case 0x04:
      AddLanes(SOFTLBR_OP_FCMP, s, d, n, m, out, 0, kEqual);
      break;
    case 0x07: case 0x0f:  // frecps, frsqrts
    case 0x0b: case 0x1b: case 0x1f:  // famax, famin, fscale
      return Forget(word, s.kept, out);
    case 0x10: case 0x16: case 0x18: case 0x1e: {  // fmaxnmp, fmaxp, fminnmp, fminp
      const uint32_t x = VectorTemp(0);
      const uint32_t y = VectorTemp(1);
      AddUnzip(s, false, x, n, m, out);
      AddUnzip(s, true, y, n, m, out);
      AddFloatExtreme(s, a, d, x, y, out);
      break;
    }
    case 0x12: {  // faddp
      const uint32_t x = VectorTemp(0);
      const uint32_t y = VectorTemp(1);
      AddUnzip(s, false, x, n, m, out);
      AddUnzip(s, true, y, n, m, out);
      AddLanes(SOFTLBR_OP_FADD, s, d, x, y, out);
      break;
    }
    case 0x14:
      AddLanes(SOFTLBR_OP_FCMP, s, d, m, n, out, 0, kLessOrEqual);
      break;
    case 0x1c:
      AddLanes(SOFTLBR_OP_FCMP, s, d, m, n, out, 0, kLess);
      break;
    case 0x15: case 0x1d: {  // facge, facgt
      const uint32_t x = VectorTemp(0);
      const uint32_t y = VectorTemp(1);
      ClearSigns(s, x, n, out);
      ClearSigns(s, y, m, out);
      AddLanes(SOFTLBR_OP_FCMP, s, d, y, x, out, 0, a ? kLess : kLessOrEqual);
      break;
    }
    case 0x17:
      AddLanes(SOFTLBR_OP_FDIV, s, d, n, m, out);
      break;
    case 0x1a:  // fabd
      AddLanes(SOFTLBR_OP_FSUB, s, VectorTemp(0), n, m, out);
      ClearSigns(s, d, VectorTemp(0), out);
      break;
    default:
      return Lifted::kUnallocated;
  }
  // clang-format on
  ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

Lifted LiftFloatMisc(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 12, 5);
  if (opcode == 22 || opcode == 23) return ConvertFormat(word, is_scalar, opcode, out);
  const uint32_t is_unsigned = Field(word, 29, 1);
  const uint32_t key = is_unsigned << 6 | Field(word, 23, 1) << 5 | opcode;
  const Shape s = FloatShape(word, is_scalar);
  if (!is_scalar && s.lane == 8 && s.width == 8) return Lifted::kUnallocated;
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  // fcvtns .. fcvtzu, scvtf, ucvtf and comparisons with zero also exist as scalars.
  switch (key & ~64u) {
    case 26: return ToIntegers(word, s, kNearest, is_unsigned != 0, out);
    case 27: return ToIntegers(word, s, kDown, is_unsigned != 0, out);
    case 28: return ToIntegers(word, s, -1, is_unsigned != 0, out);
    case 29: return FromIntegers(word, s, is_unsigned != 0, out);
    case 32 | 26: return ToIntegers(word, s, kUp, is_unsigned != 0, out);
    case 32 | 27: return ToIntegers(word, s, kTruncate, is_unsigned != 0, out);
    case 32 | 12:  // fcmgt, fcmge
      return CompareZero(word, s, is_unsigned != 0 ? kLessOrEqual : kLess, true, out);
    case 32 | 13:  // fcmeq, fcmle
      return CompareZero(word, s, is_unsigned != 0 ? kLessOrEqual : kEqual, false, out);
    case 32 | 29:  // frecpe, frsqrte
      return Forget(word, s.kept, out);
    default: break;
  }
  if (key == (32 | 14)) return CompareZero(word, s, kLess, false, out);                       // fcmlt
  if (is_scalar) return key == (32 | 31) ? Forget(word, s.kept, out) : Lifted::kUnallocated;  // frecpx
  // clang-format off
  switch (key) {
    case 24:
      return Round(word, s, kNearest, out);
    case 25:
      return Round(word, s, kDown, out);
    case 32 | 24:
      return Round(word, s, kUp, out);
    case 32 | 25:
      return Round(word, s, kTruncate, out);
    case 64 | 25:       // frintx, frinti: the current rounding mode
    case 96 | 25:
      return Round(word, s, kNearest, out);
    case 64 | 24:       // frinta
    case 30: case 31:   // frint32z, frint64z
    case 64 | 30: case 64 | 31:
      return Forget(word, s.kept, out);
    case 32 | 28:
    case 96 | 28:  // urecpe, ursqrte
      return s.lane == 4 ? Forget(word, s.kept, out) : Lifted::kUnallocated;
    case 32 | 15:
      ClearSigns(s, d, n, out);
      ZeroAbove(s.kept, d, out);
      return Lifted::kNext;
    case 96 | 15:
      return Negate(word, s, out);
    case 96 | 31:
      AddLanes(SOFTLBR_OP_FSQRT, s, d, n, n, out);
      ZeroAbove(s.kept, d, out);
      return Lifted::kNext;
    default:
      return Lifted::kUnallocated;
  }
  // clang-format on
}

}  // namespace softlbr::a64
