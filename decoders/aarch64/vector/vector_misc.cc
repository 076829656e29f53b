// Two-register and across-lanes forms: x1110 with bits 21:17 = 10000 and 11000, integers.
//
// Reversals are scalar ops on the register's slots. Population count is the usual bit-parallel sum within bytes.
// Saturating narrowings have semantics where the IR packs in the same way.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

// rev64, rev32, rev16: reverse lanes within groups of `group` bytes. Reverses the bytes within groups, then the bytes
// within lanes.
void Reverse(uint32_t group, uint32_t lane, uint32_t kept, uint32_t d, uint32_t n, BlockBuilder* out) {
  for (uint32_t i = 0; i < kept / 8; ++i) {
    out->Add(SOFTLBR_OP_BYTE_SWAP_LANES, 8, d + i, n + i, 0, 0, group);
    if (lane > 1) out->Add(SOFTLBR_OP_BYTE_SWAP_LANES, 8, d + i, d + i, 0, 0, lane);
  }
}

void ReverseBits(uint32_t kept, uint32_t d, uint32_t n, BlockBuilder* out) {
  for (uint32_t i = 0; i < kept / 8; ++i) {
    out->Add(SOFTLBR_OP_BIT_REVERSE, 8, d + i, n + i);
    out->Add(SOFTLBR_OP_BYTE_SWAP, 8, d + i, d + i);
  }
}

// Number of one bits in each byte.
void CountOnes(const Shape& s, uint32_t d, uint32_t n, BlockBuilder* out) {
  const uint32_t x = VectorTemp(0);
  const uint32_t y = VectorTemp(1);
  const uint32_t mask = VectorTemp(2);
  FillLanes(s, mask, 0x55, out);
  ShiftLanes(SOFTLBR_OP_VSHR, s, y, n, 1, out);
  AddLanes(SOFTLBR_OP_VAND, s, y, y, mask, out);
  AddLanes(SOFTLBR_OP_VSUB, s, x, n, y, out);
  FillLanes(s, mask, 0x33, out);
  ShiftLanes(SOFTLBR_OP_VSHR, s, y, x, 2, out);
  AddLanes(SOFTLBR_OP_VAND, s, y, y, mask, out);
  AddLanes(SOFTLBR_OP_VAND, s, x, x, mask, out);
  AddLanes(SOFTLBR_OP_VADD, s, x, x, y, out);
  FillLanes(s, mask, 0x0f, out);
  ShiftLanes(SOFTLBR_OP_VSHR, s, y, x, 4, out);
  AddLanes(SOFTLBR_OP_VADD, s, x, x, y, out);
  AddLanes(SOFTLBR_OP_VAND, s, d, x, mask, out);
}

// Comparisons with zero: n > 0 or, negated and swapped, n <= 0.
void CompareZero(const Shape& s, uint32_t op, bool swapped, bool negated, uint32_t d, uint32_t n, BlockBuilder* out) {
  const uint32_t zero = VectorTemp(0);
  FillZero(zero, out);
  AddLanes(op, s, d, swapped ? zero : n, swapped ? n : zero, out,
           SOFTLBR_UOP_SIGNED | When(negated, SOFTLBR_UOP_NEGATE));
}

// xtn, sqxtn, sqxtun into the low half, or with bit 30 the high half.
Lifted Narrow(uint32_t word, bool is_scalar, uint32_t opcode, BlockBuilder* out) {
  const uint32_t size = Field(word, 22, 2);
  const uint32_t lane = 1u << size;
  const bool is_unsigned = Bit(word, 29);
  const bool is_high = Bit(word, 30) && !is_scalar;
  if (size == 3) return Lifted::kUnallocated;
  const uint32_t d = V(Rd(word)) + (is_high ? 1 : 0);
  const uint32_t n = V(Rn(word));
  const Shape wide = {16, 2 * lane, 16};
  const bool is_plain = opcode == 18 && !is_unsigned;
  const bool is_pack = (opcode == 20 && !is_unsigned) || (opcode == 18 && is_unsigned);
  // The IR packs lanes of 2 and 4 bytes, as signed numbers.
  if (is_scalar || (!is_plain && (!is_pack || lane == 4))) {
    out->Add(SOFTLBR_OP_UNKNOWN, is_scalar ? lane : 8, d, 0);
    if (!is_high) ZeroAbove(8, d, out);
    return Lifted::kNext;
  }
  if (is_plain) {
    AddLanes(SOFTLBR_OP_VTRUNCATE, wide, d, n, 0, out, 0, static_cast<int32_t>(lane));
  } else {
    const uint32_t x = VectorTemp(0);
    AddLanes(SOFTLBR_OP_VPACK, wide, x, n, n, out, When(!is_unsigned, SOFTLBR_UOP_SIGNED));
    out->Add(SOFTLBR_OP_MOV, 8, d, x);
  }
  if (!is_high) ZeroAbove(8, d, out);
  return Lifted::kNext;
}

