// Terminators: all instructions that may continue elsewhere than at the next instruction.
//
// Targets are evaluated before the `after` uops, so `call [rsp + 8]` and `jmp rsp` need no special handling. A near
// branch with 66 and without REX.W: Intel processors ignore the 66. On AMD processors the branch is short: it pushes
// and pops 2 bytes, and its target is the low 2 bytes. If the CPU is not known, the target is UNKNOWN.
// Deliberate choices: int 0x80 is a system call, other interrupts are traps. sysenter, sysexit, iret, xabort and
// returns from user interrupts are FAR: the kernel or the CPU determines where they lead.
#include <initializer_list>

#include "decoders/x86_64/lift/lift.h"

namespace softlbr::x86 {
namespace {

// x86 condition codes (low nibble of jcc, setcc, cmovcc) as IR conditions.
constexpr uint8_t kConditions[16] = {
    SOFTLBR_COND_V,  SOFTLBR_COND_NV, SOFTLBR_COND_C,  SOFTLBR_COND_NC, SOFTLBR_COND_Z, SOFTLBR_COND_NZ,
    SOFTLBR_COND_BE, SOFTLBR_COND_A,  SOFTLBR_COND_S,  SOFTLBR_COND_NS, SOFTLBR_COND_P, SOFTLBR_COND_NP,
    SOFTLBR_COND_LT, SOFTLBR_COND_GE, SOFTLBR_COND_LE, SOFTLBR_COND_GT,
};

softlbr_terminator Direct(uint8_t kind, const Instruction& in, const BlockBuilder& out) {
  softlbr_terminator end{};
  end.kind = kind;
  end.base = SOFTLBR_REG_BLOCK;
  end.disp = int64_t{out.next_offset()} + in.imm;
  return end;
}

softlbr_terminator Conditional(uint8_t condition, const Instruction& in, const BlockBuilder& out) {
  softlbr_terminator end = Direct(SOFTLBR_END_CONDITIONAL, in, out);
  end.condition = condition;
  return end;
}

void PushReturnAddress(BlockBuilder* out) {
  out->BeginAfter();
  const uint16_t temp = out->Temp();
  out->Add(SOFTLBR_OP_ADDRESS, 8, temp, SOFTLBR_REG_BLOCK, SOFTLBR_REG_ZERO, static_cast<int32_t>(out->next_offset()));
  out->Add(SOFTLBR_OP_STORE, 8, temp, SOFTLBR_X86_RSP, SOFTLBR_REG_ZERO, -8);
  out->Add(SOFTLBR_OP_SUB, 8, SOFTLBR_X86_RSP, SOFTLBR_X86_RSP, 0, 8, 0, SOFTLBR_UOP_B_IMM);
}

// jmp / call r/m64.
void Indirect(uint8_t kind, const Instruction& in, BlockBuilder* out) {
  softlbr_terminator end{};
  end.kind = kind;
  if (in.mod == 3) {
    end.base = GprSlot(in.rm);
  } else if (in.IsRipRelative() && in.segment == Segment::kNone && !in.is_address_32) {
    end.base = SOFTLBR_REG_BLOCK;
    end.disp = int64_t{out->next_offset()} + in.disp;
    end.load_bytes = 8;
  } else {
    const Address address = MemoryAddress(in, out);
    end.base = address.a;
    end.index = address.b;
    end.scale = address.shift;
    end.disp = address.imm;
    end.load_bytes = 8;
  }
  if (kind == SOFTLBR_END_INDIRECT_CALL) PushReturnAddress(out);
  out->SetEnd(end);
}

void Return(const Instruction& in, BlockBuilder* out) {
  softlbr_terminator end{};
  end.kind = SOFTLBR_END_RETURN;
  end.base = SOFTLBR_X86_RSP;
  end.load_bytes = 8;
  out->BeginAfter();
  const int32_t popped = 8 + (in.opcode == 0xc2 ? static_cast<int32_t>(in.imm) : 0);
  out->Add(SOFTLBR_OP_ADD, 8, SOFTLBR_X86_RSP, SOFTLBR_X86_RSP, 0, popped, 0, SOFTLBR_UOP_B_IMM);
  out->SetEnd(end);
}

// loopne, loope, loop, jrcxz (e0..e3); with 67 they count in ecx. Intel processors ignore F2 and F3 here. On AMD
// processors F2 makes either of the first two loopne and F3 makes it loope, as with repne and repe.
void Loop(const Instruction& in, BlockBuilder* out) {
  static constexpr uint8_t kLoopConditions[4] = {SOFTLBR_COND_REG_NONZERO_AND_NZ, SOFTLBR_COND_REG_NONZERO_AND_Z,
                                                 SOFTLBR_COND_REG_NONZERO, SOFTLBR_COND_REG_ZERO};
  const uint8_t width = in.is_address_32 ? 4 : 8;
  softlbr_terminator end = Conditional(kLoopConditions[in.opcode & 3], in, *out);
  const uint8_t repeated = kLoopConditions[in.rep & 1];
  if (in.rep != 0 && in.opcode <= 0xe1 && end.condition != repeated && (in.cpu & kIntel) == 0)
    end.condition = (in.cpu & kAmd) != 0 ? repeated : uint8_t{SOFTLBR_COND_UNKNOWN};
  end.cond_reg = SOFTLBR_X86_RCX;
  end.cond_width = width;
  if (in.opcode != 0xe3) out->Add(SOFTLBR_OP_SUB, width, SOFTLBR_X86_RCX, SOFTLBR_X86_RCX, 0, 1, 0, SOFTLBR_UOP_B_IMM);
  out->SetEnd(end);
}

constexpr int32_t kReturnFromSignal = 15;     // rt_sigreturn of Linux
constexpr int32_t kReturnFromSignal32 = 173;  // the same in its 32-bit table, which int $0x80 uses

// The kernel returns with these registers changed, and may have written any memory.
void SystemCall(int32_t returns_elsewhere, BlockBuilder* out) {
  softlbr_terminator end{};
  end.kind = SOFTLBR_END_SYSCALL;
  end.cond_reg = SOFTLBR_X86_RAX;
  end.disp = returns_elsewhere;
  out->BeginAfter();
  out->AddUnknown(SOFTLBR_X86_RAX);
  out->AddUnknown(SOFTLBR_X86_RCX);
  out->AddUnknown(static_cast<uint32_t>(GprSlot(11)));
  out->Add(SOFTLBR_OP_CLOBBER_MEMORY, 8, 0, 0);
  out->SetEnd(end);
}

void Leave(uint8_t kind, BlockBuilder* out) {
  softlbr_terminator end{};
  end.kind = kind;
  out->SetEnd(end);
}

// The abort handler of a transaction gets the cause in eax.
void TransactionBegin(const Instruction& in, BlockBuilder* out) {
  const softlbr_terminator end = Conditional(SOFTLBR_COND_UNKNOWN, in, *out);
  out->BeginAfter();
  out->AddUnknown(SOFTLBR_X86_RAX);
  out->SetEnd(end);
}

// SOFTLBR_NOINLINE keeps LiftBranch, which runs for every instruction, free of a stack frame.
SOFTLBR_NOINLINE bool LiftOneByte(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0xc2: case 0xc3:
      Return(in, out);
      return true;
    case 0xe0: case 0xe1: case 0xe2: case 0xe3:
      Loop(in, out);
      return true;
    case 0xe8: {
      const softlbr_terminator end = Direct(SOFTLBR_END_CALL, in, *out);
      PushReturnAddress(out);
      out->SetEnd(end);
      return true;
    }
    case 0xe9: case 0xeb:
      out->SetEnd(Direct(SOFTLBR_END_JUMP, in, *out));
      return true;
    case 0xff:
      switch (in.Extension()) {
        case 2: Indirect(SOFTLBR_END_INDIRECT_CALL, in, out); return true;
        case 4: Indirect(SOFTLBR_END_INDIRECT_JUMP, in, out); return true;
        case 3: case 5: Leave(SOFTLBR_END_FAR, out); return true;
        default: return false;
      }
    case 0xc6:  // xabort
      if (in.Extension() == 0) return false;
      Leave(SOFTLBR_END_FAR, out);
      return true;
    case 0xc7:
      if (in.Extension() == 0) return false;
      TransactionBegin(in, out);
      return true;
    case 0xca: case 0xcb: case 0xcf:
      Leave(SOFTLBR_END_FAR, out);
      return true;
    case 0xcd:
      if (in.ImmByte() == 0x80) {
        SystemCall(kReturnFromSignal32, out);
        return true;
      }
      [[fallthrough]];
    case 0xcc: case 0xf1: case 0xf4:
      Leave(SOFTLBR_END_TRAP, out);
      return true;
    default:  // 70..7f
      out->SetEnd(Conditional(kConditions[in.opcode & 15], in, *out));
      return true;
  }
  // clang-format on
}

SOFTLBR_NOINLINE bool Lift0F(const Instruction& in, BlockBuilder* out) {
  // clang-format off
  switch (in.opcode) {
    case 0x01:  // uiret
      if (in.mod != 3 || in.reg != 5 || in.rm != 4 || in.pp != Pp::kF3) return false;
      Leave(SOFTLBR_END_FAR, out);
      return true;
    case 0x05:
      // The end of every signal handler. The code behind it does not run, so a breakpoint there would never be hit.
      if (out->FollowsConst(SOFTLBR_X86_RAX, kReturnFromSignal)) {
        Leave(SOFTLBR_END_FAR, out);
      } else {
        SystemCall(kReturnFromSignal, out);
      }
      return true;
    case 0x07: case 0x34: case 0x35: case 0xaa:
      Leave(SOFTLBR_END_FAR, out);
      return true;
    case 0x0b: case 0xb9: case 0xff:
      Leave(SOFTLBR_END_TRAP, out);
      return true;
    default:  // 80..8f
      out->SetEnd(Conditional(kConditions[in.opcode & 15], in, *out));
      return true;
  }
  // clang-format on
}

bool LiftByMap(const Instruction& in, BlockBuilder* out) {
  return in.map == Map::kOneByte ? LiftOneByte(in, out) : Lift0F(in, out);
}

// No compiler emits the forms below.

// The temporary that holds the target of a short branch.
SOFTLBR_COLD uint16_t ShortTarget(const Instruction& in, BlockBuilder* out) {
  const uint16_t target = out->Temp();
  if ((in.cpu & kAmd) == 0) {
    out->AddUnknown(target);
  } else if (in.opcode == 0xff && in.mod == 3) {
    out->Add(SOFTLBR_OP_ZERO_EXTEND, 8, target, GprSlot(in.rm), 0, 0, 2);
  } else if (in.opcode == 0xff) {
    AddMemory(SOFTLBR_OP_LOAD, 2, target, MemoryAddress(in, out), 0, out);
  } else if (in.opcode == 0xc2 || in.opcode == 0xc3) {
    out->Add(SOFTLBR_OP_LOAD, 2, target, SOFTLBR_X86_RSP);
  } else {
    out->Add(SOFTLBR_OP_ADDRESS, 2, target, SOFTLBR_REG_BLOCK, 0, static_cast<int32_t>(out->next_offset() + in.imm));
  }
  return target;
}

// For opcodes that may be a near branch: as LiftByMap, with the branch short or, if the CPU is not known, possibly
// short.
SOFTLBR_COLD bool LiftShort(const Instruction& in, BlockBuilder* out) {
  const bool is_known = (in.cpu & kAmd) != 0;
  softlbr_terminator end{};
  int32_t popped = 0;
  // clang-format off
  switch (in.map == Map::k0F ? in.opcode & 0xf0u : in.opcode) {
    case 0xc2: case 0xc3:
      end.kind = SOFTLBR_END_RETURN;
      popped = 2 + static_cast<int32_t>(in.imm);
      break;
    case 0xe8:
      end.kind = SOFTLBR_END_CALL;
      popped = -2;
      break;
    case 0xff:
      if (in.Extension() != 2 && in.Extension() != 4) return LiftOneByte(in, out);
      end.kind = in.Extension() == 2 ? SOFTLBR_END_INDIRECT_CALL : SOFTLBR_END_INDIRECT_JUMP;
      popped = in.Extension() == 2 ? -2 : 0;
      break;
    case 0x70: case 0x71: case 0x72: case 0x73: case 0x74: case 0x75: case 0x76: case 0x77:
    case 0x78: case 0x79: case 0x7a: case 0x7b: case 0x7c: case 0x7d: case 0x7e: case 0x7f:
    case 0x80:  // 0f 80..8f
    case 0xe0: case 0xe1: case 0xe2: case 0xe3: case 0xe9: case 0xeb: {
      const uint16_t target = ShortTarget(in, out);
      LiftByMap(in, out);
      end = out->block().end;
      end.base = target;
      end.disp = 0;
      out->SetEnd(end);
      return true;
    }
    default:
      return LiftByMap(in, out);
  }
  // clang-format on
  end.base = ShortTarget(in, out);
  out->BeginAfter();
  if (popped < 0) {
    const uint16_t next = out->Temp();
    out->Add(SOFTLBR_OP_ADDRESS, 8, next, SOFTLBR_REG_BLOCK, 0, static_cast<int32_t>(out->next_offset()));
    // CPU not known: 2 or 8 bytes are pushed. Storing 8 UNKNOWN bytes covers both.
    out->Add(is_known ? SOFTLBR_OP_STORE : SOFTLBR_OP_STORE_UNKNOWN, is_known ? 2 : 8, next, SOFTLBR_X86_RSP, 0,
             is_known ? -2 : -8);
  }
  if (popped != 0)
    out->Add(is_known ? SOFTLBR_OP_ADDRESS : SOFTLBR_OP_UNKNOWN, 8, SOFTLBR_X86_RSP, SOFTLBR_X86_RSP, 0, popped);
  out->SetEnd(end);
  return true;
}

struct OpcodeSet {
  uint64_t bits[4];
  constexpr void Add(uint32_t opcode) { bits[opcode >> 6] |= uint64_t{1} << (opcode & 63); }
  bool Has(uint32_t opcode) const { return bits[opcode >> 6] >> (opcode & 63) & 1; }
};

constexpr OpcodeSet OneByteBranches() {
  OpcodeSet set{};
  for (uint32_t i = 0x70; i <= 0x7f; ++i) set.Add(i);
  for (uint32_t i : {0xc2, 0xc3, 0xc6, 0xc7, 0xca, 0xcb, 0xcc, 0xcd, 0xcf, 0xe0, 0xe1, 0xe2, 0xe3, 0xe8, 0xe9, 0xeb,
                     0xf1, 0xf4, 0xff})
    set.Add(i);
  return set;
}

constexpr OpcodeSet Branches0F() {
  OpcodeSet set{};
  for (uint32_t i = 0x80; i <= 0x8f; ++i) set.Add(i);
  for (uint32_t i : {0x01, 0x05, 0x07, 0x0b, 0x34, 0x35, 0xaa, 0xb9, 0xff}) set.Add(i);
  return set;
}

constexpr OpcodeSet kOneByteBranches = OneByteBranches();
constexpr OpcodeSet k0FBranches = Branches0F();

}  // namespace

bool LiftBranch(const Instruction& in, BlockBuilder* out) {
  if (in.encoding != Encoding::kLegacy) return false;
  if (in.map == Map::kOneByte) {
    if (!kOneByteBranches.Has(in.opcode)) return false;
  } else if (in.map != Map::k0F || !k0FBranches.Has(in.opcode)) {
    return false;
  }
  if (SOFTLBR_UNLIKELY(in.operand_bytes == 2 && (in.cpu & kIntel) == 0)) return LiftShort(in, out);
  return LiftByMap(in, out);
}

uint8_t ConditionOf(const Instruction& in) { return kConditions[in.opcode & 15]; }

}  // namespace softlbr::x86
