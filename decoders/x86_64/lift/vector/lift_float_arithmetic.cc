// Floating-point arithmetic, scalar and packed, except fused multiply-add. Contract: vector_operands.h.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

// dst = op(first, rm); the prefix selects ps, pd, ss or sd. In scalar forms the other lanes come from the first source.
bool Arithmetic(const Instruction& in, uint32_t op, BlockBuilder* out) {
  const uint32_t lane = FloatLane(in);
  if (IsScalarPrefix(in)) {
    if (IsMasked(in) || (IsEvex(in) && in.is_broadcast)) return false;
    const uint16_t source = RmSource(in, lane, out);
    out->Add(op, kXmmBytes, RegSlot(in), FirstSlot(in), source, 0, lane, SOFTLBR_UOP_SCALAR);
    Finish(in, RegSlot(in), kXmmBytes, lane, out);
    return true;
  }
  const uint16_t source = RmSource(in, in.vector_bytes, lane, out);
  const uint16_t first = op == SOFTLBR_OP_FSQRT ? source : FirstSlot(in);
  out->Add(op, in.vector_bytes, WorkSlot(in, RegSlot(in)), first, source, 0, lane);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

// haddps/pd, addsubps/pd: 66 is pd, F2 is ps.
bool AcrossLanes(const Instruction& in, uint32_t op, BlockBuilder* out) {
  if (IsEvex(in) || (in.pp != Pp::k66 && in.pp != Pp::kF2)) return false;
  const uint32_t lane = in.pp == Pp::k66 ? 8 : 4;
  const uint16_t source = RmSource(in, in.vector_bytes, out);
  out->Add(op, in.vector_bytes, RegSlot(in), FirstSlot(in), source, 0, lane);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

// hsubps/pd: the pairs of the first source, then the pairs of the second.
bool SubtractPairs(const Instruction& in, BlockBuilder* out) {
  if (IsEvex(in) || (in.pp != Pp::k66 && in.pp != Pp::kF2)) return false;
  const uint32_t lane = in.pp == Pp::k66 ? 8 : 4;
  const int32_t even_lanes = lane == 8 ? 0x00 : 0x88;
  const int32_t odd_lanes = lane == 8 ? 0x0f : 0xdd;
  const uint16_t source = RmSource(in, in.vector_bytes, out);
  out->Add(SOFTLBR_OP_VSHUFFLE2, in.vector_bytes, kResultTemp, FirstSlot(in), source, even_lanes, lane);
  out->Add(SOFTLBR_OP_VSHUFFLE2, in.vector_bytes, kSpareTemp, FirstSlot(in), source, odd_lanes, lane);
  out->Add(SOFTLBR_OP_FSUB, in.vector_bytes, RegSlot(in), kResultTemp, kSpareTemp, 0, lane);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

// roundps, roundpd, roundss, roundsd; EVEX vrndscale only with scale 1.
bool Round(const Instruction& in, BlockBuilder* out) {
  if (in.pp != Pp::k66) return false;
  const uint32_t imm = in.ImmByte();
  if (IsEvex(in) && imm >> 4 != 0) return false;
  const uint32_t lane = (in.opcode & 1) != 0 ? 8 : 4;
  const bool is_scalar = in.opcode >= 0x0a;
  if (is_scalar && (IsMasked(in) || (IsEvex(in) && in.is_broadcast))) return false;
  const uint32_t width = is_scalar ? kXmmBytes : in.vector_bytes;
  const uint16_t source = RmSource(in, is_scalar ? lane : width, lane, out);
  out->Add(SOFTLBR_OP_FROUND, width, WorkSlot(in, RegSlot(in)), is_scalar ? FirstSlot(in) : source, source,
           static_cast<int32_t>(imm & 15u), lane, is_scalar ? uint32_t{SOFTLBR_UOP_SCALAR} : 0);
  Finish(in, RegSlot(in), width, lane, out);
  return true;
}

}  // namespace

bool LiftFloatArithmetic(const Instruction& in, BlockBuilder* out) {
  if (in.map == Map::k0F3A) return in.opcode >= 0x08 && in.opcode <= 0x0b && Round(in, out);
  if (in.map != Map::k0F) return false;
  switch (in.opcode) {
    case 0x51: return Arithmetic(in, SOFTLBR_OP_FSQRT, out);
    case 0x58: return Arithmetic(in, SOFTLBR_OP_FADD, out);
    case 0x59: return Arithmetic(in, SOFTLBR_OP_FMUL, out);
    case 0x5c: return Arithmetic(in, SOFTLBR_OP_FSUB, out);
    case 0x5d: return Arithmetic(in, SOFTLBR_OP_FMIN, out);
    case 0x5e: return Arithmetic(in, SOFTLBR_OP_FDIV, out);
    case 0x5f: return Arithmetic(in, SOFTLBR_OP_FMAX, out);
    case 0x7c: return AcrossLanes(in, SOFTLBR_OP_FHADD, out);
    case 0x7d: return SubtractPairs(in, out);
    case 0xd0: return AcrossLanes(in, SOFTLBR_OP_FADDSUB, out);
    default: return false;
  }
}

}  // namespace softlbr::x86
