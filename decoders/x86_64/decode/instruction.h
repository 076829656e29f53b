// The form of one 64-bit-mode instruction: what its bytes encode, not what it does.
//
// Who fills it: Decode() (decode.cc). Who reads it: lift_*.cc, clobber_*.cc. Memory: the caller's, 64 bytes, no
// pointers. An instruction that Decode() does not know is kUnknown: its length is never guessed.
#ifndef SOFTLBR_DECODERS_X86_64_DECODE_INSTRUCTION_H_
#define SOFTLBR_DECODERS_X86_64_DECODE_INSTRUCTION_H_

#include <cstddef>
#include <cstdint>

#include "decoders/api/ir.h"
#include "decoders/x86_64/decode/cpu.h"
#include "platform/base/attributes.h"
#include "platform/base/registers_x86_64.h"

namespace softlbr::x86 {

inline constexpr uint32_t kMaxInstructionBytes = 15;

enum class Encoding : uint8_t { kLegacy = 0, kVex = 1, kEvex = 2, k3dNow = 3 };

// Legacy, VEX.mmmmm and EVEX.mmm share the numbers.
enum class Map : uint8_t { kOneByte = 0, k0F = 1, k0F38 = 2, k0F3A = 3, kMap5 = 5, kMap6 = 6 };

// The mandatory prefix, numbered like VEX.pp. In legacy forms F2 and F3 take precedence over 66.
enum class Pp : uint8_t { kNone = 0, k66 = 1, kF3 = 2, kF2 = 3 };

enum class Segment : uint8_t { kNone = 0, kFs = 1, kGs = 2 };

struct Instruction {
  uint8_t length;
  Encoding encoding;
  Map map;
  uint8_t opcode;  // last opcode byte; for 3DNow! 0x0f, with the suffix in imm

  Pp pp;
  bool has_66;  // a legacy prefix 66 was present, regardless of pp
  uint8_t rep;  // 0, 0xf2 or 0xf3: the last one seen (legacy)
  bool has_lock;

  Segment segment;     // fs or gs; es cs ss ds have no effect in 64-bit mode
  bool has_3e;         // notrack on indirect branches
  bool is_address_32;  // prefix 67: addresses are cut to 32 bits
  bool has_rex;        // legacy: registers 4-7 of byte operands are spl bpl sil dil, not ah ch dh bh

  bool w;                 // REX.W / VEX.W / EVEX.W
  uint8_t operand_bytes;  // legacy: 8 with REX.W, else 2 with 66, else 4. The opcode tells byte forms.
  uint8_t vector_bytes;   // VEX/EVEX: 16, 32, 64; EVEX.b on registers: 64. Legacy: 16
  uint8_t vvvv;           // VEX/EVEX: 0..31

  bool has_modrm;
  uint8_t mod;  // 0..3; 3: register form
  uint8_t reg;  // with REX.R / R': 0..15, EVEX 0..31. As a mask or an opcode extension, use & 7
  uint8_t rm;   // with REX.B (EVEX vectors: also X): 0..31. As a general register, use & 15

  uint8_t mask;       // EVEX.aaa: 0 is "no mask"
  bool is_zeroing;    // EVEX.z
  bool is_broadcast;  // EVEX.b: memory broadcast, or rounding / SAE on registers
  uint8_t rounding;   // EVEX.b on registers: L'L

  // Memory operand (IsMemory()): segment + base + (index << scale) + disp. An absent base or index is SOFTLBR_REG_ZERO.
  // base == SOFTLBR_REG_BLOCK: rip-relative, disp counts from the end of this instruction.
  uint8_t scale;
  bool is_vsib;  // the index is vector register vsib_index; `index` is SOFTLBR_REG_ZERO
  uint8_t vsib_index;
  bool is_disp_exact;  // false: EVEX disp8 of an opcode whose tuple is not known; the address is UNKNOWN
  uint16_t base;
  uint16_t index;
  int32_t disp;

  uint8_t imm_bytes;  // 0 if there is no immediate
  uint8_t imm2;       // enter's second immediate
  uint8_t cpu;        // CpuBits: the CPU it runs on, as given to Decode()
  int64_t imm;        // sign-extended; moffs: the absolute address

  SOFTLBR_HANDLER_SAFE bool IsMemory() const { return has_modrm && mod != 3; }
  SOFTLBR_HANDLER_SAFE bool IsRegister() const { return has_modrm && mod == 3; }
  SOFTLBR_HANDLER_SAFE bool IsRipRelative() const { return base == SOFTLBR_REG_BLOCK; }
  SOFTLBR_HANDLER_SAFE uint32_t Extension() const { return reg & 7u; }  // opcode extension of groups
  SOFTLBR_HANDLER_SAFE uint8_t ImmByte() const { return static_cast<uint8_t>(imm); }
};

// Register slots by register number.
SOFTLBR_HANDLER_SAFE inline uint16_t GprSlot(uint32_t number) {
  return static_cast<uint16_t>(SOFTLBR_X86_RAX + (number & 15u));
}
SOFTLBR_HANDLER_SAFE inline uint16_t VectorSlot(uint32_t number) {
  return static_cast<uint16_t>(SOFTLBR_REG_VECTOR + SOFTLBR_SLOTS_PER_VECTOR * (number & 31u));
}
SOFTLBR_HANDLER_SAFE inline uint16_t MaskSlot(uint32_t number) {
  return static_cast<uint16_t>(SOFTLBR_X86_K0 + (number & 7u));
}
SOFTLBR_HANDLER_SAFE inline uint16_t MmxSlot(uint32_t number) {
  return static_cast<uint16_t>(SOFTLBR_X86_MM0 + (number & 7u));
}

enum class DecodeResult : uint8_t {
  kOk = 0,
  kUnknown = 1,    // not an instruction we know; *out is undefined
  kTruncated = 2,  // needs bytes beyond the window; *out is undefined
};

// Decodes the instruction at code[0..size) as a processor with these CpuBits does. kUnknown if the length depends on a
// property that is not known. Reads no byte beyond size. Cost: about 10 ns.
SOFTLBR_HANDLER_SAFE DecodeResult Decode(const uint8_t* code, size_t size, uint8_t cpu, Instruction* out);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_DECODE_INSTRUCTION_H_
