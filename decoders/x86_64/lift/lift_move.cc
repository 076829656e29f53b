// Moves, extensions, lea, conditional moves and sets, exchanges.
//
// Exchanges with memory are atomic even without LOCK; xadd and cmpxchg are not.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

void AddConstant(const Operand& dst, uint32_t width, int64_t value, BlockBuilder* out) {
  if (width == 8) {
    out->AddConst(dst.slot, value);
  } else {
    out->Add(SOFTLBR_OP_CONST, width, dst.slot, 0, 0, static_cast<int32_t>(value), 0, AsDst(dst, width));
  }
}

// Loads directly into a register of any width.
void LoadRegister(const Operand& reg, const Address& address, uint32_t width, BlockBuilder* out) {
  AddMemory(SOFTLBR_OP_LOAD, width, reg.slot, address, AsDst(reg, width), out);
}

// a0..a3: accumulator and memory at an absolute address.
void MoveOffset(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  Address address{SOFTLBR_REG_ZERO, SOFTLBR_REG_ZERO, 0, static_cast<int32_t>(in.imm)};
  if (in.segment != Segment::kNone) address.a = in.segment == Segment::kFs ? SOFTLBR_X86_FS_BASE : SOFTLBR_X86_GS_BASE;
  if (in.imm != static_cast<int32_t>(in.imm)) {
    address.b = out->Temp();
    address.imm = 0;
    out->AddConst(address.b, in.imm);
  }
  if (in.opcode & 2) {
    AddStore(SlotOperand(SOFTLBR_X86_RAX), address, width, out);
  } else {
    LoadRegister(SlotOperand(SOFTLBR_X86_RAX), address, width, out);
  }
}

void ExchangeRegisters(const Operand& x, const Operand& y, uint32_t width, BlockBuilder* out) {
  const uint16_t temp = out->Temp();
  out->Add(SOFTLBR_OP_MOV, width, temp, x.slot, 0, 0, 0, AsA(x));
  AddMov(x, y, width, out);
  AddMov(y, SlotOperand(temp), width, out);
}

// 86, 87.
void Exchange(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  const Operand reg = Reg(in, width);
  if (in.mod == 3) {
    ExchangeRegisters(RmRegister(in, width), reg, width, out);
    return;
  }
  const Address address = MemoryAddress(in, out);
  const uint16_t old = out->Temp();
  AddLoad(old, address, width, out);
  AddGate(old, width, out);
  AddStore(reg, address, width, out);
  AddMov(reg, SlotOperand(old), width, out);
}

// 0f c0, c1: r/m += reg, reg = old r/m.
void ExchangeAdd(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  const Operand reg = Reg(in, width);
  const uint16_t sum = out->Temp();
  if (in.mod == 3) {
    const Operand rm = RmRegister(in, width);
    out->Add(SOFTLBR_OP_ADD, width, sum, rm.slot, reg.slot, 0, 0, SOFTLBR_UOP_SET_FLAGS | AsA(rm) | AsB(reg));
    AddMov(reg, rm, width, out);
    AddMov(rm, SlotOperand(sum), width, out);
    return;
  }
  const Address address = MemoryAddress(in, out);
  const uint16_t old = out->Temp();
  AddLoadToModify(in, old, address, width, out);
  out->Add(SOFTLBR_OP_ADD, width, sum, old, reg.slot, 0, 0, SOFTLBR_UOP_SET_FLAGS | AsB(reg));
  AddStore(SlotOperand(sum), address, width, out);
  AddMov(reg, SlotOperand(old), width, out);
}

// 0f b0, b1. Processors differ in whether the 32-bit form clears the upper half of a register that it leaves unchanged:
// that half becomes UNKNOWN.
bool CompareExchange(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  const Operand reg = Reg(in, width);
  const Operand rax = SlotOperand(SOFTLBR_X86_RAX);
  const Operand old = SlotOperand(out->Temp());
  const Operand stored = SlotOperand(out->Temp());
  const Operand loaded = SlotOperand(out->Temp());
  Address address{};
  if (in.mod == 3) {
    const Operand rm = RmRegister(in, width);
    out->Add(SOFTLBR_OP_MOV, width, old.slot, rm.slot, 0, 0, 0, AsA(rm));
  } else {
    address = MemoryAddress(in, out);
    AddLoadToModify(in, old.slot, address, width, out);
  }
  out->Add(SOFTLBR_OP_SUB, width, SOFTLBR_REG_ZERO, rax.slot, old.slot, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  out->Add(SOFTLBR_OP_SELECT, width, stored.slot, reg.slot, old.slot, 0, SOFTLBR_COND_Z, AsA(reg));
  out->Add(SOFTLBR_OP_SELECT, width, loaded.slot, rax.slot, old.slot, 0, SOFTLBR_COND_Z);
  if (in.mod != 3) AddStore(stored, address, width, out);  // before rax changes: the address may depend on it
  if (width == 4) out->Add(SOFTLBR_OP_UNKNOWN, 8, rax.slot, 0);
  out->Add(SOFTLBR_OP_MOV, width, rax.slot, loaded.slot, 0, 0, 0, width == 8 ? 0 : SOFTLBR_UOP_MERGE);
  if (in.mod != 3) return true;
  const Operand rm = RmRegister(in, width);
  if (width == 4) out->Add(SOFTLBR_OP_UNKNOWN, 8, rm.slot, 0);
  out->Add(SOFTLBR_OP_MOV, width, rm.slot, stored.slot, 0, 0, 0,
           width == 8 ? 0 : SOFTLBR_UOP_MERGE | (rm.is_high ? uint32_t{SOFTLBR_UOP_DST_HIGH} : 0u));
  // cmpxchg al, reg and the like: both writes go to the same register, which becomes UNKNOWN.
  if (rm.slot == rax.slot) out->AddUnknown(rax.slot);
  return true;
}

}  // namespace

