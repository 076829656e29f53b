// AVX-512 mask registers: moves, logic, tests, and the compares that write them. Contract: vector_operands.h.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

constexpr uint8_t kFlagsZeroed = SOFTLBR_FLAG_P | SOFTLBR_FLAG_A | SOFTLBR_FLAG_S | SOFTLBR_FLAG_V;

// Bytes of the VEX-coded mask operations, by prefix and W: none w/q, 66 b/d.
uint32_t MaskBytes(const Instruction& in) {
  if (in.pp == Pp::k66) return in.w ? 4 : 1;
  return in.w ? 8 : 2;
}
// kmov with general registers: none w, 66 b, F2 d/q.
uint32_t MaskBytesOfMove(const Instruction& in) {
  if (in.pp == Pp::kF2) return in.w ? 8 : 4;
  return in.pp == Pp::k66 ? 1 : 2;
}

// Flags of kortest and ktest. Z is set already; C was computed as a Z and saved in `carry`; the others are 0.
void FinishFlags(uint16_t carry, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_FLAGS_CONST, 8, 0, 0, 0, kFlagsZeroed, 0);
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, carry, 0, SOFTLBR_FLAG_C);
}

void LiftTest(uint16_t a, uint16_t b, uint32_t bytes, bool is_or, BlockBuilder* out) {
  const uint16_t value = out->Temp();
  const uint16_t carry = out->Temp();
  if (is_or) {  // kortest: C = all ones, i.e. the complement is 0
    out->Add(SOFTLBR_OP_OR, bytes, value, a, b);
    const uint16_t complement = out->Temp();
    out->Add(SOFTLBR_OP_NOT, bytes, complement, value);
    out->Add(SOFTLBR_OP_AND, bytes, complement, complement, complement, 0, 0, SOFTLBR_UOP_SET_FLAGS);
    out->Add(SOFTLBR_OP_SETCC, 8, carry, 0, 0, 0, SOFTLBR_COND_Z);
    out->Add(SOFTLBR_OP_AND, bytes, value, value, value, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  } else {  // ktest: C = (~a & b) == 0, Z = (a & b) == 0
    out->Add(SOFTLBR_OP_ANDN, bytes, value, a, b, 0, 0, SOFTLBR_UOP_SET_FLAGS);
    out->Add(SOFTLBR_OP_SETCC, 8, carry, 0, 0, 0, SOFTLBR_COND_Z);
    out->Add(SOFTLBR_OP_AND, bytes, value, a, b, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  }
  FinishFlags(carry, out);
}

bool LiftUnpack(const Instruction& in, BlockBuilder* out) {
  const uint32_t half = in.pp == Pp::k66 ? 1 : in.w ? 4 : 2;
  const uint16_t low = out->Temp();
  const uint16_t high = out->Temp();
  out->Add(SOFTLBR_OP_ZERO_EXTEND, 2 * half, low, MaskSlot(in.rm), 0, 0, half);
  out->Add(SOFTLBR_OP_SHL, 8, high, MaskSlot(in.vvvv), 0, static_cast<int32_t>(8 * half), 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_OR, 2 * half, MaskSlot(in.reg), low, high);
  return true;
}

bool Mask0F(const Instruction& in, BlockBuilder* out) {
  const uint32_t bytes = MaskBytes(in);
  const uint16_t destination = MaskSlot(in.reg);
  const uint16_t a = MaskSlot(in.vvvv);
  const uint16_t b = MaskSlot(in.rm);
  if (in.opcode != 0x90 && in.opcode != 0x91 && in.IsMemory()) return false;
  switch (in.opcode) {
    case 0x41: out->Add(SOFTLBR_OP_AND, bytes, destination, a, b); return true;
    case 0x42: out->Add(SOFTLBR_OP_ANDN, bytes, destination, a, b); return true;
    case 0x44: out->Add(SOFTLBR_OP_NOT, bytes, destination, b); return true;
    case 0x45: out->Add(SOFTLBR_OP_OR, bytes, destination, a, b); return true;
    case 0x46:
      out->Add(SOFTLBR_OP_XOR, bytes, destination, a, b);
      out->Add(SOFTLBR_OP_NOT, bytes, destination, destination);
      return true;
    case 0x47: out->Add(SOFTLBR_OP_XOR, bytes, destination, a, b); return true;
    case 0x4a: out->Add(SOFTLBR_OP_ADD, bytes, destination, a, b); return true;
    case 0x4b: return LiftUnpack(in, out);
    case 0x90:
      if (in.IsMemory()) {
        AddMemory(SOFTLBR_OP_LOAD, bytes, destination, MemoryAddress(in, out), 0, out);
      } else {
        out->Add(SOFTLBR_OP_MOV, bytes, destination, b);
      }
      return true;
    case 0x91:
      if (!in.IsMemory()) return false;
      AddMemory(SOFTLBR_OP_STORE, bytes, destination, MemoryAddress(in, out), 0, out);
      return true;
    case 0x92: out->Add(SOFTLBR_OP_MOV, MaskBytesOfMove(in), destination, GprSlot(in.rm)); return true;
    case 0x93: out->Add(SOFTLBR_OP_MOV, MaskBytesOfMove(in), GprSlot(in.reg), b); return true;
    case 0x98: LiftTest(destination, b, bytes, true, out); return true;
    case 0x99: LiftTest(destination, b, bytes, false, out); return true;
    default: return false;
  }
}

// kshiftl, kshiftr.
bool MaskShift(const Instruction& in, BlockBuilder* out) {
  if (in.pp != Pp::k66 || in.IsMemory()) return false;
  const bool is_wide = (in.opcode & 1) != 0;
  const uint32_t bytes = is_wide ? (in.w ? 8 : 4) : (in.w ? 2 : 1);
  const uint32_t count = in.ImmByte();
  if (count >= 8 * bytes) {
    out->Add(SOFTLBR_OP_CONST, 8, MaskSlot(in.reg), 0);
  } else {
    out->Add(in.opcode < 0x32 ? SOFTLBR_OP_SHR : SOFTLBR_OP_SHL, bytes, MaskSlot(in.reg), MaskSlot(in.rm), 0,
             static_cast<int32_t>(count), 0, SOFTLBR_UOP_B_IMM);
  }
  return true;
}

// Writes a lane-wise result to k, under the instruction's mask.
bool IntoMask(const Instruction& in, uint32_t op, uint32_t lane, uint32_t imm, uint32_t flags, BlockBuilder* out) {
  if (in.is_zeroing || (in.is_broadcast && lane < 4)) return false;
  const uint16_t source = RmSource(in, in.vector_bytes, lane, out);
  const uint16_t destination = MaskSlot(in.reg);
  const uint16_t work = IsMasked(in) ? out->Temp() : destination;
  out->Add(op, in.vector_bytes, work, VectorSlot(in.vvvv), source, static_cast<int32_t>(imm), lane, flags);
  if (IsMasked(in)) out->Add(SOFTLBR_OP_AND, 8, destination, work, MaskSlot(in.mask));
  return true;
}

constexpr uint32_t kPredicateEqual = 0;
constexpr uint32_t kPredicateGreater = 6;

bool CompareIntoMask(const Instruction& in, uint32_t lane, uint32_t predicate, bool is_signed, BlockBuilder* out) {
  return IntoMask(in, SOFTLBR_OP_VCMP_MASK, lane, predicate, is_signed ? uint32_t{SOFTLBR_UOP_SIGNED} : 0, out);
}

// vpblendm, vblendm: lanes come from rm where the mask bit is set, else from the first source or zero.
bool BlendByMask(const Instruction& in, uint32_t lane, BlockBuilder* out) {
  if (in.is_broadcast && lane < 4) return false;
  const uint16_t source = RmSource(in, in.vector_bytes, lane, out);
  if (!IsMasked(in)) {
    out->Add(SOFTLBR_OP_VMOV, in.vector_bytes, RegSlot(in), source);
  } else {
    uint16_t otherwise = VectorSlot(in.vvvv);
    if (in.is_zeroing) {
      otherwise = kZeroTemp;
      out->Add(SOFTLBR_OP_VZERO_ABOVE, 0, kZeroTemp, 0);
    }
    out->Add(SOFTLBR_OP_VSELECT_MASK, in.vector_bytes, RegSlot(in), source, otherwise, MaskSlot(in.mask), lane);
  }
  if (in.vector_bytes < 64) out->Add(SOFTLBR_OP_VZERO_ABOVE, in.vector_bytes, RegSlot(in), 0);
  return true;
}

bool Evex0F(const Instruction& in, BlockBuilder* out) {
  if (in.pp != Pp::k66) return false;
  // clang-format off
  switch (in.opcode) {
    case 0x64: case 0x65: case 0x66:
      return CompareIntoMask(in, 1u << (in.opcode - 0x64), kPredicateGreater, true, out);
    case 0x74: case 0x75: case 0x76:
      return CompareIntoMask(in, 1u << (in.opcode - 0x74), kPredicateEqual, true, out);
    default: return false;
  }
  // clang-format on
}

bool Evex0F38(const Instruction& in, BlockBuilder* out) {
  const uint32_t by_w = LaneByW(in);
  const uint32_t narrow_by_w = in.w ? 2 : 1;
  if (in.pp == Pp::kF3) {
    // clang-format off
    switch (in.opcode) {
      case 0x26: return IntoMask(in, SOFTLBR_OP_VTEST_MASK, narrow_by_w, 0, SOFTLBR_UOP_NEGATE, out);
      case 0x27: return IntoMask(in, SOFTLBR_OP_VTEST_MASK, by_w, 0, SOFTLBR_UOP_NEGATE, out);
      case 0x28: case 0x38: {  // vpmovm2b and so on
        if (in.IsMemory() || IsMasked(in)) return false;
        out->Add(SOFTLBR_OP_VMASK_TO_LANES, in.vector_bytes, RegSlot(in), MaskSlot(in.rm), 0, 0,
                 in.opcode == 0x28 ? narrow_by_w : by_w);
        if (in.vector_bytes < 64) out->Add(SOFTLBR_OP_VZERO_ABOVE, in.vector_bytes, RegSlot(in), 0);
        return true;
      }
      case 0x29: case 0x39: {  // vpmovb2m and so on
        if (in.IsMemory() || IsMasked(in)) return false;
        out->Add(SOFTLBR_OP_VMASK_BITS, in.vector_bytes, MaskSlot(in.reg), VectorSlot(in.rm), 0, 0,
                 in.opcode == 0x29 ? narrow_by_w : by_w);
        return true;
      }
      default: return false;
    }
    // clang-format on
  }
  if (in.pp != Pp::k66) return false;
  // clang-format off
  switch (in.opcode) {
    case 0x26: return IntoMask(in, SOFTLBR_OP_VTEST_MASK, narrow_by_w, 0, 0, out);
    case 0x27: return IntoMask(in, SOFTLBR_OP_VTEST_MASK, by_w, 0, 0, out);
    case 0x29: return CompareIntoMask(in, 8, kPredicateEqual, true, out);
    case 0x37: return CompareIntoMask(in, 8, kPredicateGreater, true, out);
    case 0x64: case 0x65: return BlendByMask(in, by_w, out);
    case 0x66: return BlendByMask(in, narrow_by_w, out);
    default: return false;
  }
  // clang-format on
}

bool Evex0F3A(const Instruction& in, BlockBuilder* out) {
  if (in.pp != Pp::k66) return false;
  const uint32_t predicate = in.ImmByte() & 7u;
  switch (in.opcode) {
    case 0x1e: return CompareIntoMask(in, LaneByW(in), predicate, false, out);
    case 0x1f: return CompareIntoMask(in, LaneByW(in), predicate, true, out);
    case 0x3e: return CompareIntoMask(in, in.w ? 2 : 1, predicate, false, out);
    case 0x3f: return CompareIntoMask(in, in.w ? 2 : 1, predicate, true, out);
    default: return false;
  }
}

}  // namespace

bool LiftVectorMask(const Instruction& in, BlockBuilder* out) {
  if (in.encoding == Encoding::kVex) {
    if (in.map == Map::k0F) return Mask0F(in, out);
    return in.map == Map::k0F3A && in.opcode >= 0x30 && in.opcode <= 0x33 && MaskShift(in, out);
  }
  if (!IsEvex(in)) return false;
  switch (in.map) {
    case Map::k0F: return Evex0F(in, out);
    case Map::k0F38: return Evex0F38(in, out);
    case Map::k0F3A: return Evex0F3A(in, out);
    default: return false;
  }
}

}  // namespace softlbr::x86
