// Shuffles, blends, permutes, byte alignment, extensions and truncations. Contract: vector_operands.h.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

constexpr uint32_t kRepeatEven = 0xa0;  // lanes 0 0 2 2
constexpr uint32_t kRepeatOdd = 0xf5;   // lanes 1 1 3 3
constexpr uint32_t kRepeatLow8 = 0x44;  // lanes 0 1 0 1

// Byte and word forms have no memory broadcast.
bool IsBadBroadcast(const Instruction& in, uint32_t lane) { return IsEvex(in) && in.is_broadcast && lane < 4; }

// dst = op(rm, imm).
bool ShuffleOne(const Instruction& in, uint32_t op, uint32_t lane, uint32_t imm, uint32_t flags, BlockBuilder* out) {
  if (IsBadBroadcast(in, lane)) return false;
  const uint16_t source = RmSource(in, in.vector_bytes, lane, out);
  out->Add(op, in.vector_bytes, WorkSlot(in, RegSlot(in)), source, source, static_cast<int32_t>(imm), lane, flags);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

// dst = op(first, rm, imm).
bool ShuffleTwo(const Instruction& in, uint32_t op, uint32_t lane, uint32_t imm, BlockBuilder* out) {
  if (IsBadBroadcast(in, lane)) return false;
  const uint16_t source = RmSource(in, in.vector_bytes, lane, out);
  out->Add(op, in.vector_bytes, WorkSlot(in, RegSlot(in)), FirstSlot(in), source, static_cast<int32_t>(imm), lane);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

// Lanes of rm selected by the lanes of the first source, across the whole register.
bool PermuteByVector(const Instruction& in, uint32_t lane, BlockBuilder* out) {
  if (IsLegacy(in) || IsBadBroadcast(in, lane)) return false;
  const uint16_t table = RmSource(in, in.vector_bytes, lane, out);
  out->Add(SOFTLBR_OP_VPERMUTE, in.vector_bytes, WorkSlot(in, RegSlot(in)), table, VectorSlot(in.vvvv), 0, lane);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

bool BlendVariable(const Instruction& in, uint32_t lane, uint16_t control, BlockBuilder* out) {
  const uint16_t source = RmSource(in, in.vector_bytes, out);
  out->Add(SOFTLBR_OP_VBLEND_VAR, in.vector_bytes, RegSlot(in), FirstSlot(in), source, control, lane);
  Finish(in, RegSlot(in), in.vector_bytes, lane, out);
  return true;
}

// pmovzx, pmovsx.
bool Extend(const Instruction& in, uint32_t from, uint32_t to, uint32_t flags, BlockBuilder* out) {
  if (IsEvex(in) && in.is_broadcast) return false;
  const uint16_t source = RmSource(in, in.vector_bytes * from / to, out);
  out->Add(SOFTLBR_OP_VEXTEND, in.vector_bytes, WorkSlot(in, RegSlot(in)), source, 0, static_cast<int32_t>(to), from,
           flags);
  Finish(in, RegSlot(in), in.vector_bytes, to, out);
  return true;
}

// vpmovwb and variants, without saturation; modrm.rm is written.
bool Truncate(const Instruction& in, uint32_t from, uint32_t to, BlockBuilder* out) {
  if (!IsEvex(in) || in.is_broadcast) return false;
  const uint32_t bytes = in.vector_bytes * to / from;
  if (in.IsMemory()) {
    if (IsMasked(in)) return false;
    out->Add(SOFTLBR_OP_VTRUNCATE, in.vector_bytes, kResultTemp, RegSlot(in), 0, static_cast<int32_t>(to), from);
    AddMemory(bytes < 4 ? SOFTLBR_OP_STORE : SOFTLBR_OP_VSTORE, bytes, kResultTemp, MemoryAddress(in, out), 0, out);
    return true;
  }
  const uint16_t destination = VectorSlot(in.rm);
  if (IsMasked(in)) {
    if (bytes < 8) return false;  // no vector operation is as narrow as this
    out->Add(SOFTLBR_OP_VTRUNCATE, in.vector_bytes, kResultTemp, RegSlot(in), 0, static_cast<int32_t>(to), from);
    Finish(in, destination, bytes, to, out);
    return true;
  }
  out->Add(SOFTLBR_OP_VTRUNCATE, in.vector_bytes, destination, RegSlot(in), 0, static_cast<int32_t>(to), from);
  out->Add(SOFTLBR_OP_VZERO_ABOVE, bytes, destination, 0);
  return true;
}

bool Shuffle0F(const Instruction& in, BlockBuilder* out) {
  const uint32_t imm = in.ImmByte();
  // clang-format off
  switch (in.opcode) {
    case 0x12: case 0x16:  // movddup, movsldup, movshdup
      if (!IsScalarPrefix(in) || (IsEvex(in) && in.is_broadcast)) return false;
      if (in.pp == Pp::kF2) {
        if (in.opcode == 0x16) return false;
        const uint32_t bytes = in.vector_bytes == kXmmBytes ? 8 : in.vector_bytes;
        const uint16_t source = RmSource(in, bytes, out);
        out->Add(SOFTLBR_OP_VSHUFFLE, in.vector_bytes, WorkSlot(in, RegSlot(in)), source, source, kRepeatLow8, 4);
        Finish(in, RegSlot(in), in.vector_bytes, 8, out);
        return true;
      }
      return ShuffleOne(in, SOFTLBR_OP_VSHUFFLE, 4, in.opcode == 0x12 ? kRepeatEven : kRepeatOdd, 0, out);
    case 0x14: case 0x15:  // unpcklps, unpckhps, ...
      if (IsScalarPrefix(in)) return false;
      return ShuffleTwo(in, in.opcode == 0x14 ? SOFTLBR_OP_VUNPACK_LOW : SOFTLBR_OP_VUNPACK_HIGH, FloatLane(in), 0,
          out);
    case 0x70:
      switch (in.pp) {
        case Pp::k66: return ShuffleOne(in, SOFTLBR_OP_VSHUFFLE, 4, imm, 0, out);
        case Pp::kF2: return ShuffleOne(in, SOFTLBR_OP_VSHUFFLE, 2, imm, 0, out);
        case Pp::kF3: return ShuffleOne(in, SOFTLBR_OP_VSHUFFLE, 2, imm, SOFTLBR_UOP_NEGATE, out);
        default: return false;
      }
    case 0xc6:
      return !IsScalarPrefix(in) && ShuffleTwo(in, SOFTLBR_OP_VSHUFFLE2, FloatLane(in), imm, out);
    default:
      return false;
  }
  // clang-format on
}

bool Shuffle0F38(const Instruction& in, BlockBuilder* out) {
  const uint32_t sign = in.opcode < 0x30 ? uint32_t{SOFTLBR_UOP_SIGNED} : 0;
  if (in.pp == Pp::kF3) {
    switch (in.opcode) {
      case 0x30: return Truncate(in, 2, 1, out);
      case 0x31: return Truncate(in, 4, 1, out);
      case 0x32: return Truncate(in, 8, 1, out);
      case 0x33: return Truncate(in, 4, 2, out);
      case 0x34: return Truncate(in, 8, 2, out);
      case 0x35: return Truncate(in, 8, 4, out);
      default: return false;
    }
  }
  if (in.pp != Pp::k66) return false;
  // clang-format off
  switch (in.opcode) {
    case 0x10: return IsLegacy(in) && BlendVariable(in, 1, VectorSlot(0), out);
    case 0x14: return IsLegacy(in) && BlendVariable(in, 4, VectorSlot(0), out);
    case 0x15: return IsLegacy(in) && BlendVariable(in, 8, VectorSlot(0), out);
    case 0x16: case 0x36:  // vpermps/pd, vpermd/q
      return in.vector_bytes != kXmmBytes && PermuteByVector(in, IsEvex(in) ? LaneByW(in) : 4, out);
    case 0x8d: return IsEvex(in) && PermuteByVector(in, in.w ? 2 : 1, out);
    case 0x20: case 0x30: return Extend(in, 1, 2, sign, out);
    case 0x21: case 0x31: return Extend(in, 1, 4, sign, out);
    case 0x22: case 0x32: return Extend(in, 1, 8, sign, out);
    case 0x23: case 0x33: return Extend(in, 2, 4, sign, out);
    case 0x24: case 0x34: return Extend(in, 2, 8, sign, out);
    case 0x25: case 0x35: return Extend(in, 4, 8, sign, out);
    default: return false;
  }
  // clang-format on
}

bool Shuffle0F3A(const Instruction& in, BlockBuilder* out) {
  if (in.pp != Pp::k66) return false;
  const uint32_t imm = in.ImmByte();
  // clang-format off
  switch (in.opcode) {
    case 0x00: case 0x01: {  // vpermq, vpermpd
      if (IsLegacy(in) || in.vector_bytes == kXmmBytes) return false;
      const uint16_t source = RmSource(in, in.vector_bytes, 8, out);
      out->Add(SOFTLBR_OP_VPERMUTE, in.vector_bytes, WorkSlot(in, RegSlot(in)), source, 0, static_cast<int32_t>(imm), 8,
               SOFTLBR_UOP_B_IMM);
      Finish(in, RegSlot(in), in.vector_bytes, 8, out);
      return true;
    }
    case 0x02: return !IsLegacy(in) && !IsEvex(in) && ShuffleTwo(in, SOFTLBR_OP_VBLEND, 4, imm, out);
    case 0x04: return !IsLegacy(in) && ShuffleOne(in, SOFTLBR_OP_VSHUFFLE, 4, imm, 0, out);   // vpermilps
    case 0x05: return !IsLegacy(in) && ShuffleOne(in, SOFTLBR_OP_VSHUFFLE2, 8, imm, 0, out);  // vpermilpd
    case 0x06: case 0x46:
      return in.encoding == Encoding::kVex && in.vector_bytes == 32 &&
          ShuffleTwo(in, SOFTLBR_OP_VPERM2_128, 8, imm, out);
    case 0x0c: return !IsEvex(in) && ShuffleTwo(in, SOFTLBR_OP_VBLEND, 4, imm, out);
    case 0x0d: return !IsEvex(in) && ShuffleTwo(in, SOFTLBR_OP_VBLEND, 8, imm, out);
    case 0x0e: return !IsEvex(in) && ShuffleTwo(in, SOFTLBR_OP_VBLEND, 2, imm, out);
    case 0x0f: return ShuffleTwo(in, SOFTLBR_OP_VALIGN, 1, imm, out);
    case 0x4a: case 0x4b: case 0x4c:
      if (in.encoding != Encoding::kVex) return false;
      return BlendVariable(in, in.opcode == 0x4a ? 4 : in.opcode == 0x4b ? 8 : 1, VectorSlot(imm >> 4), out);
    default: return false;
  }
  // clang-format on
}

}  // namespace

bool LiftVectorShuffle(const Instruction& in, BlockBuilder* out) {
  switch (in.map) {
    case Map::k0F: return Shuffle0F(in, out);
    case Map::k0F38: return Shuffle0F38(in, out);
    case Map::k0F3A: return Shuffle0F3A(in, out);
    default: return false;
  }
}

}  // namespace softlbr::x86
