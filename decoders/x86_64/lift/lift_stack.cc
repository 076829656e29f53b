// push, pop, leave, enter, pushf, popf.
//
// push stores before it changes rsp; pop changes rsp before it writes. This makes push rsp, pop rsp and pop [rsp + n]
// exact.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

constexpr uint32_t kRsp = SOFTLBR_X86_RSP;
constexpr uint32_t kRbp = SOFTLBR_X86_RBP;

// Stack operands have 64 bits, or 16 with 66.
uint32_t StackWidth(const Instruction& in) { return in.operand_bytes == 2 ? 2 : 8; }

void MoveStackPointer(int32_t by, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_ADD, 8, kRsp, kRsp, 0, by, 0, SOFTLBR_UOP_B_IMM);
}

void Push(const Operand& value, uint32_t width, BlockBuilder* out) {
  const int32_t by = -static_cast<int32_t>(width);
  AddStore(value, Address{kRsp, SOFTLBR_REG_ZERO, 0, by}, width, out);
  MoveStackPointer(by, out);
}

void PushUnknown(uint32_t width, BlockBuilder* out) {
  const int32_t by = -static_cast<int32_t>(width);
  out->Add(SOFTLBR_OP_STORE_UNKNOWN, width, SOFTLBR_REG_ZERO, kRsp, SOFTLBR_REG_ZERO, by);
  MoveStackPointer(by, out);
}

void LoadTop(uint32_t slot, uint32_t width, uint32_t flags, BlockBuilder* out) {
  AddMemory(SOFTLBR_OP_LOAD, width, slot, Address{kRsp, SOFTLBR_REG_ZERO, 0, 0}, flags, out);
}

void PopRegister(uint32_t slot, uint32_t width, BlockBuilder* out) {
  if (slot == kRsp && width != 8) {
    const uint16_t temp = out->Temp();
    LoadTop(temp, width, 0, out);
    MoveStackPointer(static_cast<int32_t>(width), out);
    AddMov(SlotOperand(kRsp), SlotOperand(temp), width, out);
    return;
  }
  LoadTop(slot, width, AsDst(SlotOperand(slot), width), out);
  if (slot != kRsp) MoveStackPointer(static_cast<int32_t>(width), out);
}

// Bits of the status flags C P A Z S V in rflags: the same order as in the IR's packed form.
constexpr int32_t kRflagsMask = 0x8d5;

// popf: a flag is known if the popped bytes are.
void PopFlags(uint32_t width, BlockBuilder* out) {
  const uint16_t image = out->Temp();
  const uint16_t packed = out->Temp();
  LoadTop(image, width, 0, out);
  MoveStackPointer(static_cast<int32_t>(width), out);
  out->Add(SOFTLBR_OP_PEXT, 8, packed, image, 0, kRflagsMask, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, packed, 0, SOFTLBR_FLAG_ALL);
  out->Add(SOFTLBR_OP_SHR, 8, image, image, 0, 10, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_AND, 8, SOFTLBR_X86_DF, image, 0, 1, 0, SOFTLBR_UOP_B_IMM);
}

}  // namespace

bool LiftStack(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = StackWidth(in);
  // clang-format off
  switch (in.opcode) {
    case 0x68: case 0x6a: {
      const uint16_t temp = out->Temp();
      out->Add(SOFTLBR_OP_CONST, 8, temp, 0, 0, static_cast<int32_t>(in.imm));
      Push(SlotOperand(temp), width, out);
      return true;
    }
    case 0x8f: {
      if (in.mod == 3) {
        PopRegister(GprSlot(in.rm), width, out);
        return true;
      }
      const uint16_t temp = out->Temp();
      LoadTop(temp, width, 0, out);
      MoveStackPointer(static_cast<int32_t>(width), out);
      AddStore(SlotOperand(temp), MemoryAddress(in, out), width, out);  // with the new rsp
      return true;
    }
    case 0x9c:  // IF, TF and other system flags are not known, so the pushed value is UNKNOWN
      PushUnknown(width, out);
      return true;
    case 0x9d:
      PopFlags(width, out);
      return true;
    case 0xc8:  // enter
      if ((in.imm2 & 31) != 0 || width != 8) return false;
      Push(SlotOperand(kRbp), 8, out);
      AddMov(SlotOperand(kRbp), SlotOperand(kRsp), 8, out);
      MoveStackPointer(-static_cast<int32_t>(in.imm), out);
      return true;
    case 0xc9: {  // leave
      if (width != 8) return false;
      const uint16_t temp = out->Temp();
      AddLoad(temp, Address{kRbp, SOFTLBR_REG_ZERO, 0, 0}, 8, out);
      out->Add(SOFTLBR_OP_ADDRESS, 8, kRsp, kRbp, SOFTLBR_REG_ZERO, 8);
      out->Add(SOFTLBR_OP_MOV, 8, kRbp, temp);
      return true;
    }
    case 0xff: {  // /6
      const Operand value = in.mod == 3 ? SlotOperand(GprSlot(in.rm)) : ReadRm(in, width, out);
      Push(value, width, out);
      return true;
    }
    case 0xa0: case 0xa8:  // 0f: push fs, push gs
      PushUnknown(width, out);
      return true;
    default:  // 50..5f
      if (in.opcode & 8) {
        PopRegister(GprSlot(in.rm), width, out);
      } else {
        Push(SlotOperand(GprSlot(in.rm)), width, out);
      }
      return true;
  }
  // clang-format on
}

}  // namespace softlbr::x86
