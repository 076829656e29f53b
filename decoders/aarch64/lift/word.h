// Fields of an A64 instruction word, and the register slots of its register numbers.
//
// Depending on the instruction, register number 31 is the zero register (X()) or the stack pointer (XOrSp()).
#ifndef SOFTLBR_DECODERS_AARCH64_LIFT_WORD_H_
#define SOFTLBR_DECODERS_AARCH64_LIFT_WORD_H_

#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"
#include "platform/base/registers_aarch64.h"

namespace softlbr::a64 {

inline constexpr uint32_t kWordBytes = 4;
inline constexpr uint32_t kZeroRegister = 31;

// `count` bits, starting at bit `low`.
SOFTLBR_HANDLER_SAFE constexpr uint32_t Field(uint32_t word, uint32_t low, uint32_t count) {
  return word >> low & ((1u << count) - 1);
}
SOFTLBR_HANDLER_SAFE constexpr bool Bit(uint32_t word, uint32_t index) { return (word >> index & 1) != 0; }
SOFTLBR_HANDLER_SAFE constexpr int32_t SignedField(uint32_t word, uint32_t low, uint32_t count) {
  return static_cast<int32_t>(word << (32 - low - count)) >> (32 - count);
}

// The flag if the condition holds, else 0.
SOFTLBR_HANDLER_SAFE constexpr uint32_t When(bool condition, uint32_t flag) { return condition ? flag : 0; }

// Position of the registers in most forms.
SOFTLBR_HANDLER_SAFE constexpr uint32_t Rd(uint32_t word) { return Field(word, 0, 5); }
SOFTLBR_HANDLER_SAFE constexpr uint32_t Rn(uint32_t word) { return Field(word, 5, 5); }
SOFTLBR_HANDLER_SAFE constexpr uint32_t Ra(uint32_t word) { return Field(word, 10, 5); }
SOFTLBR_HANDLER_SAFE constexpr uint32_t Rm(uint32_t word) { return Field(word, 16, 5); }

static_assert(SOFTLBR_A64_SP == SOFTLBR_A64_X0 + 31, "XOrSp relies on it");
SOFTLBR_HANDLER_SAFE constexpr uint32_t X(uint32_t number) {
  return number == kZeroRegister ? uint32_t{SOFTLBR_REG_ZERO} : SOFTLBR_A64_X0 + number;
}
SOFTLBR_HANDLER_SAFE constexpr uint32_t XOrSp(uint32_t number) { return SOFTLBR_A64_X0 + number; }
SOFTLBR_HANDLER_SAFE constexpr uint32_t V(uint32_t number) {
  return SOFTLBR_REG_VECTOR + SOFTLBR_SLOTS_PER_VECTOR * number;
}
// Temporary vectors 0..3.
SOFTLBR_HANDLER_SAFE constexpr uint32_t VectorTemp(uint32_t index) {
  return SOFTLBR_REG_VECTOR_TEMP + SOFTLBR_SLOTS_PER_VECTOR * index;
}

// 8 or 4 bytes, according to bit 31.
SOFTLBR_HANDLER_SAFE constexpr uint32_t WidthBySf(uint32_t word) { return Bit(word, 31) ? 8 : 4; }

// A64 condition codes as IR conditions. 15 ("nv") is always true, like 14.
inline constexpr uint8_t kConditions[16] = {
    SOFTLBR_COND_Z,  SOFTLBR_COND_NZ, SOFTLBR_COND_C,      SOFTLBR_COND_NC,     SOFTLBR_COND_S,  SOFTLBR_COND_NS,
    SOFTLBR_COND_V,  SOFTLBR_COND_NV, SOFTLBR_COND_HI,     SOFTLBR_COND_LS,     SOFTLBR_COND_GE, SOFTLBR_COND_LT,
    SOFTLBR_COND_GT, SOFTLBR_COND_LE, SOFTLBR_COND_ALWAYS, SOFTLBR_COND_ALWAYS,
};

// The four flags of A64, and the packed form of an immediate N:Z:C:V.
inline constexpr uint32_t kNzcv = SOFTLBR_FLAG_S | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_C | SOFTLBR_FLAG_V;
SOFTLBR_HANDLER_SAFE constexpr uint32_t PackNzcv(uint32_t nzcv) {
  return When(nzcv & 8, SOFTLBR_FLAG_S) | When(nzcv & 4, SOFTLBR_FLAG_Z) | When(nzcv & 2, SOFTLBR_FLAG_C) |
         When(nzcv & 1, SOFTLBR_FLAG_V);
}

}  // namespace softlbr::a64

#endif  // SOFTLBR_DECODERS_AARCH64_LIFT_WORD_H_
