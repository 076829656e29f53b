// not, neg, multiplication and division.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

constexpr uint32_t kRax = SOFTLBR_X86_RAX;
constexpr uint32_t kRdx = SOFTLBR_X86_RDX;

// not, neg.
bool Unary(const Instruction& in, uint32_t op, uint32_t flags, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  if (in.mod == 3) {
    if (in.has_lock) return false;
    const Operand rm = RmRegister(in, width);
    out->Add(op, width, rm.slot, rm.slot, 0, 0, 0, flags | AsA(rm) | AsDst(rm, width));
    return true;
  }
  const Address address = MemoryAddress(in, out);
  const uint16_t temp = out->Temp();
  AddLoadToModify(in, temp, address, width, out);
  out->Add(op, width, temp, temp, 0, 0, 0, flags);
  AddStore(SlotOperand(temp), address, width, out);
  return true;
}

// mul, imul with one operand. Byte forms: ax = al * r/m8.
void WideMultiply(const Instruction& in, uint32_t sign, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  const Operand source = ReadRm(in, width, out);
  const uint16_t high = out->Temp();
  if (width == 1) {
    const uint16_t low = out->Temp();
    out->Add(SOFTLBR_OP_MUL_HIGH, 1, high, kRax, source.slot, 0, 0, sign | AsB(source));
    out->Add(SOFTLBR_OP_MUL, 1, low, kRax, source.slot, 0, 0, sign | AsB(source) | SOFTLBR_UOP_SET_FLAGS);
    AddMov(SlotOperand(kRax), SlotOperand(low), 1, out);
    AddMov(Operand{kRax, true}, SlotOperand(high), 1, out);
    return;
  }
  const uint32_t merge = width == 2 ? SOFTLBR_UOP_MERGE : 0;
  out->Add(SOFTLBR_OP_MUL_HIGH, width, high, kRax, source.slot, 0, 0, sign);
  out->Add(SOFTLBR_OP_MUL, width, kRax, kRax, source.slot, 0, 0, sign | merge | SOFTLBR_UOP_SET_FLAGS);
  AddMov(SlotOperand(kRdx), SlotOperand(high), width, out);
}

// div, idiv. Byte forms: ax / r/m8, quotient to al, remainder to ah.
void Divide(const Instruction& in, uint32_t sign, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  const Operand source = ReadRm(in, width, out);
  uint16_t high = kRdx;
  if (width == 1) {
    high = out->Temp();
    out->Add(SOFTLBR_OP_MOV, 1, high, kRax, 0, 0, 0, SOFTLBR_UOP_A_HIGH);
  }
  const uint16_t quotient = out->Temp();
  const uint16_t remainder = out->Temp();
  const uint32_t flags = sign | AsB(source);
  out->Add(SOFTLBR_OP_REM, width, remainder, kRax, source.slot, high, 0, flags);
  out->Add(SOFTLBR_OP_DIV, width, quotient, kRax, source.slot, high, 0, flags | SOFTLBR_UOP_SET_FLAGS);
  AddMov(SlotOperand(kRax), SlotOperand(quotient), width, out);
  AddMov(width == 1 ? Operand{kRax, true} : SlotOperand(kRdx), SlotOperand(remainder), width, out);
}

}  // namespace

bool LiftGroup3(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.Extension()) {
    case 0: case 1:
      return LiftTest(in, out);
    case 2:
      return Unary(in, SOFTLBR_OP_NOT, 0, out);
    case 3:
      return Unary(in, SOFTLBR_OP_NEG, SOFTLBR_UOP_SET_FLAGS, out);
    case 4:
      WideMultiply(in, 0, out);
      return true;
    case 5:
      WideMultiply(in, SOFTLBR_UOP_SIGNED, out);
      return true;
    case 6:
      Divide(in, 0, out);
      return true;
    default:
      Divide(in, SOFTLBR_UOP_SIGNED, out);
      return true;
  }
  // clang-format on
}

// 0f af; 69, 6b.
bool LiftMultiply(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.operand_bytes;
  const Operand source = ReadRm(in, width, out);
  const Operand reg = Reg(in, width);
  const uint32_t flags = SOFTLBR_UOP_SIGNED | SOFTLBR_UOP_SET_FLAGS | AsDst(reg, width);
  if (in.imm_bytes != 0) {
    out->Add(SOFTLBR_OP_MUL, width, reg.slot, source.slot, 0, static_cast<int32_t>(in.imm), 0,
             flags | SOFTLBR_UOP_B_IMM);
  } else {
    out->Add(SOFTLBR_OP_MUL, width, reg.slot, reg.slot, source.slot, 0, 0, flags);
  }
  return true;
}

}  // namespace softlbr::x86
