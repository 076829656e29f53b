// Moves of lanes: copies, permutations, extraction, table look-up, constants.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

// zip, uzp, trn.
Lifted Permute(uint32_t word, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 12, 3);
  const uint32_t lane = 1u << Field(word, 22, 2);
  const Shape s = WholeShape(word, lane);
  if ((opcode & 3) == 0 || (lane == 8 && s.width == 8)) return Lifted::kUnallocated;
  const bool is_second = (opcode & 4) != 0;
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  const uint32_t m = V(Rm(word));
  const uint32_t x = VectorTemp(0);
  const uint32_t y = VectorTemp(1);
  if ((opcode & 3) == 3 || lane == 8) {  // zip; for pairs of 8-byte lanes zip, uzp and trn are the same
    AddLanes(is_second ? SOFTLBR_OP_VUNPACK_HIGH : SOFTLBR_OP_VUNPACK_LOW, s, d, n, m, out);
  } else if ((opcode & 3) == 1) {
    AddUnzip(s, is_second, x, n, m, out);
    out->Add(SOFTLBR_OP_VMOV, s.width, d, x);
  } else {  // trn: n's lane, then m's lane above it
    const Shape wide = {s.width, 2 * lane, s.kept};
    const uint32_t bits = 8 * lane;
    ShiftLanes(is_second ? SOFTLBR_OP_VSHR : SOFTLBR_OP_VSHL, wide, x, n, bits, out);
    if (!is_second) ShiftLanes(SOFTLBR_OP_VSHR, wide, x, x, bits, out);
    if (is_second) {
      ShiftLanes(SOFTLBR_OP_VSHR, wide, y, m, bits, out);
      ShiftLanes(SOFTLBR_OP_VSHL, wide, y, y, bits, out);
    } else {
      ShiftLanes(SOFTLBR_OP_VSHL, wide, y, m, bits, out);
    }
    AddLanes(SOFTLBR_OP_VOR, s, d, x, y, out);
  }
  ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

Lifted Extract(uint32_t word, BlockBuilder* out) {
  const uint32_t index = Field(word, 11, 4);
  const Shape s = WholeShape(word, 1);
  if (Field(word, 22, 2) != 0 || index >= s.width) return Lifted::kUnallocated;
  const uint32_t d = V(Rd(word));
  AddLanes(SOFTLBR_OP_VALIGN, s, d, V(Rm(word)), V(Rn(word)), out, 0, static_cast<int32_t>(index));
  ZeroAbove(s.kept, d, out);
  return Lifted::kNext;
}

// tbl, tbx. A byte shuffle takes indices modulo 16 and gives 0 if the index's top bit is set. A saturating addition of
// 0x70 sets that bit for all indices from 16 on.
Lifted TableLookup(uint32_t word, BlockBuilder* out) {
  const uint32_t size = Field(word, 22, 2);
  if (size != 0) {  // luti2, luti4
    const bool is_allocated = Bit(word, 30) && (size == 3 || Bit(word, 12) || (size == 1 && Bit(word, 13)));
    return is_allocated ? Forget(word, 16, out) : Lifted::kUnallocated;
  }
  const uint32_t registers = Field(word, 13, 2) + 1;
  const bool keeps = Bit(word, 12);  // tbx
  const uint32_t d = V(Rd(word));
  const uint32_t m = V(Rm(word));
  const Shape s = {16, 1, 16};
  const uint32_t result = VectorTemp(0);
  const uint32_t index = VectorTemp(1);
  const uint32_t bias = VectorTemp(2);
  const uint32_t part = VectorTemp(3);
  for (uint32_t i = 0; i < registers; ++i) {
    const uint32_t table = V((Rn(word) + i) % SOFTLBR_VECTOR_REGISTERS);
    uint32_t from = m;
    if (i != 0) {
      FillLanes(s, bias, static_cast<int64_t>(16 * i), out);
      AddLanes(SOFTLBR_OP_VSUB, s, index, m, bias, out);
      from = index;
    }
    FillLanes(s, bias, 0x70, out);
    AddLanes(SOFTLBR_OP_VADD_SAT, s, index, from, bias, out);
    AddLanes(SOFTLBR_OP_VSHUFFLE_BYTES, s, i == 0 ? result : part, table, index, out);
    if (i != 0) AddLanes(SOFTLBR_OP_VOR, s, result, result, part, out);
  }
  if (keeps) {
    FillLanes(s, bias, static_cast<int64_t>(16 * registers - 1), out);
    AddLanes(SOFTLBR_OP_VCMP_GT, s, index, m, bias, out);
    AddLanes(SOFTLBR_OP_VAND, s, index, index, d, out);
    AddLanes(SOFTLBR_OP_VOR, s, result, result, index, out);
  }
  AddBits(SOFTLBR_OP_MOV, Bit(word, 30) ? 16 : 8, d, result, 0, out);
  return Lifted::kNext;
}

