// Data processing on general registers: bits 28:25 = x101.
//
// cls, abs, gmi and setf have no IR op and are composed of several.
#include "decoders/aarch64/lift/lift_aarch64.h"

namespace softlbr::a64 {
namespace {

constexpr uint8_t kShiftOps[4] = {SOFTLBR_OP_SHL, SOFTLBR_OP_SHR, SOFTLBR_OP_SAR, SOFTLBR_OP_ROR};

// Rm shifted by an immediate. Returns Rm's own register slot or a temporary.
uint32_t ShiftedRm(uint32_t word, uint32_t width, BlockBuilder* out) {
  const uint32_t amount = Field(word, 10, 6);
  const uint32_t source = X(Rm(word));
  if (amount == 0 || source == SOFTLBR_REG_ZERO) return source;
  const uint32_t temp = out->Temp();
  out->Add(kShiftOps[Field(word, 22, 2)], width, temp, source, 0, static_cast<int32_t>(amount), 0, SOFTLBR_UOP_B_IMM);
  return temp;
}

}  // namespace

Lifted LiftLogicalRegister(uint32_t word, BlockBuilder* out) {
  const uint32_t width = WidthBySf(word);
  if (width == 4 && Bit(word, 15)) return Lifted::kUnallocated;
  const uint32_t dst = X(Rd(word));
  const uint32_t a = X(Rn(word));
  const uint32_t b = ShiftedRm(word, width, out);
  switch (Field(word, 29, 2) << 1 | Field(word, 21, 1)) {
    case 0: out->Add(SOFTLBR_OP_AND, width, dst, a, b); break;
    case 1:  // bic
      out->Add(SOFTLBR_OP_ANDN, width, dst, a, b, 0, 0, SOFTLBR_UOP_NEGATE);
      break;
    case 2:  // orr; mov
      if (a == SOFTLBR_REG_ZERO) {
        out->Add(SOFTLBR_OP_MOV, width, dst, b);
      } else {
        out->Add(SOFTLBR_OP_OR, width, dst, a, b);
      }
      break;
    case 3:  // orn; mvn
      if (a == SOFTLBR_REG_ZERO) {
        out->Add(SOFTLBR_OP_NOT, width, dst, b);
      } else {
        out->Add(SOFTLBR_OP_ORN, width, dst, a, b);
      }
      break;
    case 4: out->Add(SOFTLBR_OP_XOR, width, dst, a, b); break;
    case 5: {  // eon
      const uint16_t inverse = out->Temp();
      out->Add(SOFTLBR_OP_XOR, width, inverse, a, b);
      out->Add(SOFTLBR_OP_NOT, width, dst, inverse);
      break;
    }
    case 6: out->Add(SOFTLBR_OP_AND, width, dst, a, b, 0, 0, SOFTLBR_UOP_SET_FLAGS); break;
    default:  // bics
      out->Add(SOFTLBR_OP_ANDN, width, dst, a, b, 0, 0, SOFTLBR_UOP_NEGATE | SOFTLBR_UOP_SET_FLAGS);
      break;
  }
  return Lifted::kNext;
}

namespace {

void AddOrSubtract(uint32_t word, uint32_t width, uint32_t dst, uint32_t a, uint32_t b, BlockBuilder* out) {
  const bool is_subtraction = Bit(word, 30);
  uint32_t flags = 0;
  if (Bit(word, 29)) flags = SOFTLBR_UOP_SET_FLAGS | When(is_subtraction, SOFTLBR_UOP_CARRY_NOT_BORROW);
  out->Add(is_subtraction ? SOFTLBR_OP_SUB : SOFTLBR_OP_ADD, width, dst, a, b, 0, 0, flags);
}

}  // namespace

Lifted LiftAddSubtractShifted(uint32_t word, BlockBuilder* out) {
  const uint32_t width = WidthBySf(word);
  const uint32_t kind = Field(word, 22, 2);
  const uint32_t amount = Field(word, 10, 6);
  if (kind == 3 || (width == 4 && amount >= 32)) return Lifted::kUnallocated;
  const uint32_t dst = X(Rd(word));
  if (Field(word, 29, 2) == 0 && kind == 0 && amount != 0) {
    out->Add(SOFTLBR_OP_ADDRESS, width, dst, X(Rn(word)), X(Rm(word)), 0, amount);
    return Lifted::kNext;
  }
  AddOrSubtract(word, width, dst, X(Rn(word)), ShiftedRm(word, width, out), out);
  return Lifted::kNext;
}

Lifted LiftAddSubtractExtended(uint32_t word, BlockBuilder* out) {
  const uint32_t width = WidthBySf(word);
  const uint32_t option = Field(word, 13, 3);
  const uint32_t amount = Field(word, 10, 3);
  if (Field(word, 22, 2) != 0 || amount > 4) return Lifted::kUnallocated;
  const uint32_t dst = Bit(word, 29) ? X(Rd(word)) : XOrSp(Rd(word));
  const uint32_t a = XOrSp(Rn(word));
  const uint32_t bytes = 1u << (option & 3);
  uint32_t b = X(Rm(word));
  if (bytes < width && b != SOFTLBR_REG_ZERO) {
    const uint16_t extended = out->Temp();
    out->Add((option & 4) != 0 ? SOFTLBR_OP_SIGN_EXTEND : SOFTLBR_OP_ZERO_EXTEND, width, extended, b, 0, 0, bytes);
    b = extended;
  }
  if (Field(word, 29, 2) == 0) {
    out->Add(SOFTLBR_OP_ADDRESS, width, dst, a, b, 0, amount);
    return Lifted::kNext;
  }
  if (amount != 0) {
    const uint16_t shifted = out->Temp();
    out->Add(SOFTLBR_OP_SHL, width, shifted, b, 0, static_cast<int32_t>(amount), 0, SOFTLBR_UOP_B_IMM);
    b = shifted;
  }
  AddOrSubtract(word, width, dst, a, b, out);
  return Lifted::kNext;
}

namespace {

constexpr int32_t MoveField(uint32_t from, uint32_t length, uint32_t to) {
  return static_cast<int32_t>(from | length << 8 | to << 16);
}

}  // namespace

// adc, sbc; addpt, subpt; rmif; setf8, setf16.
Lifted LiftCarryAndFlags(uint32_t word, BlockBuilder* out) {
  const uint32_t op3 = Field(word, 10, 6);
  const uint32_t opc = Field(word, 29, 3);
  if (op3 == 0) {
    const bool is_subtraction = Bit(word, 30);
    uint32_t flags = When(is_subtraction, SOFTLBR_UOP_CARRY_NOT_BORROW);
    if (Bit(word, 29)) flags |= SOFTLBR_UOP_SET_FLAGS;
    out->Add(is_subtraction ? SOFTLBR_OP_SBB : SOFTLBR_OP_ADC, WidthBySf(word), X(Rd(word)), X(Rn(word)), X(Rm(word)),
             0, 0, flags);
    return Lifted::kNext;
  }
  if ((op3 & 0x38) == 8) {  // addpt, subpt: a sum that would change the top byte has it corrupted
    if ((opc & 5) != 4) return Lifted::kUnallocated;
    const uint32_t dst = XOrSp(Rd(word));
    const uint16_t shifted = out->Temp();
    out->Add(SOFTLBR_OP_SHL, 8, shifted, X(Rm(word)), 0, static_cast<int32_t>(op3 & 7), 0, SOFTLBR_UOP_B_IMM);
    out->Add((opc & 2) != 0 ? SOFTLBR_OP_SUB : SOFTLBR_OP_ADD, 8, dst, XOrSp(Rn(word)), shifted);
    ForgetTag(dst, out);
    return Lifted::kNext;
  }
  if ((op3 & 31) == 1) {  // rmif: the mask selects flags, which come from the rotated register's low four bits
    if (opc != 5 || Bit(word, 4)) return Lifted::kUnallocated;
    const uint16_t rotated = out->Temp();
    const uint16_t packed = out->Temp();
    out->Add(SOFTLBR_OP_ROR, 8, rotated, X(Rn(word)), 0, static_cast<int32_t>(Field(word, 15, 6)), 0,
             SOFTLBR_UOP_B_IMM);
    out->Add(SOFTLBR_OP_BITFIELD, 8, packed, 0, rotated, MoveField(2, 2, 3));
    out->Add(SOFTLBR_OP_BITFIELD, 8, packed, 0, rotated, MoveField(1, 1, 0), 0, SOFTLBR_UOP_MERGE);
    out->Add(SOFTLBR_OP_BITFIELD, 8, packed, 0, rotated, MoveField(0, 1, 5), 0, SOFTLBR_UOP_MERGE);
    out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, packed, 0, static_cast<int32_t>(PackNzcv(Field(word, 0, 4))));
    return Lifted::kNext;
  }
  if ((op3 & 15) == 2) {  // setf8, setf16: N and Z from the low bits; V is set if the bit above differs from N
    if (opc != 1 || Rm(word) != 0 || Bit(word, 15) || Field(word, 0, 5) != 13) return Lifted::kUnallocated;
    const bool is_byte = !Bit(word, 14);
    const uint32_t top = is_byte ? 7 : 15;
    const uint32_t source = X(Rn(word));
    const uint16_t above = out->Temp();
    const uint16_t packed = out->Temp();
    out->Add(SOFTLBR_OP_BITFIELD, 8, above, 0, source, MoveField(top, 2, 0));
    out->Add(SOFTLBR_OP_SHR, 8, packed, above, 0, 1, 0, SOFTLBR_UOP_B_IMM);
    out->Add(SOFTLBR_OP_XOR, 8, above, above, packed);  // bit 0: V
    out->Add(SOFTLBR_OP_BITFIELD, 8, packed, 0, above, MoveField(0, 1, 5));
    // N and Z as for an addition of zero; C does not change.
    out->Add(SOFTLBR_OP_ADD, is_byte ? 1 : 2, SOFTLBR_REG_ZERO, source, 0, 0, 0,
             SOFTLBR_UOP_B_IMM | SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_KEEP_C);
    out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, packed, 0, SOFTLBR_FLAG_V);
    return Lifted::kNext;
  }
  return Lifted::kUnallocated;
}

