// Elements and chunks of vectors: inserts, extracts, broadcasts. Contract: vector_operands.h.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

// pinsrb, pinsrw, pinsrd, pinsrq.
bool InsertElement(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  if (IsMasked(in)) return false;
  uint16_t value = GprSlot(in.rm);
  if (in.IsMemory()) {
    value = out->Temp();
    AddMemory(SOFTLBR_OP_LOAD, bytes, value, MemoryAddress(in, out), 0, out);
  }
  const uint32_t lane = in.ImmByte() & (kXmmBytes / bytes - 1);
  if (FirstSlot(in) != RegSlot(in)) out->Add(SOFTLBR_OP_VMOV, kXmmBytes, RegSlot(in), FirstSlot(in));
  out->Add(SOFTLBR_OP_VINSERT, kXmmBytes, RegSlot(in), value, 0, static_cast<int32_t>(lane), bytes);
  Finish(in, RegSlot(in), kXmmBytes, bytes, out);
  return true;
}

// pextrb, pextrw, pextrd, pextrq, extractps: the destination is modrm.rm.
bool ExtractElement(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  if (IsMasked(in)) return false;
  const auto lane = static_cast<int32_t>(in.ImmByte() & (kXmmBytes / bytes - 1));
  if (!in.IsMemory()) {
    out->Add(SOFTLBR_OP_VEXTRACT, 8, GprSlot(in.rm), RegSlot(in), 0, lane, bytes);
    return true;
  }
  const uint16_t value = out->Temp();
  out->Add(SOFTLBR_OP_VEXTRACT, 8, value, RegSlot(in), 0, lane, bytes);
  AddMemory(SOFTLBR_OP_STORE, bytes, value, MemoryAddress(in, out), 0, out);
  return true;
}

// imm[7:6] selects the source lane of a register, imm[5:4] the destination lane, imm[3:0] the lanes to clear.
bool InsertPs(const Instruction& in, BlockBuilder* out) {
  if (IsMasked(in)) return false;
  const uint32_t imm = in.ImmByte();
  const uint16_t value = out->Temp();
  if (in.IsMemory()) {
    AddMemory(SOFTLBR_OP_LOAD, 4, value, MemoryAddress(in, out), 0, out);
  } else {
    out->Add(SOFTLBR_OP_VEXTRACT, 8, value, VectorSlot(in.rm), 0, static_cast<int32_t>(imm >> 6), 4);
  }
  if (FirstSlot(in) != RegSlot(in)) out->Add(SOFTLBR_OP_VMOV, kXmmBytes, RegSlot(in), FirstSlot(in));
  out->Add(SOFTLBR_OP_VINSERT, kXmmBytes, RegSlot(in), value, 0, static_cast<int32_t>(imm >> 4 & 3), 4);
  for (uint32_t lane = 0; lane < 4; ++lane) {
    if ((imm >> lane & 1) != 0)
      out->Add(SOFTLBR_OP_VINSERT, kXmmBytes, RegSlot(in), SOFTLBR_REG_ZERO, 0, static_cast<int32_t>(lane), 4);
  }
  Finish(in, RegSlot(in), kXmmBytes, 4, out);
  return true;
}

// vinsertf128 and wider: `bytes` of modrm.rm at chunk imm of the first source.
bool InsertChunk(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  if (IsLegacy(in) || (IsEvex(in) && in.is_broadcast) || in.vector_bytes <= bytes) return false;
  const auto chunk = static_cast<int32_t>(in.ImmByte() & (in.vector_bytes / bytes - 1));
  uint16_t source = RmSource(in, bytes, out);
  const uint16_t work = WorkSlot(in, RegSlot(in));
  const uint16_t first = VectorSlot(in.vvvv);
  if (work != first) {
    if (source == work) {
      out->Add(SOFTLBR_OP_VMOV, bytes, kSpareTemp, source);
      source = kSpareTemp;
    }
    out->Add(SOFTLBR_OP_VMOV, in.vector_bytes, work, first);
  }
  out->Add(SOFTLBR_OP_VINSERT, in.vector_bytes, work, source, 0, chunk, bytes);
  Finish(in, RegSlot(in), in.vector_bytes, LaneByW(in), out);
  return true;
}

