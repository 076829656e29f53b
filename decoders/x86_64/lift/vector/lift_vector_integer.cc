// Packed integer arithmetic, logic, compares and shifts. Contract: vector_operands.h.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

constexpr PackedOp kNone = {SOFTLBR_OP_NOP, 0, 0, 0};

constexpr PackedOp Lanes(uint32_t op, uint32_t lane, uint32_t flags = 0) {
  return PackedOp{static_cast<uint8_t>(op), static_cast<uint8_t>(lane), static_cast<uint16_t>(flags),
                  static_cast<uint8_t>(lane)};
}
// For ops whose mask selects lanes of another size than the operands'. mask_lane 0: cannot be masked.
constexpr PackedOp Wider(uint32_t op, uint32_t lane, uint32_t mask_lane, uint32_t flags = 0) {
  return PackedOp{static_cast<uint8_t>(op), static_cast<uint8_t>(lane), static_cast<uint16_t>(flags),
                  static_cast<uint8_t>(mask_lane)};
}
constexpr uint32_t kSigned = SOFTLBR_UOP_SIGNED;

bool IsShift(const PackedOp& packed) {
  return packed.op == SOFTLBR_OP_VSHL || packed.op == SOFTLBR_OP_VSHR || packed.op == SOFTLBR_OP_VSAR;
}

}  // namespace

PackedOp PackedInteger0F(const Instruction& in) {
  switch (in.opcode) {
    case 0x60: return Lanes(SOFTLBR_OP_VUNPACK_LOW, 1);
    case 0x61: return Lanes(SOFTLBR_OP_VUNPACK_LOW, 2);
    case 0x62: return Lanes(SOFTLBR_OP_VUNPACK_LOW, 4);
    case 0x63: return Wider(SOFTLBR_OP_VPACK, 2, 1, kSigned);
    case 0x64: return Wider(SOFTLBR_OP_VCMP_GT, 1, 0, kSigned);
    case 0x65: return Wider(SOFTLBR_OP_VCMP_GT, 2, 0, kSigned);
    case 0x66: return Wider(SOFTLBR_OP_VCMP_GT, 4, 0, kSigned);
    case 0x67: return Wider(SOFTLBR_OP_VPACK, 2, 1);
    case 0x68: return Lanes(SOFTLBR_OP_VUNPACK_HIGH, 1);
    case 0x69: return Lanes(SOFTLBR_OP_VUNPACK_HIGH, 2);
    case 0x6a: return Lanes(SOFTLBR_OP_VUNPACK_HIGH, 4);
    case 0x6b: return Wider(SOFTLBR_OP_VPACK, 4, 2, kSigned);
    case 0x6c: return Lanes(SOFTLBR_OP_VUNPACK_LOW, 8);
    case 0x6d: return Lanes(SOFTLBR_OP_VUNPACK_HIGH, 8);
    case 0x74: return Wider(SOFTLBR_OP_VCMP_EQ, 1, 0);
    case 0x75: return Wider(SOFTLBR_OP_VCMP_EQ, 2, 0);
    case 0x76: return Wider(SOFTLBR_OP_VCMP_EQ, 4, 0);
    case 0xd1: return Lanes(SOFTLBR_OP_VSHR, 2);
    case 0xd2: return Lanes(SOFTLBR_OP_VSHR, 4);
    case 0xd3: return Lanes(SOFTLBR_OP_VSHR, 8);
    case 0xd4: return Lanes(SOFTLBR_OP_VADD, 8);
    case 0xd5: return Lanes(SOFTLBR_OP_VMUL_LOW, 2);
    case 0xd8: return Lanes(SOFTLBR_OP_VSUB_SAT, 1);
    case 0xd9: return Lanes(SOFTLBR_OP_VSUB_SAT, 2);
    case 0xda: return Lanes(SOFTLBR_OP_VMIN, 1);
    case 0xdb: return Lanes(SOFTLBR_OP_VAND, LaneByW(in));
    case 0xdc: return Lanes(SOFTLBR_OP_VADD_SAT, 1);
    case 0xdd: return Lanes(SOFTLBR_OP_VADD_SAT, 2);
    case 0xde: return Lanes(SOFTLBR_OP_VMAX, 1);
    case 0xdf: return Lanes(SOFTLBR_OP_VANDN, LaneByW(in));
    case 0xe0: return Lanes(SOFTLBR_OP_VAVERAGE, 1);
    case 0xe1: return Lanes(SOFTLBR_OP_VSAR, 2);
    case 0xe2: return Lanes(SOFTLBR_OP_VSAR, IsEvex(in) && in.w ? 8 : 4);
    case 0xe3: return Lanes(SOFTLBR_OP_VAVERAGE, 2);
    case 0xe4: return Lanes(SOFTLBR_OP_VMUL_HIGH, 2);
    case 0xe5: return Lanes(SOFTLBR_OP_VMUL_HIGH, 2, kSigned);
    case 0xe8: return Lanes(SOFTLBR_OP_VSUB_SAT, 1, kSigned);
    case 0xe9: return Lanes(SOFTLBR_OP_VSUB_SAT, 2, kSigned);
    case 0xea: return Lanes(SOFTLBR_OP_VMIN, 2, kSigned);
    case 0xeb: return Lanes(SOFTLBR_OP_VOR, LaneByW(in));
    case 0xec: return Lanes(SOFTLBR_OP_VADD_SAT, 1, kSigned);
    case 0xed: return Lanes(SOFTLBR_OP_VADD_SAT, 2, kSigned);
    case 0xee: return Lanes(SOFTLBR_OP_VMAX, 2, kSigned);
    case 0xef: return Lanes(SOFTLBR_OP_VXOR, LaneByW(in));
    case 0xf1: return Lanes(SOFTLBR_OP_VSHL, 2);
    case 0xf2: return Lanes(SOFTLBR_OP_VSHL, 4);
    case 0xf3: return Lanes(SOFTLBR_OP_VSHL, 8);
    case 0xf4: return Lanes(SOFTLBR_OP_VMUL_EVEN, 8);
    case 0xf5: return Wider(SOFTLBR_OP_VMUL_ADD_PAIRS, 2, 4);
    case 0xf6: return Wider(SOFTLBR_OP_VSUM_ABS_DIFF, 1, 0);
    case 0xf8: return Lanes(SOFTLBR_OP_VSUB, 1);
    case 0xf9: return Lanes(SOFTLBR_OP_VSUB, 2);
    case 0xfa: return Lanes(SOFTLBR_OP_VSUB, 4);
    case 0xfb: return Lanes(SOFTLBR_OP_VSUB, 8);
    case 0xfc: return Lanes(SOFTLBR_OP_VADD, 1);
    case 0xfd: return Lanes(SOFTLBR_OP_VADD, 2);
    case 0xfe: return Lanes(SOFTLBR_OP_VADD, 4);
    default: return kNone;
  }
}