Lifted LiftConditionalCompare(uint32_t word, BlockBuilder* out) {
  if (!Bit(word, 29) || Bit(word, 10) || Bit(word, 4)) return Lifted::kUnallocated;
  const bool is_immediate = Bit(word, 11);
  const auto otherwise = static_cast<int32_t>(PackNzcv(Field(word, 0, 4)) << 16);
  const uint32_t flags = SOFTLBR_UOP_SET_FLAGS | When(is_immediate, SOFTLBR_UOP_B_IMM) |
                         (Bit(word, 30) ? SOFTLBR_UOP_CARRY_NOT_BORROW : SOFTLBR_UOP_NEGATE);
  out->Add(SOFTLBR_OP_CCMP, WidthBySf(word), SOFTLBR_REG_ZERO, X(Rn(word)), is_immediate ? 0 : X(Rm(word)),
           is_immediate ? otherwise | static_cast<int32_t>(Rm(word)) : otherwise, kConditions[Field(word, 12, 4)],
           flags);
  return Lifted::kNext;
}

Lifted LiftConditionalSelect(uint32_t word, BlockBuilder* out) {
  if (Bit(word, 29) || Bit(word, 11)) return Lifted::kUnallocated;
  const uint32_t width = WidthBySf(word);
  const uint32_t dst = X(Rd(word));
  const uint32_t a = X(Rn(word));
  const uint32_t b = X(Rm(word));
  const uint32_t condition = kConditions[Field(word, 12, 4)];
  const bool inverts = Bit(word, 30);
  const bool increments = Bit(word, 10);
  if (!inverts && !increments) {
    out->Add(SOFTLBR_OP_SELECT, width, dst, a, b, 0, condition);
    return Lifted::kNext;
  }
  const bool is_set = a == SOFTLBR_REG_ZERO && b == SOFTLBR_REG_ZERO && inverts != increments;
  if (is_set) {  // cset, csetm: 0 if the condition holds. The negation of ALWAYS is NEVER.
    out->Add(SOFTLBR_OP_SETCC, width, dst, 0, 0, 0, condition ^ 1, When(inverts, SOFTLBR_UOP_NEGATE));
    return Lifted::kNext;
  }
  const uint16_t other = out->Temp();
  if (!inverts) {
    out->Add(SOFTLBR_OP_ADD, width, other, b, 0, 1, 0, SOFTLBR_UOP_B_IMM);
  } else if (!increments) {
    out->Add(SOFTLBR_OP_NOT, width, other, b);
  } else {
    out->Add(SOFTLBR_OP_NEG, width, other, b);
  }
  out->Add(SOFTLBR_OP_SELECT, width, dst, a, other, 0, condition);
  return Lifted::kNext;
}

