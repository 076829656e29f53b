// Data processing with an immediate: bits 28:25 = 100x.
//
// Bit-field aliases that are plain shifts or extensions use those ops, which the evaluator runs without a call.
#include "decoders/aarch64/lift/lift_aarch64.h"

namespace softlbr::a64 {

Lifted LiftPcRelative(uint32_t word, BlockBuilder* out) {  // adr, adrp
  const uint32_t dst = X(Rd(word));
  const int64_t imm = int64_t{SignedField(word, 5, 19)} * 4 + Field(word, 29, 2);
  int64_t offset = out->offset() + imm;  // from SOFTLBR_REG_BLOCK
  if (Bit(word, 31)) {
    const uint64_t page = (out->block().pc + out->offset()) & ~uint64_t{0xfff};
    offset = static_cast<int64_t>(page + static_cast<uint64_t>(imm) * 4096 - out->block().pc);
  }
  if (SOFTLBR_LIKELY(offset == static_cast<int32_t>(offset))) {
    out->Add(SOFTLBR_OP_ADDRESS, 8, dst, SOFTLBR_REG_BLOCK, SOFTLBR_REG_ZERO, static_cast<int32_t>(offset));
  } else if (dst != SOFTLBR_REG_ZERO) {
    out->AddConst(dst, static_cast<int64_t>(out->block().pc) + offset);
  }
  return Lifted::kNext;
}

Lifted LiftAddSubtractImmediate(uint32_t word, BlockBuilder* out) {
  const bool is_subtraction = Bit(word, 30);
  const bool sets_flags = Bit(word, 29);
  const auto imm = static_cast<int32_t>(Field(word, 10, 12) << (Bit(word, 22) ? 12 : 0));
  const uint32_t dst = sets_flags ? X(Rd(word)) : XOrSp(Rd(word));
  uint32_t flags = SOFTLBR_UOP_B_IMM;
  if (sets_flags) flags |= SOFTLBR_UOP_SET_FLAGS | When(is_subtraction, SOFTLBR_UOP_CARRY_NOT_BORROW);
  out->Add(is_subtraction ? SOFTLBR_OP_SUB : SOFTLBR_OP_ADD, WidthBySf(word), dst, XOrSp(Rn(word)), 0, imm, 0, flags);
  return Lifted::kNext;
}

// addg, subg; with bit 22 set, minimum and maximum.
Lifted LiftTagsOrExtremes(uint32_t word, BlockBuilder* out) {
  if (Bit(word, 22)) {
    if (Field(word, 29, 2) != 0 || Field(word, 20, 2) != 0) return Lifted::kUnallocated;
    const bool is_unsigned = Bit(word, 18);
    const bool is_minimum = Bit(word, 19);
    const uint32_t width = WidthBySf(word);
    const int32_t imm = is_unsigned ? static_cast<int32_t>(Field(word, 10, 8)) : SignedField(word, 10, 8);
    AddExtreme(width, X(Rd(word)), X(Rn(word)), 0, imm, true, is_minimum, is_unsigned, out);
    return Lifted::kNext;
  }
  // Bit 31 must be 1, bit 29 must be 0.
  if (!Bit(word, 31) || Bit(word, 29)) return Lifted::kUnallocated;
  const uint32_t dst = XOrSp(Rd(word));
  out->Add(Bit(word, 30) ? SOFTLBR_OP_SUB : SOFTLBR_OP_ADD, 8, dst, XOrSp(Rn(word)), 0,
           static_cast<int32_t>(Field(word, 16, 6) * 16), 0, SOFTLBR_UOP_B_IMM);
  ForgetTag(dst, out);
  return Lifted::kNext;
}

namespace {

// A rotated run of ones, repeated in elements of 2 to 64 bits. False: reserved.
bool DecodeBitMask(uint32_t word, uint64_t* mask) {
  const uint32_t imms = Field(word, 10, 6);
  const uint32_t immr = Field(word, 16, 6);
  // The element size: the highest one bit of N:~imms.
  const uint32_t size_bits = (Bit(word, 22) ? 64u : 0u) | (~imms & 63);
  if (size_bits < 2) return false;
  const uint32_t size = 1u << (31 - static_cast<uint32_t>(__builtin_clz(size_bits)));
  const uint32_t ones = (imms & (size - 1)) + 1;
  if (ones == size) return false;
  const uint32_t rotation = immr & (size - 1);
  uint64_t element = (uint64_t{1} << ones) - 1;
  if (rotation != 0) {
    element = element >> rotation | element << (size - rotation);
    if (size < 64) element &= (uint64_t{1} << size) - 1;
  }
  for (uint32_t filled = size; filled < 64; filled *= 2) element |= element << filled;
  *mask = element;
  return true;
}

}  // namespace

Lifted LiftLogicalImmediate(uint32_t word, BlockBuilder* out) {
  uint64_t mask = 0;
  const uint32_t width = WidthBySf(word);
  if ((width == 4 && Bit(word, 22)) || !DecodeBitMask(word, &mask)) return Lifted::kUnallocated;
  const uint32_t opc = Field(word, 29, 2);
  const uint32_t dst = opc == 3 ? X(Rd(word)) : XOrSp(Rd(word));
  const uint32_t src = X(Rn(word));
  const auto value = static_cast<int64_t>(width == 4 ? mask & 0xffffffff : mask);
  const bool fits = width == 4 || value == static_cast<int32_t>(value);
  constexpr uint8_t kOps[4] = {SOFTLBR_OP_AND, SOFTLBR_OP_OR, SOFTLBR_OP_XOR, SOFTLBR_OP_AND};
  const uint32_t flags = When(opc == 3, SOFTLBR_UOP_SET_FLAGS);
  if (fits) {
    if (opc == 1 && src == SOFTLBR_REG_ZERO) {
      out->Add(SOFTLBR_OP_CONST, width, dst, 0, 0, static_cast<int32_t>(value));
    } else {
      out->Add(kOps[opc], width, dst, src, 0, static_cast<int32_t>(value), 0, SOFTLBR_UOP_B_IMM | flags);
    }
    return Lifted::kNext;
  }
  if (opc == 1 && src == SOFTLBR_REG_ZERO) {
    out->AddConst(dst, value);
    return Lifted::kNext;
  }
  if (opc == 0 && value == 0xffffffff) {
    out->Add(SOFTLBR_OP_ZERO_EXTEND, 8, dst, src, 0, 0, 4);
    return Lifted::kNext;
  }
  const uint16_t constant = out->Temp();
  out->AddConst(constant, value);
  out->Add(kOps[opc], width, dst, src, constant, 0, 0, flags);
  return Lifted::kNext;
}

Lifted LiftMoveWide(uint32_t word, BlockBuilder* out) {
  const uint32_t opc = Field(word, 29, 2);
  const uint32_t shift = 16 * Field(word, 21, 2);
  const uint32_t width = WidthBySf(word);
  if (opc == 1 || shift >= 8 * width) return Lifted::kUnallocated;
  const uint32_t dst = X(Rd(word));
  const uint64_t imm = Field(word, 5, 16);
  if (dst == SOFTLBR_REG_ZERO) return Lifted::kNext;
  if (opc == 3) {  // movk
    if (shift == 0) {
      out->Add(SOFTLBR_OP_CONST, 2, dst, 0, 0, static_cast<int32_t>(imm), 0, SOFTLBR_UOP_MERGE);
      // The W form zeroes the upper half.
      if (width == 4) out->Add(SOFTLBR_OP_ZERO_EXTEND, 8, dst, dst, 0, 0, 4);
      return Lifted::kNext;
    }
    const uint16_t constant = out->Temp();
    out->Add(SOFTLBR_OP_CONST, 8, constant, 0, 0, static_cast<int32_t>(imm));
    out->Add(SOFTLBR_OP_BITFIELD, width, dst, 0, constant, static_cast<int32_t>(16u << 8 | shift << 16), 0,
             SOFTLBR_UOP_MERGE);
    return Lifted::kNext;
  }
  uint64_t value = imm << shift;
  if (opc == 0) value = ~value;
  if (width == 4) {
    out->Add(SOFTLBR_OP_CONST, 4, dst, 0, 0, static_cast<int32_t>(static_cast<uint32_t>(value)));
  } else {
    out->AddConst(dst, static_cast<int64_t>(value));
  }
  return Lifted::kNext;
}

Lifted LiftBitfield(uint32_t word, BlockBuilder* out) {
  const uint32_t opc = Field(word, 29, 2);
  const uint32_t width = WidthBySf(word);
  const uint32_t bits = 8 * width;
  const uint32_t immr = Field(word, 16, 6);
  const uint32_t imms = Field(word, 10, 6);
  if (opc == 3 || Bit(word, 22) != (width == 8) || immr >= bits || imms >= bits) return Lifted::kUnallocated;
  const uint32_t dst = X(Rd(word));
  const uint32_t src = X(Rn(word));
  const bool is_signed = opc == 0;
  const bool is_insert = opc == 1;
  if (!is_insert) {
    if (imms == bits - 1) {  // lsr, asr
      out->Add(is_signed ? SOFTLBR_OP_SAR : SOFTLBR_OP_SHR, width, dst, src, 0, static_cast<int32_t>(immr), 0,
               SOFTLBR_UOP_B_IMM);
      return Lifted::kNext;
    }
    if (!is_signed && imms + 1 == immr) {  // lsl
      out->Add(SOFTLBR_OP_SHL, width, dst, src, 0, static_cast<int32_t>(bits - immr), 0, SOFTLBR_UOP_B_IMM);
      return Lifted::kNext;
    }
    if (immr == 0 && (imms == 7 || imms == 15 || imms == 31)) {  // sxtb .. sxtw, uxtb, uxth
      out->Add(is_signed ? SOFTLBR_OP_SIGN_EXTEND : SOFTLBR_OP_ZERO_EXTEND, width, dst, src, 0, 0, (imms + 1) / 8);
      return Lifted::kNext;
    }
  }
  uint32_t from = immr;
  uint32_t length = imms - immr + 1;
  uint32_t to = 0;
  if (imms < immr) {
    from = 0;
    length = imms + 1;
    to = bits - immr;
  }
  const uint32_t flags = When(is_insert, SOFTLBR_UOP_MERGE) | When(is_signed, SOFTLBR_UOP_SIGNED);
  out->Add(SOFTLBR_OP_BITFIELD, width, dst, 0, src, static_cast<int32_t>(from | (length & 63) << 8 | to << 16), 0,
           flags);
  return Lifted::kNext;
}

Lifted LiftExtract(uint32_t word, BlockBuilder* out) {
  const uint32_t width = WidthBySf(word);
  if (Field(word, 29, 2) == 3 && width == 8 && Field(word, 22, 1) == 0 && Rd(word) == kZeroRegister) {
    out->AddUnknown(X(30));  // autiasppc, autibsppc
    return Lifted::kNext;
  }
  const uint32_t shift = Field(word, 10, 6);
  if (Field(word, 29, 2) != 0 || Bit(word, 21) || Bit(word, 22) != (width == 8) || shift >= 8 * width)
    return Lifted::kUnallocated;
  const uint32_t dst = X(Rd(word));
  if (Rn(word) == Rm(word)) {
    out->Add(SOFTLBR_OP_ROR, width, dst, X(Rn(word)), 0, static_cast<int32_t>(shift), 0, SOFTLBR_UOP_B_IMM);
  } else {
    out->Add(SOFTLBR_OP_EXTRACT, width, dst, X(Rn(word)), X(Rm(word)), 0, shift);
  }
  return Lifted::kNext;
}

}  // namespace softlbr::a64
