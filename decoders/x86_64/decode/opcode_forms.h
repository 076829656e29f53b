// Which opcodes exist and what follows each. Constant tables, computed at compile time.
//
// Who reads: decode.cc only. Source: the encoding rules of the Intel and AMD manuals, 64-bit mode.
#ifndef SOFTLBR_DECODERS_X86_64_DECODE_OPCODE_FORMS_H_
#define SOFTLBR_DECODERS_X86_64_DECODE_OPCODE_FORMS_H_

#include <cstdint>

#include "decoders/x86_64/decode/instruction.h"

namespace softlbr::x86 {

// One byte per opcode: kValid, kModrm, operand restrictions, and the kind of immediate in the low bits.
enum Form : uint8_t {
  kInvalid = 0,
  kValid = 0x80,
  kModrm = 0x40 | kValid,
  kMemoryOnly = 0x20,                      // a register operand is invalid
  kRegisterOnly = 0x10,                    // a memory operand is invalid
  kChecked = kMemoryOnly | kRegisterOnly,  // neither; IsValidModrm() decides
  kImmMask = 0x0f,
  kImm8 = 1,
  kImm16 = 2,
  kImmZ = 3,       // 16 bits with 66 and no REX.W, else 32
  kImmV = 4,       // operand size: 16, 32 or 64 bits
  kRel32 = 5,      // 32 bits. With 66 and no REX.W: 16 on AMD processors; invalid if the CPU is not known
  kOffset = 6,     // absolute address: 64 bits, or 32 with 67
  kImm16Imm8 = 7,  // enter
  kGroup3 = 8,     // F6, F7: an immediate for /0 and /1 only
};

struct FormTable {
  uint8_t form[256];
};

extern const FormTable kOneByteForms;
extern const FormTable k0FForms;
extern const FormTable k0F38Forms;
extern const FormTable k0F3AForms;
// VEX maps 1, 2, 3.
extern const FormTable kVexForms[3];
// EVEX maps 1, 2, 3, (4: none), 5, 6.
extern const FormTable kEvexForms[6];

// For kChecked opcodes, whose group rules do not fit one byte: is the form with this modrm byte an instruction?
// opcode_groups.cc
SOFTLBR_HANDLER_SAFE bool IsValidModrm(const Instruction& in, uint8_t modrm);

// 3DNow! suffix bytes.
SOFTLBR_HANDLER_SAFE bool IsValid3dNow(uint8_t suffix);

// EVEX: the factor by which disp8 is scaled, or 0 if not known. evex_tuples.cc
SOFTLBR_HANDLER_SAFE uint32_t EvexDisplacementScale(const Instruction& in);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_DECODE_OPCODE_FORMS_H_
