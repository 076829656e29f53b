// Scalar floating point: x00x1111x. In half precision, moves, signs and selection have semantics; all else is UNKNOWN.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

constexpr int32_t kNearest = 0;
constexpr int32_t kDown = 1;
constexpr int32_t kUp = 2;
constexpr int32_t kTruncate = 3;

// Bytes of a format by bits 23:22; 0: no such format.
constexpr uint32_t FormatBytes(uint32_t type) {
  constexpr uint8_t kBytes[4] = {4, 8, 0, 2};
  return kBytes[type];
}

// V[number] = the low bytes of a register slot; the bytes above become 0.
void MoveToVector(uint32_t bytes, uint32_t number, uint32_t slot, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_MOV, bytes, V(number), slot);
  ZeroAbove(8, V(number), out);
}

// fmov between registers, fcvt to and from integers. rmode:opcode in bits 20..16.
Lifted IntegerConversion(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t width = WidthBySf(word);
  const uint32_t bytes = FormatBytes(type);
  const uint32_t rmode = Field(word, 19, 2);
  const uint32_t opcode = Field(word, 16, 3);
  const uint32_t x = X(Rd(word));
  if (type == 2) {  // fmov x, v.d[1] and back
    if (width != 8 || rmode != 1 || opcode < 6) return Lifted::kUnallocated;
    if (opcode == 6) {
      out->Add(SOFTLBR_OP_MOV, 8, x, V(Rn(word)) + 1);
    } else {
      out->Add(SOFTLBR_OP_MOV, 8, V(Rd(word)) + 1, X(Rn(word)));
    }
    return Lifted::kNext;
  }
  if (opcode >= 6) {
    if (rmode == 3 && opcode == 6 && width == 4 && bytes == 8) {  // fjcvtzs: Z = is exact, the other flags are 0
      out->Add(SOFTLBR_OP_UNKNOWN, 4, x, 0);
      out->Add(SOFTLBR_OP_FLAGS_CONST, 8, 0, 0, 0, kNzcv & ~SOFTLBR_FLAG_Z);
      out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, SOFTLBR_FLAG_Z);
      return Lifted::kNext;
    }
    if (rmode != 0 || (bytes != 2 && bytes != width)) return Lifted::kUnallocated;
    if (opcode == 7) {
      MoveToVector(bytes, Rd(word), X(Rn(word)), out);
    } else {
      out->Add(SOFTLBR_OP_MOV, bytes, x, V(Rn(word)));
    }
    return Lifted::kNext;
  }
  const bool is_unsigned = (opcode & 1) != 0;
  if (opcode == 2 || opcode == 3) {
    if (rmode != 0) return Lifted::kUnallocated;
    if (bytes == 2) return Forget(word, 2, out);
    const uint32_t d = V(Rd(word));
    AddConversion(false, width, bytes, is_unsigned, false, d, X(Rn(word)), out);
    ZeroAbove(bytes, d, out);
    return Lifted::kNext;
  }
  const bool ties_away = opcode >= 4;
  if (ties_away && rmode != 0) return Lifted::kUnallocated;
  if (bytes == 2 || ties_away) {
    out->Add(SOFTLBR_OP_UNKNOWN, width, x, 0);
    return Lifted::kNext;
  }
  uint32_t n = V(Rn(word));
  if (rmode == 1 || rmode == 2) {
    out->Add(SOFTLBR_OP_FROUND, bytes, VectorTemp(0), n, n, rmode == 1 ? kUp : kDown, bytes);
    n = VectorTemp(0);
  }
  AddConversion(true, width, bytes, is_unsigned, rmode == 3, x, n, out);
  return Lifted::kNext;
}

// Conversions to and from fixed point: UNKNOWN.
Lifted FixedConversion(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t width = WidthBySf(word);
  const uint32_t bytes = FormatBytes(type);
  const uint32_t key = Field(word, 16, 5);
  if (bytes == 0 || (width == 4 && !Bit(word, 15))) return Lifted::kUnallocated;
  if (key == 2 || key == 3) return Forget(word, bytes, out);
  if (key != 24 && key != 25) return Lifted::kUnallocated;
  out->Add(SOFTLBR_OP_UNKNOWN, width, X(Rd(word)), 0);
  return Lifted::kNext;
}

// fcvt between formats. target: 4, 8 or 2 bytes.
Lifted ConvertFormat(uint32_t word, uint32_t bytes, uint32_t target, BlockBuilder* out) {
  if (bytes == target) return Lifted::kUnallocated;
  if (bytes == 2 || target == 2) return Forget(word, target, out);
  const uint32_t d = V(Rd(word));
  out->Add(SOFTLBR_OP_FLOAT_TO_FLOAT, 8, d, V(Rn(word)), 0, static_cast<int32_t>(target), bytes, SOFTLBR_UOP_SCALAR);
  ZeroAbove(target, d, out);
  return Lifted::kNext;
}

