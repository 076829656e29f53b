// Advanced SIMD and floating point, bits 28:25 = x111: dispatch, and helpers of the vector families.
//
// Half precision has semantics only for moves; all else is UNKNOWN.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

// Allocated half-precision opcodes, by bits U:a (29, 23).
constexpr uint8_t kHalfSame[4] = {0xdf, 0xcf, 0xfd, 0xfd};
constexpr uint8_t kHalfSameScalar[4] = {0x98, 0x80, 0x30, 0x34};
constexpr uint32_t kHalfMisc[4] = {0x3f000000, 0x2f00f000, 0x3f000000, 0xae00b000};
constexpr uint32_t kHalfMiscScalar[4] = {0x3c000000, 0xac007000, 0x3c000000, 0x2c003000};

constexpr uint32_t UnsignedAndA(uint32_t word) { return Field(word, 29, 1) << 1 | Field(word, 23, 1); }

uint32_t KeptOf(uint32_t word, bool is_scalar, uint32_t scalar_bytes) {
  return is_scalar ? scalar_bytes : Bit(word, 30) ? 16 : 8;
}

Lifted HalfSame(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t allowed = (is_scalar ? kHalfSameScalar : kHalfSame)[UnsignedAndA(word)];
  if ((allowed >> Field(word, 11, 3) & 1) == 0) return Lifted::kUnallocated;
  return Forget(word, KeptOf(word, is_scalar, 2), out);
}

Lifted HalfMisc(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t allowed = (is_scalar ? kHalfMiscScalar : kHalfMisc)[UnsignedAndA(word)];
  if ((allowed >> Field(word, 12, 5) & 1) == 0) return Lifted::kUnallocated;
  return Forget(word, KeptOf(word, is_scalar, 2), out);
}

// Dot products, complex arithmetic, matrix products, saturating multiply-adds, BFloat16, 8-bit floats.
Lifted SameExtra(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t size = Field(word, 22, 2);
  const uint32_t opcode = Field(word, 11, 4);
  const bool is_unsigned = Bit(word, 29);
  const bool is_quad = Bit(word, 30);
  bool is_allocated = false;
  // clang-format off
  switch (opcode) {
    case 0:
    case 1:
      is_allocated = is_unsigned && (size == 1 || size == 2);
      if (is_scalar) return is_allocated ? Forget(word, 1u << size, out) : Lifted::kUnallocated;
      break;
    case 2:
      is_allocated = size == 2;
      break;
    case 3:
      is_allocated = size == 2 && !is_unsigned;
      break;
    case 4:
      is_allocated = size == 2 && is_quad;
      break;
    case 5:
      is_allocated = size == 2 && is_quad && !is_unsigned;
      break;
    case 8:
      is_allocated = is_unsigned ? size != 0 && (size != 3 || is_quad) : size == 0 || size == 1;  // fmlall
      if (!is_unsigned && is_allocated) return is_scalar ? Lifted::kUnallocated : Forget(word, 16, out);
      break;
    case 14:
      is_allocated = is_unsigned ? size != 0 && (size != 3 || is_quad) : size < 2;  // fcvtn to 8 bits
      if (!is_unsigned && is_allocated && !is_scalar && is_quad && size == 0) {
        out->Add(SOFTLBR_OP_UNKNOWN, 8, V(Rd(word)) + 1, 0);  // fcvtn2
        return Lifted::kNext;
      }
      break;
    case 9: case 10: case 11: case 12:
      is_allocated = is_unsigned && size != 0 && (size != 3 || is_quad);
      break;
    case 13:
      is_allocated = is_unsigned && size == 1 && is_quad;
      break;
    case 15:
      is_allocated = is_unsigned ? size == 1 || size == 3 : size != 2;  // bfdot, bfmlal; fdot, fmlal of 8 bits
      if (!is_unsigned && size == 3 && !is_scalar) return Forget(word, 16, out);
      break;
    default:
      break;
  }
  // clang-format on
  if (!is_allocated || is_scalar) return Lifted::kUnallocated;
  return Forget(word, is_quad ? 16 : 8, out);
}

