// The eight two-operand operations add to cmp, and test, inc, dec, adcx, adox.
//
// The identity forms used as fences (lock or [rsp], 0) read nothing: memory is unchanged, and nobody uses their flags.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

enum AluKind : uint32_t { kAdd = 0, kOr = 1, kAdc = 2, kSbb = 3, kAnd = 4, kSub = 5, kXor = 6, kCmp = 7 };

constexpr uint8_t kAluOps[8] = {SOFTLBR_OP_ADD, SOFTLBR_OP_OR,  SOFTLBR_OP_ADC, SOFTLBR_OP_SBB,
                                SOFTLBR_OP_AND, SOFTLBR_OP_SUB, SOFTLBR_OP_XOR, SOFTLBR_OP_SUB};

struct Source {
  Operand operand;
  int32_t imm;
  bool is_imm;
};

Source FromOperand(const Operand& operand) { return Source{operand, 0, false}; }
Source FromImm(int64_t imm) { return Source{SlotOperand(SOFTLBR_REG_ZERO), static_cast<int32_t>(imm), true}; }

// dst = a kind b. dst_flags: AsDst() for a register, 0 for a temporary.
void AddAlu(uint32_t kind, uint32_t width, const Operand& dst, uint32_t dst_flags, Operand a, Source b,
            BlockBuilder* out) {
  if (!b.is_imm && a.slot == b.operand.slot) {
    if (a.is_high == b.operand.is_high) {
      // x - x is 0 and x - x - C is -C even when x is UNKNOWN.
      if (kind == kSub || kind == kSbb || kind == kCmp) a = b.operand = SlotOperand(SOFTLBR_REG_ZERO);
    } else if (kind == kXor) {
      // xor al, ah: two registers, although they share a register slot.
      const uint16_t temp = out->Temp();
      out->Add(SOFTLBR_OP_MOV, 1, temp, b.operand.slot, 0, 0, 0, AsA(b.operand));
      b.operand = SlotOperand(temp);
    }
  }
  const bool is_compare = kind == kCmp;
  const uint32_t flags = SOFTLBR_UOP_SET_FLAGS | AsA(a) | (b.is_imm ? uint32_t{SOFTLBR_UOP_B_IMM} : AsB(b.operand)) |
                         (is_compare ? 0u : dst_flags);
  out->Add(kAluOps[kind], width, is_compare ? uint32_t{SOFTLBR_REG_ZERO} : dst.slot, a.slot, b.operand.slot, b.imm, 0,
           flags);
}

bool IsIdentity(uint32_t kind, const Source& b) {
  return b.is_imm && b.imm == 0 && (kind == kAdd || kind == kOr || kind == kSub || kind == kXor);
}

// r/m = r/m kind b.
bool AluToRm(const Instruction& in, uint32_t kind, uint32_t width, const Source& b, BlockBuilder* out) {
  if (in.mod == 3) {
    if (in.has_lock) return false;
    const Operand rm = RmRegister(in, width);
    AddAlu(kind, width, rm, AsDst(rm, width), rm, b, out);
    return true;
  }
  if (in.has_lock && kind == kCmp) return false;
  if (in.has_lock && IsIdentity(kind, b)) {  // a fence, but it faults where it cannot write
    AddMemory(SOFTLBR_OP_LOAD, 1, out->Temp(), MemoryAddress(in, out), 0, out);
    out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, SOFTLBR_FLAG_ALL);
    return true;
  }
  const Address address = MemoryAddress(in, out);
  const Operand temp = SlotOperand(out->Temp());
  AddLoadToModify(in, temp.slot, address, width, out);
  AddAlu(kind, width, temp, 0, temp, b, out);
  if (kind != kCmp) AddStore(temp, address, width, out);
  return true;
}

void AddTest(uint32_t width, const Operand& a, const Source& b, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_AND, width, SOFTLBR_REG_ZERO, a.slot, b.operand.slot, b.imm, 0,
           SOFTLBR_UOP_SET_FLAGS | AsA(a) | (b.is_imm ? uint32_t{SOFTLBR_UOP_B_IMM} : AsB(b.operand)));
}

}  // namespace