void FlipSign(uint32_t bytes, uint32_t dst, uint32_t a, BlockBuilder* out) {
  if (bytes < 8) {
    out->Add(SOFTLBR_OP_XOR, bytes, dst, a, 0, bytes == 4 ? INT32_MIN : INT16_MIN, 0, SOFTLBR_UOP_B_IMM);
    return;
  }
  const uint16_t sign = out->Temp();
  out->AddConst(sign, INT64_MIN);
  out->Add(SOFTLBR_OP_XOR, 8, dst, a, sign);
}

Lifted OneSource(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t bytes = FormatBytes(type);
  const uint32_t opcode = Field(word, 15, 6);
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  if (bytes == 0) return Lifted::kUnallocated;
  int32_t rounding = kNearest;
  // clang-format off
  switch (opcode) {
    case 0:
      MoveToVector(bytes, Rd(word), n, out);
      return Lifted::kNext;
    case 1:  // fabs: clears the sign bit
      out->Add(SOFTLBR_OP_BITFIELD, 8, d, 0, n, static_cast<int32_t>((8 * bytes - 1) << 8));
      ZeroAbove(8, d, out);
      return Lifted::kNext;
    case 2:
      FlipSign(bytes, d, n, out);
      ZeroAbove(8, d, out);
      return Lifted::kNext;
    case 3:
      if (bytes == 2) return Forget(word, 2, out);
      out->Add(SOFTLBR_OP_FSQRT, bytes, d, n, n, 0, bytes);
      ZeroAbove(bytes, d, out);
      return Lifted::kNext;
    case 4:
      return ConvertFormat(word, bytes, 4, out);
    case 5:
      return ConvertFormat(word, bytes, 8, out);
    case 6:  // bfcvt
      return bytes == 8 ? Forget(word, 2, out) : Lifted::kUnallocated;
    case 7:
      return ConvertFormat(word, bytes, 2, out);
    case 8:
    case 14:  // frintx
    case 15:  // frinti
      break;
    case 9:
      rounding = kUp;
      break;
    case 10:
      rounding = kDown;
      break;
    case 11:
      rounding = kTruncate;
      break;
    case 12:  // frinta
      return Forget(word, bytes, out);
    case 16: case 17: case 18: case 19:  // frint32z ..
      return bytes == 2 ? Lifted::kUnallocated : Forget(word, bytes, out);
    default:
      return Lifted::kUnallocated;
  }
  // clang-format on
  if (bytes == 2) return Forget(word, 2, out);
  out->Add(SOFTLBR_OP_FROUND, bytes, d, n, n, rounding, bytes);
  ZeroAbove(bytes, d, out);
  return Lifted::kNext;
}

Lifted TwoSources(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t bytes = FormatBytes(type);
  const uint32_t opcode = Field(word, 12, 4);
  if (bytes == 0 || opcode > 8) return Lifted::kUnallocated;
  if (bytes == 2) return Forget(word, 2, out);
  const Shape s = ScalarShape(bytes);
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  const uint32_t m = V(Rm(word));
  constexpr uint8_t kOps[4] = {SOFTLBR_OP_FMUL, SOFTLBR_OP_FDIV, SOFTLBR_OP_FADD, SOFTLBR_OP_FSUB};
  if (opcode < 4) {
    AddLanes(kOps[opcode], s, d, n, m, out);
  } else if (opcode < 8) {
    AddFloatExtreme(s, (opcode & 1) != 0, d, n, m, out);
  } else {  // fnmul
    AddLanes(SOFTLBR_OP_FMUL, s, d, n, m, out);
    FlipSign(bytes, d, d, out);
  }
  ZeroAbove(bytes, d, out);
  return Lifted::kNext;
}

// Sets the flags of a comparison of Vn with Vm or zero.
void CompareFlags(uint32_t bytes, uint32_t n, uint32_t m, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_FCMP_FLAGS, bytes, 0, n, m, 0, bytes, SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_CARRY_NOT_BORROW);
}

Lifted Compare(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t bytes = FormatBytes(type);
  if (bytes == 0 || Field(word, 14, 2) != 0 || Field(word, 0, 3) != 0) return Lifted::kUnallocated;
  if (bytes == 2) {
    out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, kNzcv);
    return Lifted::kNext;
  }
  uint32_t m = V(Rm(word));
  if (Bit(word, 3)) {
    m = out->Temp();
    out->Add(SOFTLBR_OP_CONST, 8, m, 0, 0, 0);
  }
  CompareFlags(bytes, V(Rn(word)), m, out);
  return Lifted::kNext;
}

