// Operands with different lane sizes (three different: bit 21 set, 11:10 = 00), and an element as second operand (by
// element).
//
// Long forms extend the low halves or, with bit 30, the high halves and compute on lanes twice as wide. Saturating
// doubling products and carry-less products of bytes are UNKNOWN.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

// dst = half of n, with every lane extended to twice its size.
void ExtendHalf(uint32_t lane, bool is_high, bool is_unsigned, uint32_t dst, uint32_t n, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_VEXTEND, 16, dst, n + (is_high ? 1 : 0), 0, static_cast<int32_t>(2 * lane), lane,
           When(!is_unsigned, SOFTLBR_UOP_SIGNED));
}

// d = d + n * m, d - n * m or n * m, on whole lanes.
void Product(uint32_t accumulate, const Shape& s, uint32_t d, uint32_t n, uint32_t m, BlockBuilder* out) {
  if (accumulate == SOFTLBR_OP_NOP) {
    AddLanes(SOFTLBR_OP_VMUL_LOW, s, d, n, m, out);
    return;
  }
  const uint32_t product = VectorTemp(0);
  AddLanes(SOFTLBR_OP_VMUL_LOW, s, product, n, m, out);
  AddLanes(accumulate, s, d, d, product, out);
}

// addhn, subhn: keep the high halves of wide lanes.
void NarrowHigh(uint32_t word, uint32_t lane, BlockBuilder* out) {
  const uint32_t x = VectorTemp(0);
  const Shape wide = {16, 2 * lane, 16};
  const bool is_high = Bit(word, 30);
  AddLanes(Bit(word, 13) ? SOFTLBR_OP_VSUB : SOFTLBR_OP_VADD, wide, x, V(Rn(word)), V(Rm(word)), out);
  if (Bit(word, 29)) {  // rounded
    const uint32_t half = VectorTemp(1);
    FillLanes(wide, half, int64_t{1} << (8 * lane - 1), out);
    AddLanes(SOFTLBR_OP_VADD, wide, x, x, half, out);
  }
  ShiftLanes(SOFTLBR_OP_VSHR, wide, x, x, 8 * lane, out);
  const uint32_t d = V(Rd(word)) + (is_high ? 1 : 0);
  AddLanes(SOFTLBR_OP_VTRUNCATE, wide, d, x, 0, out, 0, static_cast<int32_t>(lane));
  if (!is_high) ZeroAbove(8, d, out);
}

Lifted PolynomialLong(uint32_t word, uint32_t size, BlockBuilder* out) {
  if (Bit(word, 29) || (size != 0 && size != 3)) return Lifted::kUnallocated;
  if (size == 0) return Forget(word, 16, out);
  const uint32_t high = Bit(word, 30) ? 0x11 : 0;
  out->Add(SOFTLBR_OP_CARRYLESS_MUL, 16, V(Rd(word)), V(Rn(word)), V(Rm(word)), static_cast<int32_t>(high), 8);
  return Lifted::kNext;
}

}  // namespace