namespace {

// gmi: sets the tag's bit in an exclusion mask.
void InsertTagMask(uint32_t word, BlockBuilder* out) {
  const uint16_t tag = out->Temp();
  const uint16_t bit = out->Temp();
  out->Add(SOFTLBR_OP_BITFIELD, 8, tag, 0, XOrSp(Rn(word)), MoveField(56, 4, 0));
  out->Add(SOFTLBR_OP_CONST, 8, bit, 0, 0, 1);
  out->Add(SOFTLBR_OP_SHL, 8, bit, bit, tag);
  out->Add(SOFTLBR_OP_OR, 8, X(Rd(word)), X(Rm(word)), bit);
}

// subp, subps: subtract pointers, whose tags are replaced by sign extension from bit 55.
void SubtractPointers(uint32_t word, BlockBuilder* out) {
  const uint16_t a = out->Temp();
  const uint16_t b = out->Temp();
  out->Add(SOFTLBR_OP_BITFIELD, 8, a, 0, XOrSp(Rn(word)), MoveField(0, 56, 0), 0, SOFTLBR_UOP_SIGNED);
  out->Add(SOFTLBR_OP_BITFIELD, 8, b, 0, XOrSp(Rm(word)), MoveField(0, 56, 0), 0, SOFTLBR_UOP_SIGNED);
  out->Add(SOFTLBR_OP_SUB, 8, X(Rd(word)), a, b, 0, 0,
           When(Bit(word, 29), SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_CARRY_NOT_BORROW));
}

Lifted TwoSources(uint32_t word, BlockBuilder* out) {
  const uint32_t width = WidthBySf(word);
  const uint32_t dst = X(Rd(word));
  const uint32_t a = X(Rn(word));
  const uint32_t b = X(Rm(word));
  const uint32_t opcode = Field(word, 10, 6);
  if (Bit(word, 29) && (opcode != 0 || width == 4)) return Lifted::kUnallocated;
  // clang-format off
  switch (opcode) {
    case 0:
      if (width == 4) return Lifted::kUnallocated;
      SubtractPointers(word, out);
      return Lifted::kNext;
    case 2:
    case 3:
      out->Add(SOFTLBR_OP_DIV, width, dst, a, b, SOFTLBR_REG_ZERO, 0,
               SOFTLBR_UOP_NEGATE | When(opcode == 3, SOFTLBR_UOP_SIGNED));
      return Lifted::kNext;
    case 4:  // irg
      if (width == 4) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_MOV, 8, XOrSp(Rd(word)), XOrSp(Rn(word)));
      ForgetTag(XOrSp(Rd(word)), out);
      return Lifted::kNext;
    case 5:
      if (width == 4) return Lifted::kUnallocated;
      InsertTagMask(word, out);
      return Lifted::kNext;
    case 8:
    case 9:
    case 10:
    case 11:
      out->Add(kShiftOps[opcode & 3], width, dst, a, b);
      return Lifted::kNext;
    case 12:  // pacga: the code is the upper half
      if (width == 4) return Lifted::kUnallocated;
      out->AddUnknown(dst);
      return Lifted::kNext;
    case 16: case 17: case 18: case 19:  // crc32
    case 20: case 21: case 22: case 23: {  // crc32c
      const uint32_t bytes = 1u << (opcode & 3);
      if ((bytes == 8) != (width == 8)) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_CRC32C, 8, dst, a, b, 0, bytes, When(opcode < 20, SOFTLBR_UOP_NEGATE));
      return Lifted::kNext;
    }
    case 24: case 25: case 26: case 27:  // smax, umax, smin, umin
      AddExtreme(width, dst, a, b, 0, false, opcode >= 26, (opcode & 1) != 0, out);
      return Lifted::kNext;
    default:
      return Lifted::kUnallocated;
  }
  // clang-format on
}

