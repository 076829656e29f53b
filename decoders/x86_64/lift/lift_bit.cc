// Bit tests, bit scans, population count, BMI1 and BMI2.
#include "decoders/x86_64/lift/scalar_operands.h"

namespace softlbr::x86 {
namespace {

constexpr uint8_t kBitOps[4] = {SOFTLBR_OP_BIT_TEST, SOFTLBR_OP_BIT_SET, SOFTLBR_OP_BIT_CLEAR, SOFTLBR_OP_BIT_FLIP};

uint32_t Log2(uint32_t width) { return width == 8 ? 3 : width == 4 ? 2 : 1; }

// bt m, r: the bit number may exceed the operand; then the address moves by whole operands.
Address BitStringAddress(const Instruction& in, uint32_t width, BlockBuilder* out) {
  const Address base = MemoryAddress(in, out);
  const uint16_t start = out->Temp();
  const uint16_t step = out->Temp();
  out->Add(SOFTLBR_OP_ADDRESS, 8, start, base.a, base.b, base.imm, base.shift);
  uint16_t index = GprSlot(in.reg);
  if (width != 8) {
    out->Add(SOFTLBR_OP_SIGN_EXTEND, 8, step, index, 0, 0, width);
    index = step;
  }
  out->Add(SOFTLBR_OP_SAR, 8, step, index, 0, static_cast<int32_t>(Log2(width) + 3), 0, SOFTLBR_UOP_B_IMM);
  return Address{start, step, static_cast<uint8_t>(Log2(width)), 0};
}

SOFTLBR_NOINLINE void ForgetFlags(BlockBuilder* out) {
  out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, SOFTLBR_FLAG_ALL);
}

}  // namespace

// 0f a3 ab b3 bb (bit number in a register), 0f ba /4../7 (imm8). Both vendors' manuals define only C (Intel keeps Z,
// AMD leaves it undefined): all flags become UNKNOWN, then C is set.
bool LiftBitTest(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.operand_bytes;
  const bool is_imm = in.opcode == 0xba;
  const uint32_t kind = is_imm ? in.Extension() & 3 : in.opcode >> 3 & 3;
  const uint32_t bit_slot = is_imm ? uint32_t{SOFTLBR_REG_ZERO} : GprSlot(in.reg);
  const int32_t bit = is_imm ? in.ImmByte() : 0;
  const uint32_t flags = SOFTLBR_UOP_SET_FLAGS | (is_imm ? uint32_t{SOFTLBR_UOP_B_IMM} : 0u);
  if (in.mod == 3) {
    if (in.has_lock) return false;
    const Operand rm = RmRegister(in, width);
    ForgetFlags(out);
    out->Add(kBitOps[kind], width, kind == 0 ? uint32_t{SOFTLBR_REG_ZERO} : rm.slot, rm.slot, bit_slot, bit, 0,
             flags | (kind == 0 ? 0u : AsDst(rm, width)));
    return true;
  }
  if (in.has_lock && kind == 0) return false;
  const Address address = is_imm ? MemoryAddress(in, out) : BitStringAddress(in, width, out);
  const uint16_t temp = out->Temp();
  AddLoadToModify(in, temp, address, width, out);
  ForgetFlags(out);
  out->Add(kBitOps[kind], width, kind == 0 ? uint32_t{SOFTLBR_REG_ZERO} : temp, temp, bit_slot, bit, 0, flags);
  if (kind != 0) AddStore(SlotOperand(temp), address, width, out);
  return true;
}