PackedOp PackedInteger0F38(const Instruction& in) {
  const uint32_t wide = IsEvex(in) && in.w ? 8 : 4;  // the EVEX.W1 forms on quadwords
  switch (in.opcode) {
    case 0x00: return Lanes(SOFTLBR_OP_VSHUFFLE_BYTES, 1);
    case 0x04: return Wider(SOFTLBR_OP_VMUL_ADD_UBSB, 1, 2);
    case 0x10: return IsEvex(in) && in.w ? Lanes(SOFTLBR_OP_VSHR_LANES, 2) : kNone;
    case 0x11: return IsEvex(in) && in.w ? Lanes(SOFTLBR_OP_VSAR_LANES, 2) : kNone;
    case 0x12: return IsEvex(in) && in.w ? Lanes(SOFTLBR_OP_VSHL_LANES, 2) : kNone;
    case 0x28: return Lanes(SOFTLBR_OP_VMUL_EVEN, 8, kSigned);
    case 0x29: return Wider(SOFTLBR_OP_VCMP_EQ, 8, 0);
    case 0x2b: return Wider(SOFTLBR_OP_VPACK, 4, 2);
    case 0x37: return Wider(SOFTLBR_OP_VCMP_GT, 8, 0, kSigned);
    case 0x38: return Lanes(SOFTLBR_OP_VMIN, 1, kSigned);
    case 0x39: return Lanes(SOFTLBR_OP_VMIN, wide, kSigned);
    case 0x3a: return Lanes(SOFTLBR_OP_VMIN, 2);
    case 0x3b: return Lanes(SOFTLBR_OP_VMIN, wide);
    case 0x3c: return Lanes(SOFTLBR_OP_VMAX, 1, kSigned);
    case 0x3d: return Lanes(SOFTLBR_OP_VMAX, wide, kSigned);
    case 0x3e: return Lanes(SOFTLBR_OP_VMAX, 2);
    case 0x3f: return Lanes(SOFTLBR_OP_VMAX, wide);
    case 0x40: return wide == 4 ? Lanes(SOFTLBR_OP_VMUL_LOW, 4) : kNone;
    case 0x45: return IsLegacy(in) ? kNone : Lanes(SOFTLBR_OP_VSHR_LANES, LaneByW(in));
    case 0x46: return IsLegacy(in) ? kNone : Lanes(SOFTLBR_OP_VSAR_LANES, wide);
    case 0x47: return IsLegacy(in) ? kNone : Lanes(SOFTLBR_OP_VSHL_LANES, LaneByW(in));
    default: return kNone;
  }
}

