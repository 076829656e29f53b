// Conversions between floating point and integers, and between precisions. Contract: vector_operands.h.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {
namespace {

constexpr int32_t kNearest = 0;
constexpr int32_t kTruncate = 1;

// VEX scalar conversions take the upper lanes from the first source. If copying them would overwrite `source`, it is
// moved to a temporary first. Returns the slot of the source.
uint16_t CopyFirst(const Instruction& in, uint16_t source, BlockBuilder* out) {
  if (IsLegacy(in) || in.vvvv == in.reg) return source;
  uint16_t kept = source;
  if (source == RegSlot(in)) {
    kept = out->Temp();
    out->Add(SOFTLBR_OP_MOV, 8, kept, source);
  }
  out->Add(SOFTLBR_OP_VMOV, kXmmBytes, RegSlot(in), VectorSlot(in.vvvv));
  return kept;
}

// cvtsi2ss, cvtsi2sd.
bool FromInteger(const Instruction& in, BlockBuilder* out) {
  const uint32_t bytes = LaneByW(in);
  const uint32_t lane = in.pp == Pp::kF3 ? 4 : 8;
  uint16_t value = GprSlot(in.rm);
  if (in.IsMemory()) {
    value = out->Temp();
    AddMemory(SOFTLBR_OP_LOAD, bytes, value, MemoryAddress(in, out), 0, out);
  }
  CopyFirst(in, value, out);
  out->Add(SOFTLBR_OP_INT_TO_FLOAT, bytes, RegSlot(in), value, 0, 0, lane, SOFTLBR_UOP_SIGNED);
  Finish(in, RegSlot(in), kXmmBytes, lane, out);
  return true;
}

// AVX-512 vcvtusi2ss, vcvtusi2sd.
bool FromUnsigned(const Instruction& in, BlockBuilder* out) {
  const uint32_t bytes = LaneByW(in);
  const uint32_t lane = in.pp == Pp::kF3 ? 4 : 8;
  uint16_t value = GprSlot(in.rm);
  if (in.IsMemory()) {
    value = out->Temp();
    AddMemory(SOFTLBR_OP_LOAD, bytes, value, MemoryAddress(in, out), 0, out);
  }
  CopyFirst(in, value, out);
  out->Add(SOFTLBR_OP_INT_TO_FLOAT, bytes, RegSlot(in), value, 0, 0, lane);
  Finish(in, RegSlot(in), kXmmBytes, lane, out);
  return true;
}

// cvtss2si, cvttss2si, cvtsd2si, cvttsd2si.
bool ToInteger(const Instruction& in, int32_t rounding, uint32_t flags, BlockBuilder* out) {
  const uint32_t lane = in.pp == Pp::kF3 ? 4 : 8;
  const uint16_t source = RmSource(in, lane, out);
  out->Add(SOFTLBR_OP_FLOAT_TO_INT, LaneByW(in), GprSlot(in.reg), source, 0, rounding, lane, flags);
  return true;
}

// cvtss2sd, cvtsd2ss.
bool ScalarPrecision(const Instruction& in, BlockBuilder* out) {
  const uint32_t from = in.pp == Pp::kF3 ? 4 : 8;
  const uint32_t to = 12 - from;
  const uint16_t source = CopyFirst(in, RmSource(in, from, out), out);
  out->Add(SOFTLBR_OP_FLOAT_TO_FLOAT, kXmmBytes, RegSlot(in), source, 0, static_cast<int32_t>(to), from,
           SOFTLBR_UOP_SCALAR);
  Finish(in, RegSlot(in), kXmmBytes, to, out);
  return true;
}

// Packed conversions whose lanes change size from `from` to `to`. `wide`: bytes of the wider side.
bool PackedResize(const Instruction& in, uint32_t op, uint32_t from, uint32_t to, int32_t imm, uint32_t aux,
                  BlockBuilder* out) {
  const uint32_t wide = in.vector_bytes;
  const uint32_t bytes_in = from < to ? wide / 2 : wide;
  const uint32_t bytes_out = from < to ? wide : wide / 2;
  const uint16_t source = RmSource(in, bytes_in, from, out);
  out->Add(op, wide, WorkSlot(in, RegSlot(in)), source, 0, imm, aux);
  if (bytes_out == 8) {  // an xmm form that narrows: even the legacy form clears bytes 8..15, and it never has 8 lanes
    if (IsMasked(in)) return false;
    if (IsLegacy(in)) {
      out->Add(SOFTLBR_OP_CONST, 8, RegSlot(in) + 1u, 0);
    } else {
      out->Add(SOFTLBR_OP_VZERO_ABOVE, 8, RegSlot(in), 0);
    }
    return true;
  }
  Finish(in, RegSlot(in), bytes_out, to, out);
  return true;
}

bool PackedSameSize(const Instruction& in, uint32_t op, int32_t imm, BlockBuilder* out) {
  const uint16_t source = RmSource(in, in.vector_bytes, 4, out);
  out->Add(op, in.vector_bytes, WorkSlot(in, RegSlot(in)), source, 0, imm, 4);
  Finish(in, RegSlot(in), in.vector_bytes, 4, out);
  return true;
}

}  // namespace