// 0f b8 (popcnt), bc (bsf, tzcnt), bd (bsr, lzcnt). Processors without tzcnt and lzcnt execute them as bsf and bsr,
// with other results in register and flags. Compilers emit tzcnt for all processors where the difference does not
// matter.
bool LiftBitScan(const Instruction& in, BlockBuilder* out) {
  const uint32_t width = in.operand_bytes;
  const Operand source = ReadRm(in, width, out);
  const Operand reg = Reg(in, width);
  const uint32_t flags = SOFTLBR_UOP_SET_FLAGS | AsDst(reg, width);
  if (in.opcode == 0xb8) {
    out->Add(SOFTLBR_OP_POPCOUNT, width, reg.slot, source.slot, 0, 0, 0, flags);
    return true;
  }
  const bool is_trailing = in.opcode == 0xbc;
  if (in.pp == Pp::kF3 && (in.cpu & (is_trailing ? kTzcntIsBsf : kLzcntIsBsr)) == 0) {
    if ((in.cpu & (is_trailing ? kTzcnt : kLzcnt)) != 0) {
      out->Add(is_trailing ? SOFTLBR_OP_CTZ : SOFTLBR_OP_CLZ, width, reg.slot, source.slot, 0, 0, 0, flags);
    } else {
      out->AddUnknown(reg.slot);
      ForgetFlags(out);
    }
    return true;
  }
  const uint32_t op = is_trailing ? SOFTLBR_OP_BSF : SOFTLBR_OP_BSR;
  if (width != 4) {
    out->Add(op, width, reg.slot, source.slot, reg.slot, 0, 0, flags);
    return true;
  }
  // A zero source leaves the register unchanged; processors differ in whether the 32-bit form then clears its upper
  // half.
  uint16_t wide = source.slot;
  if (in.mod == 3) {
    wide = out->Temp();
    out->Add(SOFTLBR_OP_MOV, 4, wide, source.slot);
  }
  const uint16_t kept = out->Temp();
  out->Add(SOFTLBR_OP_UNKNOWN, 8, kept, 0);
  out->Add(SOFTLBR_OP_MOV, 4, kept, reg.slot, 0, 0, 0, SOFTLBR_UOP_MERGE);
  out->Add(op, 8, reg.slot, wide, kept, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  return true;
}

// VEX 0f38 f2 f3 f5 f6 f7, 0f3a f0.
bool LiftVexInteger(const Instruction& in, BlockBuilder* out) {
  if (in.vector_bytes != 16) return false;  // VEX.L must be 0
  const uint32_t width = in.operand_bytes;
  const uint16_t reg = GprSlot(in.reg);
  const uint16_t vvvv = GprSlot(in.vvvv);
  constexpr uint32_t kSet = SOFTLBR_UOP_SET_FLAGS;
  if (in.map == Map::k0F3A) {
    if (in.opcode != 0xf0 || in.pp != Pp::kF2) return false;
    const uint16_t source = ReadRm(in, width, out).slot;
    out->Add(SOFTLBR_OP_ROR, width, reg, source, 0, in.ImmByte(), 0, SOFTLBR_UOP_B_IMM);
    return true;
  }
  static constexpr uint8_t kLowestBitOps[4] = {0, SOFTLBR_OP_BLSR, SOFTLBR_OP_BLSMSK, SOFTLBR_OP_BLSI};
  const uint16_t source = ReadRm(in, width, out).slot;
  switch (in.opcode) {
    case 0xf2:
      if (in.pp != Pp::kNone) return false;
      out->Add(SOFTLBR_OP_ANDN, width, reg, vvvv, source, 0, 0, kSet);
      return true;
    case 0xf3:
      if (in.pp != Pp::kNone) return false;
      out->Add(kLowestBitOps[in.Extension() & 3], width, vvvv, source, 0, 0, 0, kSet);
      return true;
    case 0xf5:
      switch (in.pp) {
        case Pp::kNone: out->Add(SOFTLBR_OP_BZHI, width, reg, source, vvvv, 0, 0, kSet); return true;
        case Pp::kF3: out->Add(SOFTLBR_OP_PEXT, width, reg, vvvv, source); return true;
        case Pp::kF2: out->Add(SOFTLBR_OP_PDEP, width, reg, vvvv, source); return true;
        default: return false;
      }
    case 0xf6: {  // mulx: low half to vvvv, high half to reg; reg wins if they are the same
      if (in.pp != Pp::kF2) return false;
      const uint16_t high = out->Temp();
      out->Add(SOFTLBR_OP_MUL_HIGH, width, high, SOFTLBR_X86_RDX, source);
      out->Add(SOFTLBR_OP_MUL, width, vvvv, SOFTLBR_X86_RDX, source);
      out->Add(SOFTLBR_OP_MOV, width, reg, high);
      return true;
    }
    case 0xf7:
      switch (in.pp) {
        case Pp::kNone: out->Add(SOFTLBR_OP_BEXTR, width, reg, source, vvvv, 0, 0, kSet); return true;
        case Pp::k66: out->Add(SOFTLBR_OP_SHL, width, reg, source, vvvv); return true;
        case Pp::kF3: out->Add(SOFTLBR_OP_SAR, width, reg, source, vvvv); return true;
        case Pp::kF2: out->Add(SOFTLBR_OP_SHR, width, reg, source, vvvv); return true;
      }
      return false;
    default: return false;
  }
}

}  // namespace softlbr::x86