Lifted LiftThreeDifferent(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 12, 4);
  const uint32_t size = Field(word, 22, 2);
  const uint32_t lane = 1u << size;
  const bool is_unsigned = Bit(word, 29);
  const bool is_high = Bit(word, 30);
  const bool is_doubling = opcode == 9 || opcode == 11 || opcode == 13;
  if (is_doubling) {
    if (is_unsigned || size == 0 || size == 3) return Lifted::kUnallocated;
    return Forget(word, is_scalar ? 2 * lane : 16, out);
  }
  if (is_scalar || opcode == 15) return Lifted::kUnallocated;
  if (opcode == 14) return PolynomialLong(word, size, out);
  if (size == 3) return Lifted::kUnallocated;
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  const uint32_t m = V(Rm(word));
  if (opcode == 4 || opcode == 6) {
    NarrowHigh(word, lane, out);
    return Lifted::kNext;
  }
  const Shape wide = {16, 2 * lane, 16};
  const uint32_t x = VectorTemp(1);
  const uint32_t y = VectorTemp(2);
  const bool has_wide_first = opcode == 1 || opcode == 3;
  if (!has_wide_first) ExtendHalf(lane, is_high, is_unsigned, x, n, out);
  ExtendHalf(lane, is_high, is_unsigned, y, m, out);
  const uint32_t first = has_wide_first ? n : x;
  switch (opcode) {
    case 0:
    case 1:  // addl, addw
      AddLanes(SOFTLBR_OP_VADD, wide, d, first, y, out);
      break;
    case 2:
    case 3:  // subl, subw
      AddLanes(SOFTLBR_OP_VSUB, wide, d, first, y, out);
      break;
    case 5:
    case 7: {  // abal, abdl: the lanes are extended, so signed comparison works for both
      const uint32_t most = VectorTemp(0);
      AddLanes(SOFTLBR_OP_VMAX, wide, most, x, y, out, SOFTLBR_UOP_SIGNED);
      AddLanes(SOFTLBR_OP_VMIN, wide, x, x, y, out, SOFTLBR_UOP_SIGNED);
      AddLanes(SOFTLBR_OP_VSUB, wide, opcode == 7 ? d : most, most, x, out);
      if (opcode == 5) AddLanes(SOFTLBR_OP_VADD, wide, d, d, most, out);
      break;
    }
    case 8: Product(SOFTLBR_OP_VADD, wide, d, x, y, out); break;
    case 10: Product(SOFTLBR_OP_VSUB, wide, d, x, y, out); break;
    default:  // 12: mull
      Product(SOFTLBR_OP_NOP, wide, d, x, y, out);
      break;
  }
  return Lifted::kNext;
}