// pacia .. xpacd: sign, authenticate or strip Rd.
Lifted Authentication(uint32_t word, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 10, 6);
  const uint32_t slot = X(Rd(word));
  const bool is_zero_form = opcode >= 8 && opcode < 16;
  const bool is_strip = opcode == 16 || opcode == 17;
  if (opcode < 18) {
    if ((is_zero_form || is_strip) && Rn(word) != kZeroRegister) return Lifted::kUnallocated;
    if (slot == SOFTLBR_REG_ZERO) return Lifted::kNext;
    const uint32_t modifier = is_zero_form ? uint32_t{SOFTLBR_REG_ZERO} : XOrSp(Rn(word));
    if (is_strip) {
      out->Add(SOFTLBR_OP_POINTER_STRIP, 8, slot, slot);
    } else if ((opcode & 4) != 0) {
      AddCheckedPointer(slot, slot, modifier, opcode & 3, out);
    } else {
      AddSignedPointer(slot, modifier, opcode & 3, out);
    }
    return Lifted::kNext;
  }
  // Forms that sign or authenticate x30 with sp and pc as modifiers.
  if (Rd(word) != 30) return Lifted::kUnallocated;
  if (opcode == 0x24 || opcode == 0x25) {  // autiasppcr, autibsppcr
    out->AddUnknown(slot);
    return Lifted::kNext;
  }
  const bool is_signing = opcode == 0x20 || opcode == 0x21 || opcode == 0x28 || opcode == 0x29;
  const bool is_1716 =
      Rn(word) == kZeroRegister && (opcode == 0x22 || opcode == 0x23 || opcode == 0x2e || opcode == 0x2f);
  if (is_signing && Rn(word) == kZeroRegister) {
    out->AddUnknown(slot);
    return Lifted::kNext;
  }
  if (is_1716) {  // pacia171615, pacib171615, autia171615, autib171615
    out->AddUnknown(X(17));
    return Lifted::kNext;
  }
  return Lifted::kUnallocated;
}