bool LiftMove(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x88: case 0x89: {
      const uint32_t width = WidthByBit0(in);
      WriteRm(in, Reg(in, width), width, out);
      return true;
    }
    case 0x8a: case 0x8b: {
      const uint32_t width = WidthByBit0(in);
      const Operand reg = Reg(in, width);
      if (in.mod == 3) {
        AddMov(reg, RmRegister(in, width), width, out);
      } else {
        LoadRegister(reg, MemoryAddress(in, out), width, out);
      }
      return true;
    }
    case 0xa0: case 0xa1: case 0xa2: case 0xa3:
      MoveOffset(in, out);
      return true;
    case 0xc6: case 0xc7: {
      const uint32_t width = WidthByBit0(in);
      if (in.mod == 3) {
        AddConstant(RmRegister(in, width), width, in.imm, out);
        return true;
      }
      const Address address = MemoryAddress(in, out);
      if (in.imm == 0) {
        AddStore(SlotOperand(SOFTLBR_REG_ZERO), address, width, out);
        return true;
      }
      const uint16_t temp = out->Temp();
      out->Add(SOFTLBR_OP_CONST, 8, temp, 0, 0, static_cast<int32_t>(in.imm));
      AddStore(SlotOperand(temp), address, width, out);
      return true;
    }
    default: {  // b0..bf
      const uint32_t width = in.opcode & 8 ? in.operand_bytes : 1;
      AddConstant(RmRegister(in, width), width, in.imm, out);
      return true;
    }
  }
  // clang-format on
}

// 0f b6 b7 be bf, 63.
bool LiftExtend(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.operand_bytes;
  uint32_t source_width = 4;  // movsxd
  bool is_signed = true;
  if (in.map == Map::k0F) {
    source_width = in.opcode & 1 ? 2 : 1;
    is_signed = in.opcode & 8;
  }
  if (source_width > width) source_width = width;  // movsxd r16, r/m16: a plain move
  const Operand reg = Reg(in, width);
  const uint32_t merge = AsDst(reg, width);
  const uint32_t op = is_signed ? SOFTLBR_OP_SIGN_EXTEND : SOFTLBR_OP_ZERO_EXTEND;
  if (in.mod == 3) {
    const Operand rm = RmRegister(in, source_width);
    out->Add(op, width, reg.slot, rm.slot, 0, 0, source_width, merge | AsA(rm));
    return true;
  }
  const Address address = MemoryAddress(in, out);
  const uint32_t sign = is_signed ? SOFTLBR_UOP_SIGNED : 0;
  if (width == 8 || (width == 4 && !is_signed)) {  // the load itself extends
    AddMemory(SOFTLBR_OP_LOAD, source_width, reg.slot, address, sign, out);
    return true;
  }
  const uint16_t temp = out->Temp();
  AddMemory(SOFTLBR_OP_LOAD, source_width, temp, address, sign, out);
  out->Add(SOFTLBR_OP_MOV, width, reg.slot, temp, 0, 0, 0, merge);
  return true;
}

bool LiftLea(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.operand_bytes;
  Address address{};
  if (SOFTLBR_UNLIKELY(in.segment != Segment::kNone)) {  // lea ignores segments
    Instruction plain = in;
    plain.segment = Segment::kNone;
    address = MemoryAddress(plain, out);
  } else {
    address = MemoryAddress(in, out);
  }
  const Operand reg = Reg(in, width);
  out->Add(SOFTLBR_OP_ADDRESS, width, reg.slot, address.a, address.b, address.imm, address.shift, AsDst(reg, width));
  return true;
}

bool LiftConditional(const Instruction& in, BlockBuilder* out) {
  const uint8_t condition = ConditionOf(in);
  if ((in.opcode & 0xf0) == 0x90) {  // setcc
    if (in.mod == 3) {
      const Operand rm = RmRegister(in, 1);
      out->Add(SOFTLBR_OP_SETCC, 1, rm.slot, 0, 0, 0, condition, AsDst(rm, 1));
      return true;
    }
    const Address address = MemoryAddress(in, out);
    const uint16_t temp = out->Temp();
    out->Add(SOFTLBR_OP_SETCC, 1, temp, 0, 0, 0, condition);
    AddStore(SlotOperand(temp), address, 1, out);
    return true;
  }
  const uint32_t width = in.operand_bytes;
  const Operand source = ReadRm(in, width, out);
  const Operand reg = Reg(in, width);
  out->Add(SOFTLBR_OP_SELECT, width, reg.slot, source.slot, reg.slot, 0, condition, AsDst(reg, width));
  return true;
}

bool LiftExchange(const Instruction& in, BlockBuilder* out) {
  if (in.map == Map::k0F) {
    if (in.has_lock && in.mod == 3) return false;
    if (in.opcode >= 0xc0) {
      ExchangeAdd(in, out);
      return true;
    }
    return CompareExchange(in, out);
  }
  if (in.opcode < 0x90) {
    if (in.has_lock && in.mod == 3) return false;
    Exchange(in, out);
    return true;
  }
  // 90..97; 90 without REX.B is nop. F3 90 with REX.B is pause on Intel processors and the exchange on AMD processors.
  if (in.rm == 0) return true;
  const uint32_t width = in.operand_bytes;
  if (in.opcode == 0x90 && in.rep == 0xf3 && (in.cpu & kAmd) == 0) return (in.cpu & kIntel) != 0;
  ExchangeRegisters(SlotOperand(SOFTLBR_X86_RAX), RmRegister(in, width), width, out);
  return true;
}

}  // namespace softlbr::x86