// fccmp: the flags of the comparison if the condition holds, else an immediate.
Lifted ConditionalCompare(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t bytes = FormatBytes(type);
  if (bytes == 0) return Lifted::kUnallocated;
  if (bytes == 2) {
    out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, kNzcv);
    return Lifted::kNext;
  }
  const uint16_t chosen = out->Temp();
  const uint16_t flags = out->Temp();
  const auto otherwise = static_cast<int32_t>(PackNzcv(Field(word, 0, 4)));
  // ones if it holds
  out->Add(SOFTLBR_OP_SETCC, 8, chosen, 0, 0, 0, kConditions[Field(word, 12, 4)], SOFTLBR_UOP_NEGATE);
  CompareFlags(bytes, V(Rn(word)), V(Rm(word)), out);
  out->Add(SOFTLBR_OP_GET_FLAGS, 8, flags, 0);
  out->Add(SOFTLBR_OP_AND, 8, flags, flags, chosen);
  out->Add(SOFTLBR_OP_NOT, 8, chosen, chosen);
  out->Add(SOFTLBR_OP_AND, 8, chosen, chosen, 0, otherwise, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_OR, 8, flags, flags, chosen);
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, flags, 0, kNzcv);
  return Lifted::kNext;
}

Lifted Select(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t bytes = FormatBytes(type);
  if (bytes == 0) return Lifted::kUnallocated;
  const uint32_t d = V(Rd(word));
  out->Add(SOFTLBR_OP_SELECT, bytes, d, V(Rn(word)), V(Rm(word)), 0, kConditions[Field(word, 12, 4)]);
  ZeroAbove(8, d, out);
  return Lifted::kNext;
}

Lifted Immediate(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t bytes = FormatBytes(type);
  const uint32_t imm = Field(word, 13, 8);
  if (bytes == 0 || Rn(word) != 0) return Lifted::kUnallocated;
  uint64_t value = 0;
  if (bytes == 8) value = ExpandFloat8(imm);
  if (bytes == 4) value = ExpandFloat4(imm);
  if (bytes == 2) value = (imm & 0x80) << 8 | ((imm & 0x40) != 0 ? 0x3000u : 0x4000u) | (imm & 0x3f) << 6;
  const uint32_t d = V(Rd(word));
  out->AddConst(d, static_cast<int64_t>(value));
  ZeroAbove(8, d, out);
  return Lifted::kNext;
}

Lifted ThreeSources(uint32_t word, uint32_t type, BlockBuilder* out) {
  const uint32_t bytes = FormatBytes(type);
  if (bytes == 0 || Bit(word, 31)) return Lifted::kUnallocated;
  if (bytes == 2) return Forget(word, 2, out);
  const bool negates = Bit(word, 21);    // fnmadd, fnmsub: -(a) ..
  const bool subtracts = Bit(word, 15);  // fmsub: a - n * m; fnmsub: n * m - a
  const uint32_t d = V(Rd(word));
  const uint32_t flags = When(subtracts != negates, SOFTLBR_UOP_NEGATE) | When(negates, SOFTLBR_UOP_SIGNED);
  out->Add(SOFTLBR_OP_FMADD, bytes, d, V(Rn(word)), V(Rm(word)), static_cast<int32_t>(V(Ra(word))), bytes, flags);
  ZeroAbove(bytes, d, out);
  return Lifted::kNext;
}

}  // namespace

void AddConversion(bool to_integer, uint32_t integer_bytes, uint32_t float_bytes, bool is_unsigned, bool truncates,
                   uint32_t dst, uint32_t a, BlockBuilder* out) {
  const uint32_t flags = When(!is_unsigned, SOFTLBR_UOP_SIGNED);
  if (to_integer) {
    out->Add(SOFTLBR_OP_FLOAT_TO_INT, integer_bytes, dst, a, 0, truncates ? 1 : 0, float_bytes,
             flags | SOFTLBR_UOP_CARRY_NOT_BORROW);
  } else {
    out->Add(SOFTLBR_OP_INT_TO_FLOAT, integer_bytes, dst, a, 0, 0, float_bytes, flags);
  }
}

Lifted LiftScalarFloat(uint32_t word, BlockBuilder* out) {
  const uint32_t type = Field(word, 22, 2);
  if (Bit(word, 29)) return Lifted::kUnallocated;
  if (Bit(word, 24)) return ThreeSources(word, type, out);
  if (!Bit(word, 21)) return FixedConversion(word, type, out);
  const uint32_t low = Field(word, 10, 6);
  if (low == 0) return IntegerConversion(word, type, out);
  if (Bit(word, 31)) return Lifted::kUnallocated;
  switch (low & 3) {
    case 1: return ConditionalCompare(word, type, out);
    case 2: return TwoSources(word, type, out);
    case 3: return Select(word, type, out);
    default: break;
  }
  if ((low & 4) != 0) return Immediate(word, type, out);
  if ((low & 8) != 0) return Compare(word, type, out);
  return (low & 16) != 0 ? OneSource(word, type, out) : Lifted::kUnallocated;
}

}  // namespace softlbr::a64