Lifted OneSource(uint32_t word, BlockBuilder* out) {
  const uint32_t width = WidthBySf(word);
  if (Bit(word, 29)) return Lifted::kUnallocated;
  if (Rm(word) == 1 && width == 8) return Authentication(word, out);
  if (Rm(word) != 0) return Lifted::kUnallocated;
  const uint32_t dst = X(Rd(word));
  const uint32_t a = X(Rn(word));
  switch (Field(word, 10, 6)) {
    case 0: out->Add(SOFTLBR_OP_BIT_REVERSE, width, dst, a); return Lifted::kNext;
    case 1: out->Add(SOFTLBR_OP_BYTE_SWAP_LANES, width, dst, a, 0, 0, 2); return Lifted::kNext;
    case 2:  // rev w, rev32 x
      out->Add(SOFTLBR_OP_BYTE_SWAP_LANES, width, dst, a, 0, 0, 4);
      return Lifted::kNext;
    case 3:
      if (width == 4) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_BYTE_SWAP, 8, dst, a);
      return Lifted::kNext;
    case 4: out->Add(SOFTLBR_OP_CLZ, width, dst, a); return Lifted::kNext;
    case 5: {  // cls: a bit equal to its upper neighbour becomes 0; counts leading zeroes without the sign bit
      const uint16_t same = out->Temp();
      out->Add(SOFTLBR_OP_SAR, width, same, a, 0, 1, 0, SOFTLBR_UOP_B_IMM);
      out->Add(SOFTLBR_OP_XOR, width, same, same, a);
      out->Add(SOFTLBR_OP_CLZ, width, same, same);
      out->Add(SOFTLBR_OP_SUB, width, dst, same, 0, 1, 0, SOFTLBR_UOP_B_IMM);
      return Lifted::kNext;
    }
    case 6: out->Add(SOFTLBR_OP_CTZ, width, dst, a); return Lifted::kNext;
    case 7: out->Add(SOFTLBR_OP_POPCOUNT, width, dst, a); return Lifted::kNext;
    case 8: {  // abs
      const uint16_t sign = out->Temp();
      const uint16_t flipped = out->Temp();
      out->Add(SOFTLBR_OP_SAR, width, sign, a, 0, static_cast<int32_t>(8 * width - 1), 0, SOFTLBR_UOP_B_IMM);
      out->Add(SOFTLBR_OP_XOR, width, flipped, a, sign);
      out->Add(SOFTLBR_OP_SUB, width, dst, flipped, sign);
      return Lifted::kNext;
    }
    default: return Lifted::kUnallocated;
  }
}

}  // namespace