PackedOp ShiftByImmediate(const Instruction& in) {
  const uint32_t extension = in.Extension();
  const uint32_t lane = in.opcode == 0x71 ? 2 : in.opcode == 0x72 ? 4 : 8;
  switch (extension) {
    case 2: return Lanes(SOFTLBR_OP_VSHR, lane);
    case 4:
      if (in.opcode == 0x73) return kNone;
      return Lanes(SOFTLBR_OP_VSAR, in.opcode == 0x72 && IsEvex(in) && in.w ? 8 : lane);
    case 6: return Lanes(SOFTLBR_OP_VSHL, lane);
    case 3: return in.opcode == 0x73 ? Wider(SOFTLBR_OP_VBYTE_SHR, 1, 0) : kNone;
    case 7: return in.opcode == 0x73 ? Wider(SOFTLBR_OP_VBYTE_SHL, 1, 0) : kNone;
    default: return kNone;
  }
}

namespace {

bool LiftShiftByImmediate(const Instruction& in, BlockBuilder* out) {
  if (IsLegacy(in) && in.IsMemory()) return false;
  const PackedOp packed = ShiftByImmediate(in);
  if (packed.op == SOFTLBR_OP_NOP || (IsMasked(in) && packed.mask_lane == 0)) return false;
  if (IsEvex(in) && in.is_broadcast && packed.lane < 4) return false;
  const uint16_t source = RmSource(in, in.vector_bytes, packed.lane, out);
  const uint16_t destination = VectorSlot(IsLegacy(in) ? in.rm : in.vvvv);
  out->Add(packed.op, in.vector_bytes, WorkSlot(in, destination), source, 0, in.ImmByte(), packed.lane,
           packed.flags | SOFTLBR_UOP_B_IMM);
  Finish(in, destination, in.vector_bytes, packed.mask_lane, out);
  return true;
}

bool LiftPacked(const Instruction& in, const PackedOp& packed, BlockBuilder* out) {
  // EVEX compares write a mask register (lift_vector_mask.cc); psadbw has no masked form.
  const bool is_compare = packed.op == SOFTLBR_OP_VCMP_EQ || packed.op == SOFTLBR_OP_VCMP_GT;
  if (IsEvex(in) && (is_compare || (IsMasked(in) && packed.mask_lane == 0))) return false;
  const bool is_shift = IsShift(packed);
  if (IsEvex(in) && in.is_broadcast && (packed.lane < 4 || is_shift)) return false;
  const uint16_t source = RmSource(in, is_shift ? kXmmBytes : in.vector_bytes, packed.lane, out);
  out->Add(packed.op, in.vector_bytes, WorkSlot(in, RegSlot(in)), FirstSlot(in), source, 0, packed.lane, packed.flags);
  Finish(in, RegSlot(in), in.vector_bytes, packed.mask_lane, out);
  return true;
}

// Operations with one source.
bool LiftUnary(const Instruction& in, uint32_t op, uint32_t lane, BlockBuilder* out) {
  if (IsEvex(in) && in.is_broadcast && lane < 4) return false;
  const uint16_t source = RmSource(in, in.vector_bytes, lane, out);
  out->Add(op, in.vector_bytes, WorkSlot(in, RegSlot(in)), source, 0, 0, lane);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

bool Integer0F(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x71: case 0x72: case 0x73:
      return in.pp == Pp::k66 && LiftShiftByImmediate(in, out);
    case 0x50: {  // movmskps, movmskpd
      if (IsScalarPrefix(in) || in.IsMemory() || IsEvex(in)) return false;
      out->Add(SOFTLBR_OP_VMASK_BITS, in.vector_bytes, GprSlot(in.reg), VectorSlot(in.rm), 0, 0, FloatLane(in));
      return true;
    }
    case 0x54: case 0x55: case 0x56: case 0x57: {
      static constexpr uint8_t kOps[] = {SOFTLBR_OP_VAND, SOFTLBR_OP_VANDN, SOFTLBR_OP_VOR, SOFTLBR_OP_VXOR};
      if (IsScalarPrefix(in)) return false;
      return LiftPacked(in, Lanes(kOps[in.opcode - 0x54], FloatLane(in)), out);
    }
    case 0xd7:
      if (in.pp != Pp::k66 || in.IsMemory() || IsEvex(in)) return false;
      out->Add(SOFTLBR_OP_VMASK_BITS, in.vector_bytes, GprSlot(in.reg), VectorSlot(in.rm), 0, 0, 1);
      return true;
    default: {
      if (in.pp != Pp::k66) return false;
      const PackedOp packed = PackedInteger0F(in);
      return packed.op != SOFTLBR_OP_NOP && LiftPacked(in, packed, out);
    }
  }
  // clang-format on
}

bool Integer0F38(const Instruction& in, BlockBuilder* out) {
  if (in.pp != Pp::k66) return false;
  switch (in.opcode) {
    case 0x17: {  // ptest
      if (IsEvex(in)) return false;
      const uint16_t source = RmSource(in, in.vector_bytes, out);
      out->Add(SOFTLBR_OP_VTEST, in.vector_bytes, 0, RegSlot(in), source, 0, 0, SOFTLBR_UOP_SET_FLAGS);
      return true;
    }
    case 0x1c: return LiftUnary(in, SOFTLBR_OP_VABS, 1, out);
    case 0x1d: return LiftUnary(in, SOFTLBR_OP_VABS, 2, out);
    case 0x1e: return LiftUnary(in, SOFTLBR_OP_VABS, 4, out);
    case 0x1f: return IsEvex(in) && LiftUnary(in, SOFTLBR_OP_VABS, 8, out);
    default: {
      const PackedOp packed = PackedInteger0F38(in);
      return packed.op != SOFTLBR_OP_NOP && LiftPacked(in, packed, out);
    }
  }
}

bool Integer0F3A(const Instruction& in, BlockBuilder* out) {
  if (in.pp != Pp::k66) return false;
  switch (in.opcode) {
    case 0x25: {  // vpternlogd, vpternlogq
      if (!IsEvex(in)) return false;
      const uint32_t lane = LaneByW(in);
      const uint16_t source = RmSource(in, in.vector_bytes, lane, out);
      const uint16_t work = WorkSlot(in, RegSlot(in));
      if (work != RegSlot(in)) out->Add(SOFTLBR_OP_VMOV, in.vector_bytes, work, RegSlot(in));
      out->Add(SOFTLBR_OP_VTERNARY, in.vector_bytes, work, VectorSlot(in.vvvv), source, in.ImmByte(), lane);
      Finish(in, RegSlot(in), in.vector_bytes, lane, out);
      return true;
    }
    case 0x44: {  // pclmulqdq
      if (in.vector_bytes != kXmmBytes || IsMasked(in)) return false;
      const uint16_t source = RmSource(in, kXmmBytes, out);
      out->Add(SOFTLBR_OP_CARRYLESS_MUL, kXmmBytes, RegSlot(in), FirstSlot(in), source, in.ImmByte(), 8);
      Finish(in, RegSlot(in), kXmmBytes, 8, out);
      return true;
    }
    case 0x63: {  // pcmpistri
      if (IsEvex(in) || in.vector_bytes != kXmmBytes) return false;
      const uint16_t source = RmSource(in, kXmmBytes, out);
      out->Add(SOFTLBR_OP_STRING_INDEX, kXmmBytes, SOFTLBR_X86_RCX, RegSlot(in), source, in.ImmByte(), 0,
               SOFTLBR_UOP_SET_FLAGS);
      return true;
    }
    default: return false;
  }
}

}  // namespace

bool LiftVectorInteger(const Instruction& in, BlockBuilder* out) {
  switch (in.map) {
    case Map::k0F: return Integer0F(in, out);
    case Map::k0F38: return Integer0F38(in, out);
    case Map::k0F3A: return Integer0F3A(in, out);
    default: return false;
  }
}

}  // namespace softlbr::x86