// Allocated sizes by opcode, without the floating-point forms: bit i is size i. Low half: vectors; high half: scalars.
constexpr uint8_t kSizes[2][22] = {
    {0x07, 0x01, 0x07, 0xff, 0x07, 0x01, 0x07, 0xff, 0x8f, 0x8f, 0x8f, 0x8f, 0, 0, 0, 0, 0, 0, 0x07, 0, 0x77, 0},
    {0x03, 0x00, 0x07, 0xff, 0x07, 0x03, 0x07, 0xff, 0x8f, 0x8f, 0x00, 0x8f, 0, 0, 0, 0, 0, 0, 0x77, 0x07, 0x77, 0},
};

}  // namespace

Lifted LiftTwoMisc(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 12, 5);
  if (opcode >= 22 || (opcode >= 12 && opcode < 16)) return LiftFloatMisc(word, is_scalar, out);
  const uint32_t size = Field(word, 22, 2);
  const uint32_t lane = 1u << size;
  const uint32_t is_unsigned = Field(word, 29, 1);
  if ((kSizes[is_unsigned][opcode] >> (is_scalar ? size + 4 : size) & 1) == 0) return Lifted::kUnallocated;
  const Shape s = is_scalar ? ScalarShape(lane) : WholeShape(word, lane);
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  if (opcode == 18 || opcode == 20) return Narrow(word, is_scalar, opcode, out);
  if (lane == 8 && s.width == 8 && !is_scalar) return Lifted::kUnallocated;  // .1d
  switch (opcode) {
    case 0:
      if (is_unsigned != 0 && lane == 4) return Lifted::kUnallocated;
      Reverse(is_unsigned != 0 ? 4 : 8, lane, s.kept, d, n, out);
      break;
    case 1: Reverse(2, 1, s.kept, d, n, out); break;
    case 2:
    case 6: {  // addlp, adalp
      const uint32_t sum = VectorTemp(0);
      AddPairSums(s, is_unsigned != 0, sum, n, out);
      if (opcode == 2) {
        out->Add(SOFTLBR_OP_VMOV, s.width, d, sum);
      } else {
        AddLanes(SOFTLBR_OP_VADD, Shape{s.width, 2 * lane, s.kept}, d, d, sum, out);
      }
      break;
    }
    case 5:
      if (is_unsigned == 0) {
        CountOnes(s, d, n, out);
      } else if (size == 0) {
        AddBits(SOFTLBR_OP_NOT, s.kept, d, n, 0, out);
        return Lifted::kNext;
      } else {
        ReverseBits(s.kept, d, n, out);
      }
      break;
    case 8:  // cmgt, cmge
      CompareZero(s, SOFTLBR_OP_VCMP_GT, is_unsigned != 0, is_unsigned != 0, d, n, out);
      break;
    case 9:  // cmeq, cmle
      CompareZero(s, is_unsigned != 0 ? SOFTLBR_OP_VCMP_GT : SOFTLBR_OP_VCMP_EQ, false, is_unsigned != 0, d, n, out);
      break;
    case 10:  // cmlt
      CompareZero(s, SOFTLBR_OP_VCMP_GT, true, false, d, n, out);
      break;
    case 11:
      if (is_unsigned == 0) {
        AddLanes(SOFTLBR_OP_VABS, s, d, n, 0, out);
      } else {
        const uint32_t zero = VectorTemp(0);
        FillZero(zero, out);
        AddLanes(SOFTLBR_OP_VSUB, s, d, zero, n, out);
      }
      break;
    case 19: {  // shll
      const uint32_t x = VectorTemp(0);
      out->Add(SOFTLBR_OP_VEXTEND, 16, x, n + (Bit(word, 30) ? 1 : 0), 0, static_cast<int32_t>(2 * lane), lane);
      ShiftLanes(SOFTLBR_OP_VSHL, Shape{16, 2 * lane, 16}, d, x, 8 * lane, out);
      return Lifted::kNext;
    }
    default:  // suqadd, cls, clz, sqabs, sqneg
      return Forget(word, s.kept, out);
  }
  ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