namespace {

// fmla, fmls, fmul, fmulx by element. Half precision: UNKNOWN.
Lifted FloatByElement(uint32_t word, bool is_scalar, uint32_t opcode, BlockBuilder* out) {
  const uint32_t size = Field(word, 22, 2);
  const bool is_unsigned = Bit(word, 29);
  if (is_unsigned && opcode != 9) return Lifted::kUnallocated;
  if (size == 1) return Lifted::kUnallocated;
  if (size == 0) return Forget(word, is_scalar ? 2 : Bit(word, 30) ? 16 : 8, out);
  const uint32_t lane = size == 2 ? 4 : 8;
  if (lane == 8 && (Bit(word, 21) || (!is_scalar && !Bit(word, 30)))) return Lifted::kUnallocated;
  const uint32_t index = lane == 8 ? Field(word, 11, 1) : Field(word, 11, 1) << 1 | Field(word, 21, 1);
  const Shape s = is_scalar ? ScalarShape(lane) : WholeShape(word, lane);
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  const uint16_t element = out->Temp();
  const uint32_t m = VectorTemp(0);
  out->Add(SOFTLBR_OP_VEXTRACT, 8, element, V(Rm(word)), 0, static_cast<int32_t>(index), lane);
  out->Add(SOFTLBR_OP_VBROADCAST, s.width, m, element, 0, 0, lane);
  if (opcode == 9) {
    AddLanes(SOFTLBR_OP_FMUL, s, d, n, m, out);
  } else {
    AddLanes(SOFTLBR_OP_FMADD, s, d, n, m, out, When(opcode == 5, SOFTLBR_UOP_NEGATE), static_cast<int32_t>(d));
  }
  ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

bool IsUnknownByElement(uint32_t word, uint32_t opcode, uint32_t size) {
  const bool is_unsigned = Bit(word, 29);
  // clang-format off
  switch (opcode) {
    case 0:  // fmlal; of 8 bits fdot, fmlalb
      return !is_unsigned;
    case 4:  // fmlsl
      return !is_unsigned && size == 2;
    case 8:  // fmlal2; fmlall of 8 bits
      return is_unsigned && size != 3;
    case 12:  // fmlsl2; sqdmulh
      return is_unsigned ? size == 2 : size == 1 || size == 2;
    case 1: case 3: case 5: case 7:
      // fcmla; sqdmlal, sqdmlsl
      if (is_unsigned) return (size == 1 && (Bit(word, 30) || !Bit(word, 11))) ||
          (size == 2 && Bit(word, 30) && !Bit(word, 21));
      return (opcode == 3 || opcode == 7) && (size == 1 || size == 2);
    case 11:  // sqdmull
      return !is_unsigned && (size == 1 || size == 2);
    case 13:  // sqrdmulh, sqrdmlah
      return size == 1 || size == 2;
    case 14:  // sdot, udot
      return size == 2;
    case 15:  // sudot, bfdot, usdot, bfmlal; sqrdmlsh
      return is_unsigned ? size == 1 || size == 2 : true;
    default:
      return false;
  }
  // clang-format on
}

}  // namespace

Lifted LiftByElement(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 12, 4);
  const uint32_t size = Field(word, 22, 2);
  const bool is_unsigned = Bit(word, 29);
  const bool is_float = opcode == 9 || (!is_unsigned && (opcode == 1 || opcode == 5));
  if (is_float) return FloatByElement(word, is_scalar, opcode, out);
  if (is_scalar) {
    const bool is_long = !is_unsigned && (opcode == 3 || opcode == 7 || opcode == 11);
    const bool is_same = opcode == 13 || (is_unsigned ? opcode == 15 : opcode == 12);
    if ((!is_long && !is_same) || (size != 1 && size != 2)) return Lifted::kUnallocated;
    return Forget(word, (is_long ? 2u : 1u) << size, out);
  }
  if (IsUnknownByElement(word, opcode, size)) {
    const bool is_long = is_unsigned ? opcode == 8 && size < 2
                                     : opcode == 3 || opcode == 7 || opcode == 11 || (size == 3 && opcode != 12);
    return Forget(word, is_long || Bit(word, 30) ? 16 : 8, out);
  }
  // mla, mls, mul; mlal, mlsl, mull
  const bool is_same = is_unsigned ? opcode == 0 || opcode == 4 : opcode == 8;
  const bool is_long = opcode == 2 || opcode == 6 || opcode == 10;
  if ((!is_same && !is_long) || (size != 1 && size != 2)) return Lifted::kUnallocated;
  const uint32_t lane = 1u << size;
  const uint32_t high_bits = Field(word, 11, 1) << 1 | Field(word, 21, 1);
  const uint32_t index = size == 1 ? high_bits << 1 | Field(word, 20, 1) : high_bits;
  const uint32_t register_m = size == 1 ? Field(word, 16, 4) : Rm(word);
  const uint32_t d = V(Rd(word));
  const uint32_t m = VectorTemp(2);
  const uint16_t element = out->Temp();
  const uint32_t accumulate = opcode == 8 || opcode == 10  ? SOFTLBR_OP_NOP
                              : opcode == 0 || opcode == 2 ? SOFTLBR_OP_VADD
                                                           : SOFTLBR_OP_VSUB;
  out->Add(SOFTLBR_OP_VEXTRACT, 8, element, V(register_m), 0, static_cast<int32_t>(index), lane,
           When(is_long && !is_unsigned, SOFTLBR_UOP_SIGNED));
  if (is_same) {
    const Shape s = WholeShape(word, lane);
    out->Add(SOFTLBR_OP_VBROADCAST, s.width, m, element, 0, 0, lane);
    Product(accumulate, s, d, V(Rn(word)), m, out);
    ZeroAbove(s.kept, d, out);
    return Lifted::kNext;
  }
  const uint32_t n = VectorTemp(1);
  out->Add(SOFTLBR_OP_VBROADCAST, 16, m, element, 0, 0, 2 * lane);
  ExtendHalf(lane, Bit(word, 30), is_unsigned, n, V(Rn(word)), out);
  Product(accumulate, Shape{16, 2 * lane, 16}, d, n, m, out);
  return Lifted::kNext;
}

}  // namespace softlbr::a64
