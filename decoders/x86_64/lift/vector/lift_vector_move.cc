// Whole-vector and scalar moves between registers and memory. Contract: vector_operands.h.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

// A store to memory, or a move into the register modrm.rm.
bool StoreVector(const Instruction& in, uint32_t width, uint32_t lane, BlockBuilder* out) {
  const uint16_t source = RegSlot(in);
  if (!in.IsMemory()) {
    const uint16_t destination = VectorSlot(in.rm);
    out->Add(SOFTLBR_OP_VMOV, width, WorkSlot(in, destination), source);
    Finish(in, destination, width, lane, out);
    return true;
  }
  if (IsMasked(in)) {
    if (in.is_zeroing) return false;
    // Masked-off bytes are written back as they were read, which a single-threaded observer cannot distinguish.
    const Address address = MemoryAddress(in, out);
    AddMemory(SOFTLBR_OP_VLOAD, width, kResultTemp, address, 0, out);
    out->Add(SOFTLBR_OP_VSELECT_MASK, width, kResultTemp, source, kResultTemp, MaskSlot(in.mask), lane);
    AddMemory(SOFTLBR_OP_VSTORE, width, kResultTemp, address, 0, out);
    return true;
  }
  AddMemory(SOFTLBR_OP_VSTORE, width, source, MemoryAddress(in, out), 0, out);
  return true;
}

bool LoadVector(const Instruction& in, uint32_t width, uint32_t lane, BlockBuilder* out) {
  const uint16_t destination = RegSlot(in);
  const uint16_t work = WorkSlot(in, destination);
  if (in.IsMemory()) {
    AddMemory(SOFTLBR_OP_VLOAD, width, work, MemoryAddress(in, out), 0, out);
  } else {
    out->Add(SOFTLBR_OP_VMOV, width, work, VectorSlot(in.rm));
  }
  Finish(in, destination, width, lane, out);
  return true;
}

// Bytes [8, 16) become 0, and unless the form is legacy all bytes above.
void ZeroAboveLow8(const Instruction& in, uint16_t destination, BlockBuilder* out) {
  if (IsLegacy(in)) {
    out->Add(SOFTLBR_OP_CONST, 8, destination + 1u, 0);
  } else {
    out->Add(SOFTLBR_OP_VZERO_ABOVE, 8, destination, 0);
  }
}
void ZeroAboveXmm(const Instruction& in, uint16_t destination, BlockBuilder* out) {
  if (!IsLegacy(in)) out->Add(SOFTLBR_OP_VZERO_ABOVE, kXmmBytes, destination, 0);
}

// movss, movsd. is_store: opcode 11.
bool MoveScalar(const Instruction& in, bool is_store, BlockBuilder* out) {
  if (IsMasked(in)) return false;
  const uint32_t bytes = FloatLane(in);
  if (in.IsMemory()) {
    const Address address = MemoryAddress(in, out);
    if (is_store) {
      AddMemory(SOFTLBR_OP_STORE, bytes, RegSlot(in), address, 0, out);
    } else {
      AddMemory(SOFTLBR_OP_LOAD, bytes, RegSlot(in), address, 0, out);
      ZeroAboveLow8(in, RegSlot(in), out);
    }
    return true;
  }
  const uint16_t destination = VectorSlot(is_store ? in.rm : in.reg);
  const uint16_t source = VectorSlot(is_store ? in.reg : in.rm);
  uint16_t low = source;
  if (!IsLegacy(in) && destination != VectorSlot(in.vvvv)) {
    if (destination == source) {
      low = out->Temp();
      out->Add(SOFTLBR_OP_MOV, 8, low, source);
    }
    out->Add(SOFTLBR_OP_VMOV, kXmmBytes, destination, VectorSlot(in.vvvv));
  }
  out->Add(SOFTLBR_OP_MOV, bytes, destination, low, 0, 0, 0, SOFTLBR_UOP_MERGE);
  ZeroAboveXmm(in, destination, out);
  return true;
}

// Opcodes 12 and 16 without F3/F2: half of the register from memory or from another register's half.
bool MoveHalf(const Instruction& in, bool is_high, BlockBuilder* out) {
  if (IsMasked(in) || (in.pp == Pp::k66 && !in.IsMemory())) return false;
  const uint16_t destination = RegSlot(in);
  const uint16_t half = static_cast<uint16_t>(destination + (is_high ? 1 : 0));
  const uint32_t other = is_high ? 0 : 1;
  if (in.IsMemory()) {
    AddMemory(SOFTLBR_OP_LOAD, 8, half, MemoryAddress(in, out), 0, out);
  } else {  // movhlps takes the source's high half, movlhps its low one
    out->Add(SOFTLBR_OP_MOV, 8, half, VectorSlot(in.rm) + other);
  }
  if (!IsLegacy(in) && in.vvvv != in.reg) out->Add(SOFTLBR_OP_MOV, 8, destination + other, VectorSlot(in.vvvv) + other);
  ZeroAboveXmm(in, destination, out);
  return true;
}