// saddlv .. addv; scalar: addp of two lanes, and the pairwise floating-point forms.
Lifted LiftAcross(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 12, 5);
  const uint32_t size = Field(word, 22, 2);
  const bool is_unsigned = Bit(word, 29);
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  const bool is_float = opcode >= 12 && opcode < 16;
  if (is_float) {
    const bool is_extreme = opcode == 12 || opcode == 15;
    if (opcode == 14 || (opcode == 13 && (!is_scalar || size >= 2))) return Lifted::kUnallocated;
    if (!is_extreme && opcode != 13) return Lifted::kUnallocated;
    if (!is_unsigned) {  // half precision
      if ((size & 1) != 0) return Lifted::kUnallocated;
      return Forget(word, 2, out);
    }
    if (!is_scalar) {  // four lanes
      if ((size & 1) != 0 || !Bit(word, 30)) return Lifted::kUnallocated;
    }
    const Shape s = ScalarShape((size & 1) != 0 ? 8 : 4);
    const uint32_t x = VectorTemp(0);
    const uint32_t y = VectorTemp(1);
    const bool is_minimum = size >= 2;
    if (is_scalar) {
      const uint16_t second = out->Temp();
      out->Add(SOFTLBR_OP_VEXTRACT, 8, second, n, 0, 1, s.lane);
      if (opcode == 13) {
        AddLanes(SOFTLBR_OP_FADD, s, d, n, second, out);
      } else {
        AddFloatExtreme(s, is_minimum, d, n, second, out);
      }
    } else {  // (0, 1) with (2, 3) first: the architecture's order of reduction
      const Shape pair = {8, 4, 8};
      AddUnzip(Shape{16, 4, 16}, false, x, n, n, out);
      AddUnzip(Shape{16, 4, 16}, true, y, n, n, out);
      AddFloatExtreme(pair, is_minimum, x, x, y, out);
      ShiftLanes(SOFTLBR_OP_VSHR, Shape{8, 8, 8}, y, x, 32, out);
      AddFloatExtreme(s, is_minimum, d, x, y, out);
    }
    ZeroAbove(s.kept, d, out);
    return Lifted::kNext;
  }
  if (is_scalar) {
    if (opcode != 27 || is_unsigned || size != 3) return Lifted::kUnallocated;
    out->Add(SOFTLBR_OP_ADD, 8, d, n, n + 1);
    ZeroAbove(8, d, out);
    return Lifted::kNext;
  }
  if (size == 3 || (size == 2 && !Bit(word, 30))) return Lifted::kUnallocated;
  Shape s = WholeShape(word, 1u << size);
  const uint32_t x = VectorTemp(0);
  uint32_t op = SOFTLBR_OP_VADD;
  uint32_t flags = 0;
  switch (opcode) {
    case 3:  // saddlv, uaddlv
      AddPairSums(s, is_unsigned, x, n, out);
      s.lane *= 2;
      break;
    case 10:
    case 26:
      op = opcode == 10 ? SOFTLBR_OP_VMAX : SOFTLBR_OP_VMIN;
      flags = When(!is_unsigned, SOFTLBR_UOP_SIGNED);
      break;
    case 27:
      if (is_unsigned) return Lifted::kUnallocated;
      break;
    default: return Lifted::kUnallocated;
  }
  if (opcode != 3) {
    out->Add(SOFTLBR_OP_MOV, 8, x, n);
    if (s.width == 16) out->Add(SOFTLBR_OP_MOV, 8, x + 1, n + 1);
  }
  AddReduction(op, flags, s, x, out);
  out->Add(SOFTLBR_OP_MOV, s.lane, d, x);  // zero-extends to the whole register slot
  ZeroAbove(8, d, out);
  return Lifted::kNext;
}

}  // namespace softlbr::a64
