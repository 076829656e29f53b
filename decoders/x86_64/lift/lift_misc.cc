// Sign conversions, flag instructions, byte swaps, crc32, hints, thread pointers.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

constexpr uint32_t kRax = SOFTLBR_X86_RAX;

// Bits of C P A Z S in ah: the same order as in the IR's packed form.
constexpr int32_t kAhMask = 0xd5;
constexpr int32_t kAhFlags = SOFTLBR_FLAG_C | SOFTLBR_FLAG_P | SOFTLBR_FLAG_A | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_S;

void StoreAh(BlockBuilder* out) {  // sahf
  const uint16_t temp = out->Temp();
  out->Add(SOFTLBR_OP_ZERO_EXTEND, 8, temp, kRax, 0, 0, 1, SOFTLBR_UOP_A_HIGH);
  out->Add(SOFTLBR_OP_PEXT, 8, temp, temp, 0, kAhMask, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, temp, 0, kAhFlags);
}

void LoadAh(BlockBuilder* out) {  // lahf
  const uint16_t temp = out->Temp();
  out->Add(SOFTLBR_OP_GET_FLAGS, 8, temp, 0);
  out->Add(SOFTLBR_OP_AND, 8, temp, temp, 0, kAhFlags, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_PDEP, 8, temp, temp, 0, kAhMask, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_OR, 8, temp, temp, 0, 2, 0, SOFTLBR_UOP_B_IMM);  // bit 1 is always set
  AddMov(Operand{kRax, true}, SlotOperand(temp), 1, out);
}

// xlat: al = [rbx + al].
bool TableLookUp(const Instruction& in, BlockBuilder* out) {
  if (in.segment != Segment::kNone || in.is_address_32) {
    AddForget(SlotOperand(kRax), 1, out);
    return true;
  }
  const uint16_t index = out->Temp();
  out->Add(SOFTLBR_OP_ZERO_EXTEND, 8, index, kRax, 0, 0, 1);
  AddMemory(SOFTLBR_OP_LOAD, 1, kRax, Address{SOFTLBR_X86_RBX, index, 0, 0}, SOFTLBR_UOP_MERGE, out);
  return true;
}

}  // namespace

bool LiftMisc(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.operand_bytes;
  // clang-format off
  switch (in.opcode) {
    case 0x98:  // cbw cwde cdqe
      out->Add(SOFTLBR_OP_SIGN_EXTEND, width, kRax, kRax, 0, 0, width / 2, AsDst(SlotOperand(kRax), width));
      return true;
    case 0x99:  // cwd cdq cqo
      out->Add(SOFTLBR_OP_SAR, width, SOFTLBR_X86_RDX, kRax, 0, static_cast<int32_t>(8 * width - 1), 0,
               SOFTLBR_UOP_B_IMM | AsDst(SlotOperand(SOFTLBR_X86_RDX), width));
      return true;
    case 0x9e:
      StoreAh(out);
      return true;
    case 0x9f:
      LoadAh(out);
      return true;
    case 0xd7:
      return TableLookUp(in, out);
    case 0xf5:
      out->Add(SOFTLBR_OP_FLIP_CARRY, 8, 0, 0);
      return true;
    case 0xf8:
      out->Add(SOFTLBR_OP_FLAGS_CONST, 8, 0, 0, 0, SOFTLBR_FLAG_C, 0);
      return true;
    case 0xf9:
      out->Add(SOFTLBR_OP_FLAGS_CONST, 8, 0, 0, 0, SOFTLBR_FLAG_C, SOFTLBR_FLAG_C);
      return true;
    case 0xfc: case 0xfd:
      out->Add(SOFTLBR_OP_CONST, 8, SOFTLBR_X86_DF, 0, 0, in.opcode & 1);
      return true;
    default:
      return false;
  }
  // clang-format on
}

bool LiftMisc0F(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x01:
      // xtest. Look-ahead never evaluates inside a transaction: the signal would have aborted it, and xbegin ends a
      // block. So Z = 1 and the other flags are 0. glibc's string functions execute xtest on every return.
      if (in.mod != 3 || in.Extension() != 2 || (in.rm & 7) != 6) return false;
      out->Add(SOFTLBR_OP_FLAGS_CONST, 8, 0, 0, 0, SOFTLBR_FLAG_ALL, SOFTLBR_FLAG_Z);
      return true;
    case 0x0d: case 0x18: case 0x19: case 0x1a: case 0x1c: case 0x1d: case 0x1f:
      return true;  // hints and long nops
    case 0x1e:  // endbr and other hints; not rdssp
      return !(in.pp == Pp::kF3 && in.mod == 3 && in.Extension() == 1);
    case 0xae: {
      if (in.mod != 3) return false;
      if (in.pp == Pp::kNone) return true;  // fences
      if (in.pp != Pp::kF3 || in.Extension() > 3) return false;
      const uint16_t base = in.Extension() & 1 ? SOFTLBR_X86_GS_BASE : SOFTLBR_X86_FS_BASE;
      const uint32_t width = in.w ? 8 : 4;
      if (in.Extension() < 2) {
        out->Add(SOFTLBR_OP_MOV, width, GprSlot(in.rm), base);
      } else {
        out->Add(SOFTLBR_OP_MOV, width, base, GprSlot(in.rm));
      }
      return true;
    }
    case 0xc3:  // movnti
      if (in.pp != Pp::kNone) return false;
      AddStore(SlotOperand(GprSlot(in.reg)), MemoryAddress(in, out), in.operand_bytes, out);
      return true;
    default: {  // c8..cf: bswap; its 16-bit form is undefined
      const Operand reg = SlotOperand(GprSlot(in.rm));
      if (in.operand_bytes == 2) {
        AddForget(reg, 8, out);
      } else {
        out->Add(SOFTLBR_OP_BYTE_SWAP, in.operand_bytes, reg.slot, reg.slot);
      }
      return true;
    }
  }
  // clang-format on
}

// f0, f1: movbe, crc32; f9: movdiri.
bool LiftMisc0F38(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.operand_bytes;
  if (in.opcode == 0xf9) {
    AddStore(SlotOperand(GprSlot(in.reg)), MemoryAddress(in, out), in.w ? 8 : 4, out);
    return true;
  }
  if (in.pp == Pp::kF2) {
    const uint32_t bytes = in.opcode == 0xf0 ? 1 : width;
    const Operand source = ReadRm(in, bytes, out);
    out->Add(SOFTLBR_OP_CRC32C, 4, GprSlot(in.reg), GprSlot(in.reg), source.slot, 0, bytes, AsB(source));
    return true;
  }
  const uint16_t temp = out->Temp();
  if (in.opcode == 0xf0) {
    AddLoad(temp, MemoryAddress(in, out), width, out);
    const Operand reg = Reg(in, width);
    out->Add(SOFTLBR_OP_BYTE_SWAP, width, reg.slot, temp, 0, 0, 0, AsDst(reg, width));
  } else {
    out->Add(SOFTLBR_OP_BYTE_SWAP, width, temp, GprSlot(in.reg));
    AddStore(SlotOperand(temp), MemoryAddress(in, out), width, out);
  }
  return true;
}

}  // namespace softlbr::x86