// movd, movq from a general register or memory to a vector register.
bool FromGeneral(const Instruction& in, BlockBuilder* out) {
  const uint32_t bytes = LaneByW(in);
  if (in.IsMemory()) {
    AddMemory(SOFTLBR_OP_LOAD, bytes, RegSlot(in), MemoryAddress(in, out), 0, out);
  } else {
    out->Add(SOFTLBR_OP_MOV, bytes, RegSlot(in), GprSlot(in.rm));
  }
  ZeroAboveLow8(in, RegSlot(in), out);
  return true;
}
bool ToGeneral(const Instruction& in, BlockBuilder* out) {
  const uint32_t bytes = LaneByW(in);
  if (in.IsMemory()) {
    AddMemory(SOFTLBR_OP_STORE, bytes, RegSlot(in), MemoryAddress(in, out), 0, out);
  } else {
    out->Add(SOFTLBR_OP_MOV, bytes, GprSlot(in.rm), RegSlot(in));
  }
  return true;
}
// movq between vector registers, or between a vector register and memory.
bool MoveLow8(const Instruction& in, bool is_store, BlockBuilder* out) {
  const uint16_t destination = VectorSlot(is_store && !in.IsMemory() ? in.rm : in.reg);
  if (in.IsMemory()) {
    const Address address = MemoryAddress(in, out);
    AddMemory(is_store ? SOFTLBR_OP_STORE : SOFTLBR_OP_LOAD, 8, RegSlot(in), address, 0, out);
    if (is_store) return true;
  } else {
    out->Add(SOFTLBR_OP_MOV, 8, destination, VectorSlot(is_store ? in.reg : in.rm));
  }
  ZeroAboveLow8(in, destination, out);
  return true;
}

// Lane size of the mask of whole-vector moves.
uint32_t IntegerMoveLane(const Instruction& in) {
  if (in.pp == Pp::kF2) return in.w ? 2 : 1;  // vmovdqu16, vmovdqu8
  return LaneByW(in);
}

bool Move0F(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.vector_bytes;
  // clang-format off
  switch (in.opcode) {
    case 0x10: case 0x11:
      if (IsScalarPrefix(in)) return MoveScalar(in, in.opcode == 0x11, out);
      [[fallthrough]];
    case 0x28: case 0x29:
      if (IsScalarPrefix(in)) return false;
      return (in.opcode & 1) == 0 ? LoadVector(in, width, FloatLane(in), out)
          : StoreVector(in, width, FloatLane(in), out);
    case 0x12: case 0x16:
      return !IsScalarPrefix(in) && MoveHalf(in, in.opcode == 0x16, out);
    case 0x13: case 0x17:
      if (!in.IsMemory() || IsScalarPrefix(in) || IsMasked(in)) return false;
      AddMemory(SOFTLBR_OP_STORE, 8, RegSlot(in) + (in.opcode == 0x17 ? 1u : 0u), MemoryAddress(in, out), 0, out);
      return true;
    case 0x2b:
      return in.IsMemory() && !IsScalarPrefix(in) && !IsMasked(in) && StoreVector(in, width, FloatLane(in), out);
    case 0x6e:
      return in.pp == Pp::k66 && !IsMasked(in) && FromGeneral(in, out);
    case 0x6f:
      return in.pp != Pp::kNone && (in.pp != Pp::kF2 || IsEvex(in)) && LoadVector(in, width, IntegerMoveLane(in), out);
    case 0x77: {  // vzeroupper, vzeroall
      if (in.encoding != Encoding::kVex) return false;
      const uint32_t kept = in.vector_bytes == kXmmBytes ? kXmmBytes : 0;
      out->Add(SOFTLBR_OP_VZERO_ABOVE, kept, VectorSlot(0), 0, 0, 15);
      return true;
    }
    case 0x7e:
      if (IsMasked(in)) return false;
      if (in.pp == Pp::k66) return ToGeneral(in, out);
      return in.pp == Pp::kF3 && MoveLow8(in, false, out);
    case 0x7f:
      return in.pp != Pp::kNone && (in.pp != Pp::kF2 || IsEvex(in)) && StoreVector(in, width, IntegerMoveLane(in), out);
    case 0xd6:
      return in.pp == Pp::k66 && !IsMasked(in) && MoveLow8(in, true, out);
    case 0xe7:
      return in.pp == Pp::k66 && in.IsMemory() && !IsMasked(in) && StoreVector(in, width, 4, out);
    case 0xf0:
      return in.pp == Pp::kF2 && in.IsMemory() && !IsEvex(in) && LoadVector(in, width, 4, out);
    default:
      return false;
  }
  // clang-format on
}

}  // namespace

bool LiftVectorMove(const Instruction& in, BlockBuilder* out) {
  if (IsEvex(in) && in.is_broadcast) return false;
  if (in.map == Map::k0F) return Move0F(in, out);
  if (in.map == Map::k0F38 && in.opcode == 0x2a)  // movntdqa
    return in.pp == Pp::k66 && in.IsMemory() && !IsMasked(in) && LoadVector(in, in.vector_bytes, 4, out);
  return false;
}

}  // namespace softlbr::x86