// 00..3d.
bool LiftAlu(const Instruction& in, BlockBuilder* out) {
  const uint32_t kind = in.opcode >> 3;
  const uint32_t width = WidthByBit0(in);
  const uint32_t form = in.opcode & 7;
  if (form <= 1) return AluToRm(in, kind, width, FromOperand(Reg(in, width)), out);
  if (in.has_lock) return false;
  if (form <= 3) {
    const Operand source = ReadRm(in, width, out);
    const Operand reg = Reg(in, width);
    AddAlu(kind, width, reg, AsDst(reg, width), reg, FromOperand(source), out);
    return true;
  }
  const Operand rax = SlotOperand(SOFTLBR_X86_RAX);
  AddAlu(kind, width, rax, AsDst(rax, width), rax, FromImm(in.imm), out);
  return true;
}

bool LiftAluGroup(const Instruction& in, BlockBuilder* out) {
  return AluToRm(in, in.Extension(), WidthByBit0(in), FromImm(in.imm), out);
}

bool LiftTest(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  if (in.has_modrm) {
    const Operand a = ReadRm(in, width, out);
    AddTest(width, a, in.imm_bytes != 0 ? FromImm(in.imm) : FromOperand(Reg(in, width)), out);
  } else {
    AddTest(width, SlotOperand(SOFTLBR_X86_RAX), FromImm(in.imm), out);
  }
  return true;
}

bool LiftIncDec(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = WidthByBit0(in);
  const uint32_t op = in.Extension() == 0 ? SOFTLBR_OP_ADD : SOFTLBR_OP_SUB;
  constexpr uint32_t kFlags = SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_KEEP_C | SOFTLBR_UOP_B_IMM;
  if (in.mod == 3) {
    if (in.has_lock) return false;
    const Operand rm = RmRegister(in, width);
    out->Add(op, width, rm.slot, rm.slot, 0, 1, 0, kFlags | AsA(rm) | AsDst(rm, width));
    return true;
  }
  const Address address = MemoryAddress(in, out);
  const uint16_t temp = out->Temp();
  AddLoadToModify(in, temp, address, width, out);
  out->Add(op, width, temp, temp, 0, 1, 0, kFlags);
  AddStore(SlotOperand(temp), address, width, out);
  return true;
}

// adcx adds with C and writes only C; adox does the same with V. The IR's ADC would set all flags, so the addition is
// done without flags, and the carry out is the top bit of (a & b) | ((a | b) & ~sum). For adox, C temporarily holds V.
bool LiftAdcxAdox(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.w ? 8 : 4;
  const bool is_adox = in.pp == Pp::kF3;
  const uint16_t source = ReadRm(in, width, out).slot;
  const uint16_t reg = GprSlot(in.reg);
  const uint16_t kept = out->Temp();
  const uint16_t sum = out->Temp();
  const uint16_t both = out->Temp();
  const uint16_t either = out->Temp();
  if (is_adox) {
    out->Add(SOFTLBR_OP_SETCC, 8, kept, 0, 0, 0, SOFTLBR_COND_C);
    out->Add(SOFTLBR_OP_SETCC, 8, sum, 0, 0, 0, SOFTLBR_COND_V);
    out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, sum, 0, SOFTLBR_FLAG_C);
  }
  out->Add(SOFTLBR_OP_ADC, width, sum, reg, source);
  out->Add(SOFTLBR_OP_AND, width, both, reg, source);
  out->Add(SOFTLBR_OP_OR, width, either, reg, source);
  out->Add(SOFTLBR_OP_ANDN, width, either, sum, either);
  out->Add(SOFTLBR_OP_OR, width, both, both, either);
  out->Add(SOFTLBR_OP_SHR, width, both, both, 0, static_cast<int32_t>(8 * width - 1), 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_MOV, width, reg, sum);
  if (!is_adox) {
    out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, both, 0, SOFTLBR_FLAG_C);
    return true;
  }
  constexpr int32_t kOverflowBit = 5;
  static_assert(SOFTLBR_FLAG_V == 1 << kOverflowBit, "bit of V in packed flags");
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, kept, 0, SOFTLBR_FLAG_C);
  out->Add(SOFTLBR_OP_SHL, 8, both, both, 0, kOverflowBit, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, both, 0, SOFTLBR_FLAG_V);
  return true;
}

}  // namespace softlbr::x86
