// Shifts by an immediate: x1111 with bit 10 set and immh not 0. Saturating forms are UNKNOWN.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

// x = n >> count, rounded: adds the last bit shifted out. Uses temporary vector 1; x is temporary vector 0.
void RoundedShift(const Shape& s, uint32_t op, uint32_t x, uint32_t n, uint32_t count, BlockBuilder* out) {
  const uint32_t last = VectorTemp(1);
  const uint32_t bits = 8 * s.lane;
  ShiftLanes(SOFTLBR_OP_VSHL, s, last, n, bits - count, out);
  ShiftLanes(SOFTLBR_OP_VSHR, s, last, last, bits - 1, out);
  ShiftLanes(op, s, x, n, count, out);
  AddLanes(SOFTLBR_OP_VADD, s, x, x, last, out);
}

// sri, sli: bits of d outside the shifted ones are kept.
void ShiftInsert(const Shape& s, bool is_left, uint32_t count, uint32_t d, uint32_t n, BlockBuilder* out) {
  const uint32_t moved = VectorTemp(0);
  const uint32_t kept = VectorTemp(1);
  const uint32_t rest = 8 * s.lane - count;
  const uint32_t there = is_left ? SOFTLBR_OP_VSHL : SOFTLBR_OP_VSHR;
  const uint32_t back = is_left ? SOFTLBR_OP_VSHR : SOFTLBR_OP_VSHL;
  ShiftLanes(there, s, moved, n, count, out);
  ShiftLanes(there, s, kept, d, rest, out);
  ShiftLanes(back, s, kept, kept, rest, out);
  AddLanes(SOFTLBR_OP_VOR, s, d, moved, kept, out);
}

// shrn, rshrn: shift wide lanes into narrow ones.
void ShiftNarrow(uint32_t word, uint32_t lane, uint32_t count, bool is_rounded, BlockBuilder* out) {
  const Shape wide = {16, 2 * lane, 16};
  const uint32_t x = VectorTemp(0);
  const bool is_high = Bit(word, 30);
  const uint32_t d = V(Rd(word)) + (is_high ? 1 : 0);
  if (is_rounded) {
    RoundedShift(wide, SOFTLBR_OP_VSHR, x, V(Rn(word)), count, out);
  } else {
    ShiftLanes(SOFTLBR_OP_VSHR, wide, x, V(Rn(word)), count, out);
  }
  AddLanes(SOFTLBR_OP_VTRUNCATE, wide, d, x, 0, out, 0, static_cast<int32_t>(lane));
  if (!is_high) ZeroAbove(8, d, out);
}

Lifted ForgetNarrowed(uint32_t word, bool is_scalar, uint32_t lane, BlockBuilder* out) {
  if (is_scalar) return Forget(word, lane, out);
  const bool is_high = Bit(word, 30);
  if (!is_high) return Forget(word, 8, out);
  out->Add(SOFTLBR_OP_UNKNOWN, 8, V(Rd(word)) + 1, 0);
  return Lifted::kNext;
}

}  // namespace

Lifted LiftShiftImmediate(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 11, 5);
  const bool is_unsigned = Bit(word, 29);
  const uint32_t immh = Field(word, 19, 4);
  const uint32_t lane = 1u << (31 - static_cast<uint32_t>(__builtin_clz(immh)));
  const uint32_t bits = 8 * lane;
  const uint32_t imm = Field(word, 16, 7);
  const uint32_t right = 2 * bits - imm;  // 1 .. bits
  const uint32_t left = imm - bits;       // 0 .. bits - 1
  const Shape s = is_scalar ? ScalarShape(lane) : WholeShape(word, lane);
  const bool is_single_double = lane == 8 && !is_scalar && s.width == 8;  // .1d
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  const uint32_t x = VectorTemp(0);
  const uint32_t down = is_unsigned ? SOFTLBR_OP_VSHR : SOFTLBR_OP_VSAR;

  // clang-format off
  switch (opcode) {
    case 16: case 17: case 18: case 19:  // shrn, rshrn, sqshrun, sqshrn ..
      if (lane == 8 || (is_scalar && opcode < 18 && !is_unsigned)) return Lifted::kUnallocated;
      if (opcode >= 18 || is_unsigned) return ForgetNarrowed(word, is_scalar, lane, out);
      ShiftNarrow(word, lane, right, opcode == 17, out);
      return Lifted::kNext;
    case 20:  // sshll, ushll
      if (lane == 8 || is_scalar) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_VEXTEND, 16, left == 0 ? d : x, n + (Bit(word, 30) ? 1 : 0), 0,
          static_cast<int32_t>(2 * lane), lane,
               When(!is_unsigned, SOFTLBR_UOP_SIGNED));
      if (left != 0) ShiftLanes(SOFTLBR_OP_VSHL, Shape{16, 2 * lane, 16}, d, x, left, out);
      return Lifted::kNext;
    case 28:
    case 31:  // scvtf, fcvtzs of fixed-point numbers
      if (lane == 1 || is_single_double) return Lifted::kUnallocated;
      return Forget(word, s.kept, out);
    default:
      break;
  }
  // clang-format on
  if (is_single_double) return Lifted::kUnallocated;
  const bool is_saturating = opcode == 14 || (opcode == 12 && is_unsigned);
  if (is_saturating) return Forget(word, s.kept, out);
  if (is_scalar && lane != 8) return Lifted::kUnallocated;
  switch (opcode) {
    case 0: ShiftLanes(down, s, d, n, right, out); break;
    case 2:  // ssra, usra
      ShiftLanes(down, s, x, n, right, out);
      AddLanes(SOFTLBR_OP_VADD, s, d, d, x, out);
      break;
    case 4:
    case 6:  // srshr, srsra
      RoundedShift(s, down, x, n, right, out);
      if (opcode == 4) {
        out->Add(SOFTLBR_OP_VMOV, s.width, d, x);
      } else {
        AddLanes(SOFTLBR_OP_VADD, s, d, d, x, out);
      }
      break;
    case 8:
      if (!is_unsigned) return Lifted::kUnallocated;
      ShiftInsert(s, false, right, d, n, out);
      break;
    case 10:
      if (is_unsigned) {
        ShiftInsert(s, true, left, d, n, out);
      } else {
        ShiftLanes(SOFTLBR_OP_VSHL, s, d, n, left, out);
      }
      break;
    default: return Lifted::kUnallocated;
  }
  ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

}  // namespace softlbr::a64
