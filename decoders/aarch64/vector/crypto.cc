// AES, SHA, SM3, SM4. Instructions that only combine and rotate bits are exact; rounds are UNKNOWN.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

Lifted ForgetWhole(uint32_t word, bool is_allocated, BlockBuilder* out) {
  return is_allocated ? Forget(word, 16, out) : Lifted::kUnallocated;
}

// Bits 15:14 of the 11001110 space with 23:21 = 011: SHA-512, SM3 and SM4 steps, rax1.
Lifted ThreeRegisters(uint32_t word, BlockBuilder* out) {
  if (!Bit(word, 15) || Field(word, 12, 2) != 0) return Lifted::kUnallocated;
  const uint32_t opcode = Field(word, 10, 2);
  if (Bit(word, 14)) return ForgetWhole(word, opcode != 3, out);
  if (opcode != 3) return ForgetWhole(word, true, out);
  const uint32_t turned = VectorTemp(0);  // rax1: m rotated by one
  for (uint32_t i = 0; i < 2; ++i) out->Add(SOFTLBR_OP_ROL, 8, turned + i, V(Rm(word)) + i, 0, 1, 0, SOFTLBR_UOP_B_IMM);
  AddBits(SOFTLBR_OP_XOR, 16, V(Rd(word)), V(Rn(word)), turned, out);
  return Lifted::kNext;
}

Lifted FourRegisters(uint32_t word, BlockBuilder* out) {
  if (Bit(word, 15)) return Lifted::kUnallocated;
  const uint32_t x = VectorTemp(0);
  const uint32_t d = V(Rd(word));
  switch (Field(word, 21, 2)) {
    case 0:  // eor3
      AddBits(SOFTLBR_OP_XOR, 16, x, V(Rm(word)), V(Ra(word)), out);
      AddBits(SOFTLBR_OP_XOR, 16, d, x, V(Rn(word)), out);
      return Lifted::kNext;
    case 1:  // bcax
      AddBits(SOFTLBR_OP_ANDN, 16, x, V(Rm(word)), V(Ra(word)), out, SOFTLBR_UOP_NEGATE);
      AddBits(SOFTLBR_OP_XOR, 16, d, x, V(Rn(word)), out);
      return Lifted::kNext;
    default:  // sm3ss1
      return ForgetWhole(word, true, out);
  }
}

Lifted LiftCe(uint32_t word, BlockBuilder* out) {
  if (!Bit(word, 23)) {
    switch (Field(word, 21, 2)) {
      case 2:  // sm3tt, or sm3ss1
        if (!Bit(word, 15)) return FourRegisters(word, out);
        return ForgetWhole(word, Field(word, 14, 2) == 2, out);
      case 3: return ThreeRegisters(word, out);
      default: return FourRegisters(word, out);
    }
  }
  if (Field(word, 21, 2) == 0) {  // xar
    const uint32_t d = V(Rd(word));
    AddBits(SOFTLBR_OP_XOR, 16, d, V(Rn(word)), V(Rm(word)), out);
    for (uint32_t i = 0; i < 2; ++i)
      out->Add(SOFTLBR_OP_ROR, 8, d + i, d + i, 0, static_cast<int32_t>(Field(word, 10, 6)), 0, SOFTLBR_UOP_B_IMM);
    return Lifted::kNext;
  }
  // sha512su0, sm4e
  return ForgetWhole(word, Field(word, 12, 11) == 0x408 && Field(word, 10, 2) < 2, out);
}

}  // namespace

Lifted LiftCrypto(uint32_t word, BlockBuilder* out) {
  if (Field(word, 24, 8) == 0xce) return LiftCe(word, out);
  if (Field(word, 22, 2) != 0 || Bit(word, 29)) return Lifted::kUnallocated;
  const bool is_scalar = Bit(word, 28);
  if (!Bit(word, 21)) {  // sha1c .. sha256su1
    return ForgetWhole(word, is_scalar && !Bit(word, 15) && Field(word, 12, 3) != 7 && Field(word, 10, 2) == 0, out);
  }
  const uint32_t opcode = Field(word, 12, 5);
  if (is_scalar) {  // sha1h: the result has 4 bytes
    if (opcode > 2) return Lifted::kUnallocated;
    return Forget(word, opcode == 0 ? 4 : 16, out);
  }
  return ForgetWhole(word, Bit(word, 30) && opcode >= 4 && opcode < 8, out);  // aese ..
}

}  // namespace softlbr::a64