bool LiftFloatConvert(const Instruction& in, BlockBuilder* out) {
  if (in.map != Map::k0F) return false;
  const bool is_scalar = IsScalarPrefix(in);
  const bool is_masked_or_spread = IsMasked(in) || (IsEvex(in) && in.is_broadcast);
  // clang-format off
  switch (in.opcode) {
    case 0x2a:
      return is_scalar && !is_masked_or_spread && FromInteger(in, out);
    case 0x2c: case 0x2d:
      return is_scalar && !is_masked_or_spread &&
             ToInteger(in, in.opcode == 0x2c ? kTruncate : kNearest, SOFTLBR_UOP_SIGNED, out);
    case 0x78: case 0x79:  // vcvttss2usi, vcvtss2usi
      return IsEvex(in) && is_scalar && !is_masked_or_spread &&
          ToInteger(in, in.opcode == 0x78 ? kTruncate : kNearest, 0, out);
    case 0x7b:
      return IsEvex(in) && is_scalar && !is_masked_or_spread && FromUnsigned(in, out);
    case 0x5a:
      if (is_scalar) return !is_masked_or_spread && ScalarPrecision(in, out);
      if (in.pp == Pp::kNone) return PackedResize(in, SOFTLBR_OP_FLOAT_TO_FLOAT, 4, 8, 8, 4, out);
      return PackedResize(in, SOFTLBR_OP_FLOAT_TO_FLOAT, 8, 4, 4, 8, out);
    case 0x5b:  // cvtdq2ps, cvtps2dq, cvttps2dq
      if (IsEvex(in) && in.w) return false;
      if (in.pp == Pp::kNone) return PackedSameSize(in, SOFTLBR_OP_INTS_TO_FLOATS, 0, out);
      if (in.pp == Pp::k66) return PackedSameSize(in, SOFTLBR_OP_FLOATS_TO_INTS, kNearest, out);
      return in.pp == Pp::kF3 && PackedSameSize(in, SOFTLBR_OP_FLOATS_TO_INTS, kTruncate, out);
    case 0xe6:
      if (in.pp == Pp::kF3) {
        if (IsEvex(in) && in.w) return false;
        return PackedResize(in, SOFTLBR_OP_INTS_TO_FLOATS, 4, 8, 0, 8, out);
      }
      if (in.pp == Pp::k66) return PackedResize(in, SOFTLBR_OP_FLOATS_TO_INTS, 8, 4, kTruncate, 8, out);
      return in.pp == Pp::kF2 && PackedResize(in, SOFTLBR_OP_FLOATS_TO_INTS, 8, 4, kNearest, 8, out);
    default:
      return false;
  }
  // clang-format on
}

}  // namespace softlbr::x86
