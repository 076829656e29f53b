// Shifts and rotates, single and double.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

constexpr uint8_t kShiftOps[8] = {SOFTLBR_OP_ROL, SOFTLBR_OP_ROR, SOFTLBR_OP_RCL, SOFTLBR_OP_RCR,
                                  SOFTLBR_OP_SHL, SOFTLBR_OP_SHR, SOFTLBR_OP_SHL, SOFTLBR_OP_SAR};

}  // namespace

// c0 c1 (imm8), d0 d1 (by one), d2 d3 (by cl).
bool LiftShift(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  const uint32_t op = kShiftOps[in.Extension()];
  const bool is_by_cl = in.opcode >= 0xd2;
  const int32_t count = is_by_cl ? 0 : in.imm_bytes != 0 ? in.ImmByte() : 1;
  const uint32_t flags = SOFTLBR_UOP_SET_FLAGS | (is_by_cl ? 0u : uint32_t{SOFTLBR_UOP_B_IMM});
  const uint32_t counter = is_by_cl ? uint32_t{SOFTLBR_X86_RCX} : uint32_t{SOFTLBR_REG_ZERO};
  if (in.mod == 3) {
    const Operand rm = RmRegister(in, width);
    out->Add(op, width, rm.slot, rm.slot, counter, count, 0, flags | AsA(rm) | AsDst(rm, width));
    return true;
  }
  const Address address = MemoryAddress(in, out);
  const uint16_t temp = out->Temp();
  AddLoad(temp, address, width, out);
  out->Add(op, width, temp, temp, counter, count, 0, flags);
  AddStore(SlotOperand(temp), address, width, out);
  return true;
}

// 0f a4 a5 (shld), ac ad (shrd). 16-bit forms with counts above 16 are undefined: the result is UNKNOWN, and so is
// every
// 16-bit result with the count in cl.
bool LiftDoubleShift(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.operand_bytes;
  const uint32_t op = in.opcode < 0xa8 ? SOFTLBR_OP_SHLD : SOFTLBR_OP_SHRD;
  const bool is_by_cl = in.opcode & 1;
  const int32_t masked = in.ImmByte() & (width == 8 ? 63 : 31);
  const int32_t count = is_by_cl ? int32_t{SOFTLBR_X86_RCX} : -masked - 1;
  const bool is_undefined = width == 2 && (is_by_cl || masked > 16);
  Address address{};
  Operand value = SlotOperand(SOFTLBR_REG_ZERO);
  uint32_t dst_flags = 0;
  if (in.mod == 3) {
    value = RmRegister(in, width);
    dst_flags = AsDst(value, width);
  } else {
    address = MemoryAddress(in, out);
    value = SlotOperand(out->Temp());
    AddLoad(value.slot, address, width, out);
  }
  if (is_undefined) {
    out->Add(SOFTLBR_OP_UNKNOWN, width, value.slot, 0, 0, 0, 0, dst_flags);
    out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, SOFTLBR_FLAG_ALL);
  } else {
    out->Add(op, width, value.slot, value.slot, GprSlot(in.reg), count, 0, SOFTLBR_UOP_SET_FLAGS | dst_flags);
  }
  if (in.mod != 3) AddStore(value, address, width, out);
  return true;
}

}  // namespace softlbr::x86
