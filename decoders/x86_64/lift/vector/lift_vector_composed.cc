// Packed operations that the IR has no op for, composed of several ops. Contract: vector_operands.h.
//
// Each is exact lane by lane. The evaluator's tests cover the ops, the oracle covers the compositions.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

struct Operands {
  uint16_t dst;  // may be a or b, so it is written last
  uint16_t a;
  uint16_t b;
  uint32_t width;
};

// dst = b < 0 ? -a : b == 0 ? 0 : a.
void Sign(const Operands& o, uint32_t lane, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_VZERO_ABOVE, 0, kZeroTemp, 0);
  out->Add(SOFTLBR_OP_VCMP_GT, o.width, kResultTemp, kZeroTemp, o.b, 0, lane, SOFTLBR_UOP_SIGNED);
  out->Add(SOFTLBR_OP_VXOR, o.width, kSpareTemp, o.a, kResultTemp, 0, lane);
  out->Add(SOFTLBR_OP_VSUB, o.width, kSpareTemp, kSpareTemp, kResultTemp, 0, lane);
  out->Add(SOFTLBR_OP_VCMP_EQ, o.width, kResultTemp, o.b, kZeroTemp, 0, lane);
  out->Add(SOFTLBR_OP_VANDN, o.width, o.dst, kResultTemp, kSpareTemp, 0, lane);
}

// dst = bits 15..30 of a * b + 0x4000, words: the product shifted right by 15, plus its bit 14.
void MultiplyRound(const Operands& o, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_VMUL_HIGH, o.width, kResultTemp, o.a, o.b, 0, 2, SOFTLBR_UOP_SIGNED);
  out->Add(SOFTLBR_OP_VMUL_LOW, o.width, kSpareTemp, o.a, o.b, 0, 2);
  out->Add(SOFTLBR_OP_VSHL, o.width, kResultTemp, kResultTemp, 0, 1, 2, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_VSHR, o.width, kZeroTemp, kSpareTemp, 0, 15, 2, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_VOR, o.width, kResultTemp, kResultTemp, kZeroTemp, 0, 2);
  out->Add(SOFTLBR_OP_VSHL, o.width, kSpareTemp, kSpareTemp, 0, 1, 2, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_VSHR, o.width, kSpareTemp, kSpareTemp, 0, 15, 2, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_VADD, o.width, o.dst, kResultTemp, kSpareTemp, 0, 2);
}

// Combines pairs of words of `source` into sign-extended doublewords in `result`.
void CombineWords(uint32_t op, uint32_t flags, uint32_t width, uint16_t source, uint16_t result, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_VSHR, width, result, source, 0, 16, 4, SOFTLBR_UOP_B_IMM);
  out->Add(op, width, result, source, result, 0, 2, flags);
  out->Add(SOFTLBR_OP_VSHL, width, result, result, 0, 16, 4, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_VSAR, width, result, result, 0, 16, 4, SOFTLBR_UOP_B_IMM);
}

// phaddw and variants: pairs of a, then pairs of b.
void HorizontalWords(const Operands& o, uint32_t op, uint32_t flags, BlockBuilder* out) {
  CombineWords(op, flags, o.width, o.a, kResultTemp, out);
  CombineWords(op, flags, o.width, o.b, kSpareTemp, out);
  out->Add(SOFTLBR_OP_VPACK, o.width, o.dst, kResultTemp, kSpareTemp, 0, 4, SOFTLBR_UOP_SIGNED);
}

constexpr uint32_t kEvenLanes = 0x88;  // lanes 0 2 of a, then of b
constexpr uint32_t kOddLanes = 0xdd;

// phaddd, phsubd.
void HorizontalDoublewords(const Operands& o, uint32_t op, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_VSHUFFLE2, o.width, kResultTemp, o.a, o.b, kEvenLanes, 4);
  out->Add(SOFTLBR_OP_VSHUFFLE2, o.width, kSpareTemp, o.a, o.b, kOddLanes, 4);
  out->Add(op, o.width, o.dst, kResultTemp, kSpareTemp, 0, 4);
}

// Opcodes of map 0F38.
bool Compose(const Instruction& in, const Operands& o, BlockBuilder* out) {
  switch (in.opcode) {
    case 0x01: HorizontalWords(o, SOFTLBR_OP_VADD, 0, out); return true;
    case 0x02:
      if (o.width < kXmmBytes) return false;
      HorizontalDoublewords(o, SOFTLBR_OP_VADD, out);
      return true;
    case 0x03: HorizontalWords(o, SOFTLBR_OP_VADD_SAT, SOFTLBR_UOP_SIGNED, out); return true;
    case 0x05: HorizontalWords(o, SOFTLBR_OP_VSUB, 0, out); return true;
    case 0x06:
      if (o.width < kXmmBytes) return false;
      HorizontalDoublewords(o, SOFTLBR_OP_VSUB, out);
      return true;
    case 0x07: HorizontalWords(o, SOFTLBR_OP_VSUB_SAT, SOFTLBR_UOP_SIGNED, out); return true;
    case 0x08: Sign(o, 1, out); return true;
    case 0x09: Sign(o, 2, out); return true;
    case 0x0a: Sign(o, 4, out); return true;
    case 0x0b: MultiplyRound(o, out); return true;
    default: return false;
  }
}

}  // namespace

bool LiftVectorComposed(const Instruction& in, BlockBuilder* out) {
  if (in.map != Map::k0F38 || in.opcode == 0 || in.opcode > 0x0b || IsMasked(in)) return false;
  if (IsEvex(in) && (in.opcode != 0x0b || in.is_broadcast)) return false;
  if (IsLegacy(in) && in.pp == Pp::kNone) {  // MMX
    const uint16_t dst = MmxSlot(in.reg);
    return Compose(in, Operands{dst, dst, MmxSource(in, kMmxBytes, out), kMmxBytes}, out);
  }
  if (in.pp != Pp::k66) return false;
  const uint16_t b = RmSource(in, in.vector_bytes, out);
  if (!Compose(in, Operands{RegSlot(in), FirstSlot(in), b, in.vector_bytes}, out)) return false;
  Finish(in, RegSlot(in), in.vector_bytes, 2, out);
  return true;
}

}  // namespace softlbr::x86