bool ExtractChunk(const Instruction& in, uint32_t bytes, BlockBuilder* out) {
  if (IsLegacy(in) || (IsEvex(in) && in.is_broadcast) || in.vector_bytes <= bytes) return false;
  const auto chunk = static_cast<int32_t>(in.ImmByte() & (in.vector_bytes / bytes - 1));
  if (in.IsMemory()) {
    if (IsMasked(in)) return false;
    // Every chunk of a register begins at a register slot.
    AddMemory(SOFTLBR_OP_VSTORE, bytes, RegSlot(in) + static_cast<uint32_t>(chunk) * bytes / 8, MemoryAddress(in, out),
              0, out);
    return true;
  }
  const uint16_t destination = VectorSlot(in.rm);
  out->Add(SOFTLBR_OP_VEXTRACT_WIDE, bytes, WorkSlot(in, destination), RegSlot(in), 0, chunk, bytes);
  Finish(in, destination, bytes, LaneByW(in), out);
  return true;
}

// element: bytes that are repeated; lane: bytes per mask bit.
bool Broadcast(const Instruction& in, uint32_t element, uint32_t lane, BlockBuilder* out) {
  if (IsLegacy(in) || (IsEvex(in) && in.is_broadcast) || in.vector_bytes < element) return false;
  if (element >= kXmmBytes && !in.IsMemory()) return false;
  const uint16_t source = RmSource(in, element, out);
  out->Add(SOFTLBR_OP_VBROADCAST, in.vector_bytes, WorkSlot(in, RegSlot(in)), source, 0, 0, element);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}
bool BroadcastGeneral(const Instruction& in, uint32_t lane, BlockBuilder* out) {
  if (!IsEvex(in) || in.IsMemory()) return false;
  out->Add(SOFTLBR_OP_VBROADCAST, in.vector_bytes, WorkSlot(in, RegSlot(in)), GprSlot(in.rm), 0, 0, lane);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

bool Element0F38(const Instruction& in, BlockBuilder* out) {
  const uint32_t by_w = LaneByW(in);
  // clang-format off
  switch (in.opcode) {
    case 0x18: return Broadcast(in, 4, 4, out);
    case 0x19: return in.vector_bytes != kXmmBytes && Broadcast(in, 8, IsEvex(in) ? by_w : 8, out);
    case 0x1a: case 0x5a: return in.vector_bytes != kXmmBytes && Broadcast(in, 16, by_w, out);
    case 0x1b: case 0x5b: return in.vector_bytes == 64 && Broadcast(in, 32, by_w, out);
    case 0x58: return Broadcast(in, 4, 4, out);
    case 0x59: return Broadcast(in, 8, IsEvex(in) ? by_w : 8, out);
    case 0x78: return Broadcast(in, 1, 1, out);
    case 0x79: return Broadcast(in, 2, 2, out);
    case 0x7a: return BroadcastGeneral(in, 1, out);
    case 0x7b: return BroadcastGeneral(in, 2, out);
    case 0x7c: return BroadcastGeneral(in, by_w, out);
    default: return false;
  }
  // clang-format on
}

bool Element0F3A(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x14: return ExtractElement(in, 1, out);
    case 0x15: return ExtractElement(in, 2, out);
    case 0x16: return ExtractElement(in, LaneByW(in), out);
    case 0x17: return ExtractElement(in, 4, out);
    case 0x18: case 0x38: return InsertChunk(in, 16, out);
    case 0x19: case 0x39: return ExtractChunk(in, 16, out);
    case 0x1a: case 0x3a: return InsertChunk(in, 32, out);
    case 0x1b: case 0x3b: return ExtractChunk(in, 32, out);
    case 0x20: return InsertElement(in, 1, out);
    case 0x21: return InsertPs(in, out);
    case 0x22: return InsertElement(in, LaneByW(in), out);
    default: return false;
  }
  // clang-format on
}

}  // namespace

bool LiftVectorElement(const Instruction& in, BlockBuilder* out) {
  if (in.pp != Pp::k66) return false;
  switch (in.map) {
    case Map::k0F:
      if (in.opcode == 0xc4) return InsertElement(in, 2, out);
      if (in.opcode != 0xc5 || in.IsMemory()) return false;
      out->Add(SOFTLBR_OP_VEXTRACT, 8, GprSlot(in.reg), VectorSlot(in.rm), 0, in.ImmByte() & 7, 2);
      return true;
    case Map::k0F38: return Element0F38(in, out);
    case Map::k0F3A: return Element0F3A(in, out);
    default: return false;
  }
}

}  // namespace softlbr::x86
