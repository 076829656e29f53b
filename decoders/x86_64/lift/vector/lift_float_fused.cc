// Fused multiply-add, VEX and EVEX. Contract: vector_operands.h.
//
// Opcodes 96..9f, a6..af, b6..bf of map 0F38: the high digit gives the operand order (132, 213, 231), the low digit the
// operation.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

constexpr int32_t kOddLanes = 0xaa;  // blend mask

}  // namespace

bool LiftFloatFused(const Instruction& in, BlockBuilder* out) {
  if (IsLegacy(in) || in.map != Map::k0F38 || in.pp != Pp::k66) return false;
  const uint32_t row = in.opcode >> 4;
  const uint32_t column = in.opcode & 15u;
  if (row < 9 || row > 11 || column < 6) return false;
  const bool is_alternating = column < 8;
  const bool is_scalar = !is_alternating && (column & 1) != 0;
  if (is_scalar && (IsMasked(in) || (IsEvex(in) && in.is_broadcast))) return false;
  const uint32_t lane = LaneByW(in);
  const uint32_t width = is_scalar ? kXmmBytes : in.vector_bytes;

  const uint16_t first = RegSlot(in);
  const uint16_t second = VectorSlot(in.vvvv);
  const uint16_t third = RmSource(in, is_scalar ? lane : width, lane, out);
  uint16_t a = first;
  uint16_t b = third;
  uint16_t c = second;
  if (row == 10) {  // 213
    b = second;
    c = third;
  } else if (row == 11) {  // 231
    a = second;
    c = first;
  }
  if (is_alternating) {  // fmaddsub adds in odd lanes and subtracts in even lanes; fmsubadd the reverse
    const bool is_add_odd = column == 6;
    out->Add(SOFTLBR_OP_FMADD, width, kSpareTemp, a, b, c, lane, is_add_odd ? uint32_t{SOFTLBR_UOP_SIGNED} : 0);
    out->Add(SOFTLBR_OP_FMADD, width, kZeroTemp, a, b, c, lane, is_add_odd ? 0 : uint32_t{SOFTLBR_UOP_SIGNED});
    out->Add(SOFTLBR_OP_VBLEND, width, WorkSlot(in, first), kSpareTemp, kZeroTemp, kOddLanes, lane);
    Finish(in, first, width, lane, out);
    return true;
  }
  uint32_t flags = is_scalar ? uint32_t{SOFTLBR_UOP_SCALAR} : 0;
  if (column >= 12) flags |= SOFTLBR_UOP_NEGATE;       // fnmadd, fnmsub
  if ((column & 2) != 0) flags |= SOFTLBR_UOP_SIGNED;  // fmsub, fnmsub
  out->Add(SOFTLBR_OP_FMADD, width, WorkSlot(in, first), a, b, c, lane, flags);
  Finish(in, first, width, lane, out);
  return true;
}

}  // namespace softlbr::x86
