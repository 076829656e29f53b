// Scalar operands: their register slot, their byte within it, and how a result is written back.
//
// 32-bit results zero-extend, 8- and 16-bit results merge, ah ch dh bh are byte 1 of their register slot. Temporaries
// are always written as a whole. Used by the integer families only.
#ifndef SOFTLBR_DECODERS_X86_64_LIFT_SCALAR_OPERANDS_H_
#define SOFTLBR_DECODERS_X86_64_LIFT_SCALAR_OPERANDS_H_

#include "decoders/x86_64/lift/lift.h"

namespace softlbr::x86 {

struct Operand {
  uint16_t slot;
  bool is_high;  // byte 1
};

SOFTLBR_HANDLER_SAFE inline Operand SlotOperand(uint32_t slot) { return Operand{static_cast<uint16_t>(slot), false}; }

// Width of the operation: bit 0 of most opcodes distinguishes byte forms.
SOFTLBR_HANDLER_SAFE inline uint32_t WidthByBit0(const Instruction& in) { return in.opcode & 1 ? in.operand_bytes : 1; }

SOFTLBR_HANDLER_SAFE inline Operand Register(const Instruction& in, uint32_t number, uint32_t width) {
  if (width == 1 && !in.has_rex && number >= 4 && number < 8) return Operand{GprSlot(number - 4), true};
  return Operand{GprSlot(number), false};
}
SOFTLBR_HANDLER_SAFE inline Operand Reg(const Instruction& in, uint32_t width) { return Register(in, in.reg, width); }
SOFTLBR_HANDLER_SAFE inline Operand RmRegister(const Instruction& in, uint32_t width) {
  return Register(in, in.rm, width);
}

SOFTLBR_HANDLER_SAFE inline uint32_t AsA(const Operand& a) { return a.is_high ? SOFTLBR_UOP_A_HIGH : 0; }
SOFTLBR_HANDLER_SAFE inline uint32_t AsB(const Operand& b) { return b.is_high ? SOFTLBR_UOP_B_HIGH : 0; }
// Uop flags for writing a general register.
SOFTLBR_HANDLER_SAFE inline uint32_t AsDst(const Operand& dst, uint32_t width) {
  if (dst.is_high) return SOFTLBR_UOP_DST_HIGH | SOFTLBR_UOP_MERGE;
  return width < 4 ? SOFTLBR_UOP_MERGE : 0;
}

SOFTLBR_HANDLER_SAFE inline void AddMov(const Operand& dst, const Operand& a, uint32_t width, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_MOV, width, dst.slot, a.slot, 0, 0, 0, AsDst(dst, width) | AsA(a));
}
SOFTLBR_HANDLER_SAFE inline void AddLoad(uint32_t slot, const Address& address, uint32_t width, BlockBuilder* out) {
  AddMemory(SOFTLBR_OP_LOAD, width, slot, address, 0, out);
}
// The loaded operand of an atomic operation stays known only if SOFTLBR_REG_ATOMIC is.
SOFTLBR_HANDLER_SAFE inline void AddGate(uint32_t slot, uint32_t width, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_OR, width, slot, slot, SOFTLBR_REG_ATOMIC);
}
// The load of a read-modify-write.
SOFTLBR_HANDLER_SAFE inline void AddLoadToModify(const Instruction& in, uint32_t slot, const Address& address,
                                                 uint32_t width, BlockBuilder* out) {
  AddLoad(slot, address, width, out);
  if (in.has_lock) AddGate(slot, width, out);
}
SOFTLBR_HANDLER_SAFE inline void AddStore(const Operand& value, const Address& address, uint32_t width,
                                          BlockBuilder* out) {
  AddMemory(SOFTLBR_OP_STORE, width, value.slot, address, value.is_high ? uint32_t{SOFTLBR_UOP_DST_HIGH} : 0u, out);
}
// The register (or part of it) becomes UNKNOWN.
SOFTLBR_HANDLER_SAFE inline void AddForget(const Operand& dst, uint32_t width, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_UNKNOWN, width, dst.slot, 0, 0, 0, 0, AsDst(dst, width));
}

// The value of r/m; a memory operand is loaded into a temporary.
SOFTLBR_HANDLER_SAFE inline Operand ReadRm(const Instruction& in, uint32_t width, BlockBuilder* out) {
  if (in.mod == 3) return RmRegister(in, width);
  const Address address = MemoryAddress(in, out);
  const uint16_t temp = out->Temp();
  AddLoad(temp, address, width, out);
  return Operand{temp, false};
}

// Writes a value to r/m. A 32-bit register write zero-extends as usual.
SOFTLBR_HANDLER_SAFE inline void WriteRm(const Instruction& in, const Operand& value, uint32_t width,
                                         BlockBuilder* out) {
  if (in.mod == 3) {
    AddMov(RmRegister(in, width), value, width, out);
  } else {
    AddStore(value, MemoryAddress(in, out), width, out);
  }
}

// Families. Each handles the forms that lift_integer.cc dispatches to it, and returns false for the few it leaves to
// the clobberer.
SOFTLBR_HANDLER_SAFE bool LiftAlu(const Instruction& in, BlockBuilder* out);       // lift_alu.cc
SOFTLBR_HANDLER_SAFE bool LiftAluGroup(const Instruction& in, BlockBuilder* out);  // 80 81 83
SOFTLBR_HANDLER_SAFE bool LiftTest(const Instruction& in, BlockBuilder* out);      // 84 85 a8 a9
SOFTLBR_HANDLER_SAFE bool LiftIncDec(const Instruction& in, BlockBuilder* out);    // fe ff /0 /1
SOFTLBR_HANDLER_SAFE bool LiftGroup3(const Instruction& in, BlockBuilder* out);    // f6 f7; lift_multiply.cc
SOFTLBR_HANDLER_SAFE bool LiftMultiply(const Instruction& in, BlockBuilder* out);  // imul r, r/m[, imm]
SOFTLBR_HANDLER_SAFE bool LiftAdcxAdox(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftMove(const Instruction& in, BlockBuilder* out);    // lift_move.cc
SOFTLBR_HANDLER_SAFE bool LiftExtend(const Instruction& in, BlockBuilder* out);  // movzx movsx movsxd
SOFTLBR_HANDLER_SAFE bool LiftLea(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftConditional(const Instruction& in, BlockBuilder* out);  // setcc cmovcc
SOFTLBR_HANDLER_SAFE bool LiftExchange(const Instruction& in, BlockBuilder* out);     // xchg xadd cmpxchg
SOFTLBR_HANDLER_SAFE bool LiftShift(const Instruction& in, BlockBuilder* out);        // lift_shift.cc
SOFTLBR_HANDLER_SAFE bool LiftDoubleShift(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftBitTest(const Instruction& in, BlockBuilder* out);  // lift_bit.cc
SOFTLBR_HANDLER_SAFE bool LiftBitScan(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftVexInteger(const Instruction& in, BlockBuilder* out);  // BMI1, BMI2
SOFTLBR_HANDLER_SAFE bool LiftString(const Instruction& in, BlockBuilder* out);      // lift_string.cc
SOFTLBR_HANDLER_SAFE bool LiftStack(const Instruction& in, BlockBuilder* out);       // lift_stack.cc
SOFTLBR_HANDLER_SAFE bool LiftMisc(const Instruction& in, BlockBuilder* out);        // lift_misc.cc
SOFTLBR_HANDLER_SAFE bool LiftMisc0F(const Instruction& in, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftMisc0F38(const Instruction& in, BlockBuilder* out);

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_LIFT_SCALAR_OPERANDS_H_