// 28:24 = x1110 with bit 31 clear: vectors, or scalars if bit 28 is set.
Lifted Registers(uint32_t word, bool is_scalar, BlockBuilder* out) {
  if (Bit(word, 21)) {
    if (Bit(word, 10)) return LiftThreeSame(word, is_scalar, out);
    if (!Bit(word, 11)) return LiftThreeDifferent(word, is_scalar, out);
    switch (Field(word, 17, 5)) {
      case 0x10: return LiftTwoMisc(word, is_scalar, out);
      case 0x18: return LiftAcross(word, is_scalar, out);
      case 0x1c: return Bit(word, 22) ? HalfMisc(word, is_scalar, out) : Lifted::kUnallocated;
      case 0x14: return LiftCrypto(word, out);
      default: return Lifted::kUnallocated;
    }
  }
  if (Bit(word, 10)) {
    if (Bit(word, 15)) return SameExtra(word, is_scalar, out);
    if (Bit(word, 22) && !Bit(word, 14)) return HalfSame(word, is_scalar, out);
    return LiftVectorMove(word, is_scalar, out);
  }
  if (is_scalar) return LiftCrypto(word, out);
  return Bit(word, 15) ? Lifted::kUnallocated : LiftVectorMove(word, false, out);
}

// 28:24 = x1111: the second operand is an element or an immediate.
Lifted Indexed(uint32_t word, bool is_scalar, BlockBuilder* out) {
  if (!Bit(word, 10)) return LiftByElement(word, is_scalar, out);
  if (Bit(word, 23)) return Lifted::kUnallocated;
  if (Field(word, 19, 4) != 0) return LiftShiftImmediate(word, is_scalar, out);
  return is_scalar ? Lifted::kUnallocated : LiftVectorImmediate(word, out);
}

}  // namespace

Lifted LiftSimd(uint32_t word, BlockBuilder* out) {
  const bool is_scalar = Bit(word, 28);
  if (Field(word, 24, 8) == 0xce) return LiftCrypto(word, out);
  if (is_scalar && !Bit(word, 30)) return LiftScalarFloat(word, out);
  if (Bit(word, 31)) return Lifted::kUnallocated;
  return Bit(word, 24) ? Indexed(word, is_scalar, out) : Registers(word, is_scalar, out);
}

void AddUnzip(const Shape& shape, bool odd, uint32_t dst, uint32_t n, uint32_t m, BlockBuilder* out) {
  if (shape.lane == 8) {
    out->Add(odd ? SOFTLBR_OP_VUNPACK_HIGH : SOFTLBR_OP_VUNPACK_LOW, 16, dst, n, m, 0, 8);
    return;
  }
  const Shape wide = {shape.width, 2 * shape.lane, shape.kept};
  const uint32_t half = shape.width / 2;
  const auto narrow = static_cast<int32_t>(shape.lane);
  const uint32_t second = VectorTemp(3);
  if (odd) {
    ShiftLanes(SOFTLBR_OP_VSHR, wide, dst, n, 8 * shape.lane, out);
    n = dst;
  }
  AddLanes(SOFTLBR_OP_VTRUNCATE, wide, dst, n, 0, out, 0, narrow);
  if (odd) {
    ShiftLanes(SOFTLBR_OP_VSHR, wide, second, m, 8 * shape.lane, out);
    m = second;
  }
  AddLanes(SOFTLBR_OP_VTRUNCATE, wide, second, m, 0, out, 0, narrow);
  out->Add(SOFTLBR_OP_VINSERT, 16, dst, second, 0, 1, half);
}

void AddReduction(uint32_t op, uint32_t flags, const Shape& shape, uint32_t dst, BlockBuilder* out) {
  const uint32_t other = VectorTemp(3);
  if (shape.width == 16) out->Add(op, 8, dst, dst, dst + 1, 0, shape.lane, flags);
  const Shape whole = {8, 8, 8};
  for (uint32_t bytes = 4; bytes >= shape.lane; bytes /= 2) {
    ShiftLanes(SOFTLBR_OP_VSHR, whole, other, dst, 8 * bytes, out);
    out->Add(op, 8, dst, dst, other, 0, shape.lane, flags);
  }
}

void AddPairSums(const Shape& shape, bool is_unsigned, uint32_t dst, uint32_t n, BlockBuilder* out) {
  const Shape wide = {shape.width, 2 * shape.lane, shape.kept};
  const uint32_t low = VectorTemp(3);
  const uint32_t bits = 8 * shape.lane;
  const uint32_t down = is_unsigned ? SOFTLBR_OP_VSHR : SOFTLBR_OP_VSAR;
  ShiftLanes(SOFTLBR_OP_VSHL, wide, low, n, bits, out);
  ShiftLanes(down, wide, low, low, bits, out);
  ShiftLanes(down, wide, dst, n, bits, out);
  AddLanes(SOFTLBR_OP_VADD, wide, dst, dst, low, out);
}

}  // namespace softlbr::a64