// dup, ins, smov, umov.
Lifted Copy(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t imm5 = Field(word, 16, 5);
  const uint32_t imm4 = Field(word, 11, 4);
  const bool is_quad = Bit(word, 30);
  if ((imm5 & 15) == 0) return Lifted::kUnallocated;
  const uint32_t lane = imm5 & (0u - imm5);
  const uint32_t log = static_cast<uint32_t>(__builtin_ctz(lane));
  const auto index = static_cast<int32_t>(imm5 >> (log + 1));
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  const uint16_t scalar = out->Temp();
  if (is_scalar) {  // dup of one element
    if (Bit(word, 29) || imm4 != 0) return Lifted::kUnallocated;
    out->Add(SOFTLBR_OP_VEXTRACT, 8, d, n, 0, index, lane);
    ZeroAbove(8, d, out);
    return Lifted::kNext;
  }
  if (Bit(word, 29)) {  // ins element
    if (!is_quad) return Lifted::kUnallocated;
    const auto from = static_cast<int32_t>(imm4 >> log);
    if (lane == 8) {
      out->Add(SOFTLBR_OP_MOV, 8, d + static_cast<uint32_t>(index), n + static_cast<uint32_t>(from));
      return Lifted::kNext;
    }
    out->Add(SOFTLBR_OP_VEXTRACT, 8, scalar, n, 0, from, lane);
    out->Add(SOFTLBR_OP_VINSERT, 16, d, scalar, 0, index, lane);
    return Lifted::kNext;
  }
  const Shape s = WholeShape(word, lane);
  switch (imm4) {
    case 0:  // dup element
    case 1:  // dup general
      if (lane == 8 && !is_quad) return Lifted::kUnallocated;
      if (imm4 == 0) out->Add(SOFTLBR_OP_VEXTRACT, 8, scalar, n, 0, index, lane);
      out->Add(SOFTLBR_OP_VBROADCAST, s.width, d, imm4 == 0 ? uint32_t{scalar} : X(Rn(word)), 0, 0, lane);
      ZeroAbove(s.kept, d, out);
      return Lifted::kNext;
    case 3:  // ins general
      if (!is_quad) return Lifted::kUnallocated;
      if (lane == 8) {
        out->Add(SOFTLBR_OP_MOV, 8, d + static_cast<uint32_t>(index), X(Rn(word)));
      } else {
        out->Add(SOFTLBR_OP_VINSERT, 16, d, X(Rn(word)), 0, index, lane);
      }
      return Lifted::kNext;
    case 5:  // smov
      if (lane == 8 || (lane == 4 && !is_quad)) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_VEXTRACT, is_quad ? 8 : 4, X(Rd(word)), n, 0, index, lane, SOFTLBR_UOP_SIGNED);
      return Lifted::kNext;
    case 7:  // umov
      if ((lane == 8) != is_quad) return Lifted::kUnallocated;
      if (lane == 8) {
        out->Add(SOFTLBR_OP_MOV, 8, X(Rd(word)), n + static_cast<uint32_t>(index));
      } else {
        out->Add(SOFTLBR_OP_VEXTRACT, 8, X(Rd(word)), n, 0, index, lane);
      }
      return Lifted::kNext;
    default: return Lifted::kUnallocated;
  }
}

