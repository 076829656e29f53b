// MMX: packed operations on 8-byte registers. Contract: vector_operands.h.
//
// mm registers share the x87 registers. Their slots are the physical registers, so an x87 instruction clobbers all of
// them.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

bool LiftMmxPacked(const Instruction& in, const PackedOp& packed, BlockBuilder* out) {
  if (packed.op == SOFTLBR_OP_NOP) return false;
  const bool is_half_load = packed.op == SOFTLBR_OP_VUNPACK_LOW;
  const uint16_t source = MmxSource(in, is_half_load ? 4 : kMmxBytes, out);
  out->Add(packed.op, kMmxBytes, MmxSlot(in.reg), MmxSlot(in.reg), source, 0, packed.lane, packed.flags);
  return true;
}

bool Mmx0F(const Instruction& in, BlockBuilder* out) {
  const uint16_t destination = MmxSlot(in.reg);
  // clang-format off
  switch (in.opcode) {
    case 0x6e: case 0x7e: {  // movd, movq with general registers
      const uint32_t bytes = LaneByW(in);
      const bool is_store = in.opcode == 0x7e;
      if (in.IsMemory()) {
        AddMemory(is_store ? SOFTLBR_OP_STORE : SOFTLBR_OP_LOAD, bytes, destination, MemoryAddress(in, out), 0, out);
      } else if (is_store) {
        out->Add(SOFTLBR_OP_MOV, bytes, GprSlot(in.rm), destination);
      } else {
        out->Add(SOFTLBR_OP_MOV, bytes, destination, GprSlot(in.rm));
      }
      return true;
    }
    case 0x6f:
      if (in.IsMemory()) {
        AddMemory(SOFTLBR_OP_LOAD, 8, destination, MemoryAddress(in, out), 0, out);
      } else {
        out->Add(SOFTLBR_OP_MOV, 8, destination, MmxSlot(in.rm));
      }
      return true;
    case 0x7f: case 0xe7:
      if (in.IsMemory()) {
        AddMemory(SOFTLBR_OP_STORE, 8, destination, MemoryAddress(in, out), 0, out);
      } else {
        if (in.opcode == 0xe7) return false;
        out->Add(SOFTLBR_OP_MOV, 8, MmxSlot(in.rm), destination);
      }
      return true;
    case 0x77: return true;  // emms: changes only the tags
    case 0x70:
      out->Add(SOFTLBR_OP_VSHUFFLE, kMmxBytes, destination, MmxSource(in, kMmxBytes, out), 0, in.ImmByte(), 2);
      return true;
    case 0x71: case 0x72: case 0x73: {
      const PackedOp packed = ShiftByImmediate(in);
      if (packed.op == SOFTLBR_OP_NOP || in.IsMemory()) return false;
      if (packed.op == SOFTLBR_OP_VBYTE_SHL || packed.op == SOFTLBR_OP_VBYTE_SHR) return false;
      out->Add(packed.op, kMmxBytes, MmxSlot(in.rm), MmxSlot(in.rm), 0, in.ImmByte(), packed.lane, SOFTLBR_UOP_B_IMM);
      return true;
    }
    case 0xc4: {  // pinsrw
      uint16_t value = GprSlot(in.rm);
      if (in.IsMemory()) {
        value = out->Temp();
        AddMemory(SOFTLBR_OP_LOAD, 2, value, MemoryAddress(in, out), 0, out);
      }
      out->Add(SOFTLBR_OP_VINSERT, kMmxBytes, destination, value, 0, in.ImmByte() & 3, 2);
      return true;
    }
    case 0xc5:
      if (in.IsMemory()) return false;
      out->Add(SOFTLBR_OP_VEXTRACT, 8, GprSlot(in.reg), MmxSlot(in.rm), 0, in.ImmByte() & 3, 2);
      return true;
    case 0xd7:
      if (in.IsMemory()) return false;
      out->Add(SOFTLBR_OP_VMASK_BITS, kMmxBytes, GprSlot(in.reg), MmxSlot(in.rm), 0, 0, 1);
      return true;
    case 0x6c: case 0x6d:  // SSE only
      return false;
    default:
      return LiftMmxPacked(in, PackedInteger0F(in), out);
  }
  // clang-format on
}

bool Mmx0F38(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x00: case 0x04:
      return LiftMmxPacked(in, PackedInteger0F38(in), out);
    case 0x1c: case 0x1d: case 0x1e:
      out->Add(SOFTLBR_OP_VABS, kMmxBytes, MmxSlot(in.reg), MmxSource(in, kMmxBytes, out), 0, 0,
          1u << (in.opcode - 0x1c));
      return true;
    default:
      return false;
  }
  // clang-format on
}

}  // namespace

bool LiftMmx(const Instruction& in, BlockBuilder* out) {
  if (!IsLegacy(in)) return false;
  if (in.map == Map::k0F && in.opcode == 0xd6 && in.IsRegister()) {
    if (in.pp == Pp::kF3) {  // movq2dq
      out->Add(SOFTLBR_OP_MOV, 8, RegSlot(in), MmxSlot(in.rm));
      out->Add(SOFTLBR_OP_CONST, 8, RegSlot(in) + 1u, 0);
      return true;
    }
    if (in.pp == Pp::kF2) {  // movdq2q
      out->Add(SOFTLBR_OP_MOV, 8, MmxSlot(in.reg), VectorSlot(in.rm));
      return true;
    }
    return false;
  }
  if (in.pp != Pp::kNone) return false;
  if (in.map == Map::k0F) return Mmx0F(in, out);
  if (in.map == Map::k0F38) return Mmx0F38(in, out);
  if (in.map == Map::k0F3A && in.opcode == 0x0f) {  // palignr
    out->Add(SOFTLBR_OP_VALIGN, kMmxBytes, MmxSlot(in.reg), MmxSlot(in.reg), MmxSource(in, kMmxBytes, out),
             in.ImmByte(), 1);
    return true;
  }
  return false;
}

}  // namespace softlbr::x86