Lifted LiftThreeSources(uint32_t word, BlockBuilder* out) {
  if (Field(word, 29, 2) != 0) return Lifted::kUnallocated;
  const uint32_t width = WidthBySf(word);
  const uint32_t op31 = Field(word, 21, 3);
  const bool subtracts = Bit(word, 15);
  const uint32_t dst = X(Rd(word));
  const uint32_t a = X(Rn(word));
  const uint32_t b = X(Rm(word));
  const auto c = static_cast<int32_t>(X(Ra(word)));
  const uint32_t flags = When(subtracts, SOFTLBR_UOP_NEGATE) | When((op31 & 4) == 0, SOFTLBR_UOP_SIGNED);
  if (op31 == 0) {
    if (!subtracts && c == SOFTLBR_REG_ZERO) {
      out->Add(SOFTLBR_OP_MUL, width, dst, a, b);
    } else {
      out->Add(SOFTLBR_OP_MADD, width, dst, a, b, c, 0, When(subtracts, SOFTLBR_UOP_NEGATE));
    }
    return Lifted::kNext;
  }
  if (width == 4) return Lifted::kUnallocated;
  switch (op31) {
    case 3:  // maddpt, msubpt
      out->AddUnknown(dst);
      return Lifted::kNext;
    case 1:
    case 5: out->Add(SOFTLBR_OP_MADD_LONG, 8, dst, a, b, c, 0, flags); return Lifted::kNext;
    case 2:
    case 6:
      if (subtracts) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_MUL_HIGH, 8, dst, a, b, 0, 0, flags);
      return Lifted::kNext;
    default: return Lifted::kUnallocated;
  }
}

void AddExtreme(uint32_t width, uint32_t dst, uint32_t a, uint32_t b, int32_t imm, bool is_immediate, bool is_minimum,
                bool is_unsigned, BlockBuilder* out) {
  // Uses vector ops on single register slots, which do not change flags.
  const uint16_t x = out->Temp();
  const uint16_t y = out->Temp();
  out->Add(SOFTLBR_OP_MOV, width, x, a);
  if (is_immediate) {
    out->Add(SOFTLBR_OP_CONST, width, y, 0, 0, imm);
  } else {
    out->Add(SOFTLBR_OP_MOV, width, y, b);
  }
  out->Add(is_minimum ? SOFTLBR_OP_VMIN : SOFTLBR_OP_VMAX, width, x, x, y, 0, width,
           When(!is_unsigned, SOFTLBR_UOP_SIGNED));
  out->Add(SOFTLBR_OP_MOV, width, dst, x);
}

Lifted LiftSources(uint32_t word, BlockBuilder* out) {
  return Bit(word, 30) ? OneSource(word, out) : TwoSources(word, out);
}

}  // namespace softlbr::a64