// movi, mvni, orr, bic, fmov: expands 8 bits to 64. False: reserved.
bool ExpandImmediate(uint32_t word, uint64_t* value) {
  const uint64_t imm = Field(word, 16, 3) << 5 | Field(word, 5, 5);
  const uint32_t cmode = Field(word, 12, 4);
  const bool op = Bit(word, 29);
  constexpr uint64_t kWords = 0x0000000100000001;
  constexpr uint64_t kHalves = 0x0001000100010001;
  constexpr uint64_t kBytes = 0x0101010101010101;
  if (cmode < 8) {
    *value = (imm << (8 * (cmode >> 1))) * kWords;
  } else if (cmode < 12) {
    *value = (imm << (8 * (cmode >> 1 & 1))) * kHalves;
  } else if (cmode < 14) {
    *value = (cmode == 12 ? imm << 8 | 0xff : imm << 16 | 0xffff) * kWords;
  } else if (cmode == 14 && !op) {
    *value = imm * kBytes;
  } else if (cmode == 14) {  // each bit becomes a byte
    uint64_t mask = 0;
    for (uint32_t i = 0; i < 8; ++i) mask |= (imm >> i & 1) != 0 ? uint64_t{0xff} << (8 * i) : 0;
    *value = mask;
  } else if (!op) {
    *value = ExpandFloat4(static_cast<uint32_t>(imm)) * kWords;
  } else {
    *value = ExpandFloat8(static_cast<uint32_t>(imm));
    return Bit(word, 30);
  }
  return true;
}

}  // namespace

uint64_t ExpandFloat4(uint32_t imm) {
  const uint32_t exponent = (imm & 0x40) != 0 ? 0x3e000000 : 0x40000000;
  return (imm & 0x80) << 24 | exponent | (imm & 0x3f) << 19;
}
uint64_t ExpandFloat8(uint32_t imm) {
  const uint64_t exponent = (imm & 0x40) != 0 ? 0x3fc0000000000000 : 0x4000000000000000;
  return uint64_t{imm & 0x80} << 56 | exponent | uint64_t{imm & 0x3f} << 48;
}

Lifted LiftVectorImmediate(uint32_t word, BlockBuilder* out) {
  const uint32_t cmode = Field(word, 12, 4);
  const bool op = Bit(word, 29);
  const uint32_t d = V(Rd(word));
  const uint32_t kept = Bit(word, 30) ? 16 : 8;
  uint64_t value = 0;
  if (Bit(word, 11)) {  // fmov of half precision
    if (cmode != 15 || op) return Lifted::kUnallocated;
    const uint32_t imm = Field(word, 16, 3) << 5 | Field(word, 5, 5);
    const uint64_t half = (imm & 0x80) << 8 | ((imm & 0x40) != 0 ? 0x3000u : 0x4000u) | (imm & 0x3f) << 6;
    value = half * 0x0001000100010001;
  } else {
    if (!ExpandImmediate(word, &value)) return Lifted::kUnallocated;
    const bool combines = cmode < 12 && (cmode & 1) != 0;  // orr, bic
    if (combines) {
      const uint16_t constant = out->Temp();
      out->AddConst(constant, static_cast<int64_t>(op ? ~value : value));
      for (uint32_t i = 0; i < kept / 8; ++i) out->Add(op ? SOFTLBR_OP_AND : SOFTLBR_OP_OR, 8, d + i, d + i, constant);
      ZeroAbove(kept, d, out);
      return Lifted::kNext;
    }
    if (op && cmode < 14) value = ~value;  // mvni
  }
  out->AddConst(d, static_cast<int64_t>(value));
  if (kept == 16) {
    out->Add(SOFTLBR_OP_MOV, 8, d + 1, d);
  } else {
    ZeroAbove(8, d, out);
  }
  return Lifted::kNext;
}

Lifted LiftVectorMove(uint32_t word, bool is_scalar, BlockBuilder* out) {
  if (Bit(word, 10))
    return Field(word, 21, 3) == 0 && !Bit(word, 15) ? Copy(word, is_scalar, out) : Lifted::kUnallocated;
  if (Bit(word, 29)) return Extract(word, out);
  return Bit(word, 11) ? Permute(word, out) : TableLookup(word, out);
}

}  // namespace softlbr::a64
