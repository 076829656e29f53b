// Terminators: branches and instructions that enter the kernel. Encodings with the prefix 1101010100 (system) are in
// system.cc.
//
// An `after` uop writes a call's return address, so that `blr x30` uses the old value as its target. Forms that
// authenticate branch to the stripped pointer: with a wrong signature the CPU would fault. eret, drps and the
// debugger's dcps are not available in user space: unallocated.
#include "decoders/aarch64/scalable/scalable.h"

namespace softlbr::a64 {
namespace {

constexpr uint32_t kLinkRegister = 30;

softlbr_terminator Direct(uint8_t kind, int32_t displacement, const BlockBuilder& out) {
  softlbr_terminator end{};
  end.kind = kind;
  end.base = SOFTLBR_REG_BLOCK;
  end.disp = int64_t{out.offset()} + int64_t{displacement} * kWordBytes;
  return end;
}

void SetLink(BlockBuilder* out) {
  out->BeginAfter();
  out->Add(SOFTLBR_OP_ADDRESS, 8, X(kLinkRegister), SOFTLBR_REG_BLOCK, SOFTLBR_REG_ZERO,
           static_cast<int32_t>(out->next_offset()));
}

}  // namespace

Lifted LiftDirectBranch(uint32_t word, BlockBuilder* out) {  // b, bl
  const bool is_call = Bit(word, 31);
  const softlbr_terminator end = Direct(is_call ? SOFTLBR_END_CALL : SOFTLBR_END_JUMP, SignedField(word, 0, 26), *out);
  if (is_call) SetLink(out);
  out->SetEnd(end);
  return Lifted::kEnd;
}

Lifted LiftCompareAndBranch(uint32_t word, BlockBuilder* out) {  // cbz, cbnz
  softlbr_terminator end = Direct(SOFTLBR_END_CONDITIONAL, SignedField(word, 5, 19), *out);
  end.condition = Bit(word, 24) ? SOFTLBR_COND_REG_NONZERO : SOFTLBR_COND_REG_ZERO;
  end.cond_width = static_cast<uint8_t>(WidthBySf(word));
  end.cond_reg = static_cast<uint16_t>(X(Rd(word)));
  out->SetEnd(end);
  return Lifted::kEnd;
}

Lifted LiftTestAndBranch(uint32_t word, BlockBuilder* out) {  // tbz, tbnz
  softlbr_terminator end = Direct(SOFTLBR_END_CONDITIONAL, SignedField(word, 5, 14), *out);
  end.condition = Bit(word, 24) ? SOFTLBR_COND_BIT_ONE : SOFTLBR_COND_BIT_ZERO;
  end.cond_bit = static_cast<uint8_t>(Field(word, 19, 5) | (Bit(word, 31) ? 32u : 0u));
  end.cond_width = end.cond_bit >= 32 ? 8 : 4;
  end.cond_reg = static_cast<uint16_t>(X(Rd(word)));
  out->SetEnd(end);
  return Lifted::kEnd;
}

namespace {

Lifted Return(uint32_t target, BlockBuilder* out) {
  softlbr_terminator end{};
  end.kind = SOFTLBR_END_RETURN;
  end.base = static_cast<uint16_t>(target);
  out->SetEnd(end);
  return Lifted::kEnd;
}

Lifted AuthenticatedReturn(uint32_t key, BlockBuilder* out) {
  const uint16_t target = out->Temp();
  AddCheckedPointer(target, X(kLinkRegister), XOrSp(31), key, out);
  return Return(target, out);
}

// retaasppc and variants: the address of the signing instruction is part of the signature.
Lifted ReturnOfUnknownSignature(BlockBuilder* out) {
  const uint16_t target = out->Temp();
  out->AddUnknown(target);
  return Return(target, out);
}

}  // namespace

// b.cond, bc.cond; retaasppc and retabsppc with a label.
Lifted LiftConditionalBranch(uint32_t word, BlockBuilder* out) {
  if (Bit(word, 24)) {
    const bool is_return = Field(word, 22, 2) == 0 && Rd(word) == kZeroRegister;
    return is_return ? ReturnOfUnknownSignature(out) : Lifted::kUnallocated;
  }
  const uint8_t condition = kConditions[Field(word, 0, 4)];
  const bool is_always = condition == SOFTLBR_COND_ALWAYS;
  softlbr_terminator end =
      Direct(is_always ? SOFTLBR_END_JUMP : SOFTLBR_END_CONDITIONAL, SignedField(word, 5, 19), *out);
  end.condition = condition;
  out->SetEnd(end);
  return Lifted::kEnd;
}

namespace {

Lifted Leave(uint8_t kind, BlockBuilder* out) {
  softlbr_terminator end{};
  end.kind = kind;
  out->SetEnd(end);
  return Lifted::kEnd;
}

constexpr int32_t kReturnFromSignal = 139;  // rt_sigreturn of Linux

// The kernel returns with x0 changed and may have written any memory. It may also have discarded the SVE state beyond
// the V registers, or changed the vector length.
Lifted SystemCall(BlockBuilder* out) {
  // The end of every signal handler. The code behind it does not run, so a breakpoint there would never be hit.
  if (out->FollowsConst(X(8), kReturnFromSignal)) return Leave(SOFTLBR_END_FAR, out);
  softlbr_terminator end{};
  end.kind = SOFTLBR_END_SYSCALL;
  end.cond_reg = static_cast<uint16_t>(X(8));
  end.disp = kReturnFromSignal;
  out->BeginAfter();
  out->AddUnknown(X(0));
  out->Add(SOFTLBR_OP_CLOBBER_MEMORY, 8, 0, 0);
  ForgetPredicates(out);
  out->AddUnknown(kVectorLength);
  out->AddUnknown(kVectorBytes);
  for (uint32_t r = 0; r < SOFTLBR_VECTOR_REGISTERS; ++r) out->Add(SOFTLBR_OP_UNKNOWN, 48, V(r) + 2, 0);
  out->SetEnd(end);
  return Lifted::kEnd;
}

}  // namespace

Lifted LiftException(uint32_t word, BlockBuilder* out) {
  const uint32_t opc = Field(word, 21, 3);
  const uint32_t level = Field(word, 0, 5);
  if (opc == 0 && level == 1) return SystemCall(out);
  if ((opc == 1 || opc == 2) && level == 0) return Leave(SOFTLBR_END_TRAP, out);  // brk, hlt
  return Lifted::kUnallocated;  // hvc, smc, dcps: undefined in user space; tcancel: transactions are not supported
}

Lifted LiftIndirectBranch(uint32_t word, BlockBuilder* out) {
  const uint32_t opc = Field(word, 21, 4);
  const uint32_t op3 = Field(word, 10, 6);
  const uint32_t op4 = Field(word, 0, 5);
  if (Rm(word) != kZeroRegister) return Lifted::kUnallocated;
  const bool authenticates = op3 == 2 || op3 == 3;
  if (op3 != 0 && !authenticates) return Lifted::kUnallocated;
  if (opc == 2) {
    if (!authenticates) return op4 == 0 ? Return(X(Rn(word)), out) : Lifted::kUnallocated;
    // retaa, retab; with another op4 retaasppcr, retabsppcr
    if (Rn(word) != kZeroRegister) return Lifted::kUnallocated;
    return op4 == kZeroRegister ? AuthenticatedReturn(op3 & 1, out) : ReturnOfUnknownSignature(out);
  }
  const bool is_call = (opc & 7) == 1;
  const bool has_modifier = opc >= 8;  // braa, blraa with a modifier register; else the modifier is zero
  if ((opc & 7) > 1 || (has_modifier && !authenticates)) return Lifted::kUnallocated;
  if (!has_modifier && op4 != (authenticates ? kZeroRegister : 0)) return Lifted::kUnallocated;
  softlbr_terminator end{};
  end.kind = is_call ? SOFTLBR_END_INDIRECT_CALL : SOFTLBR_END_INDIRECT_JUMP;
  end.base = static_cast<uint16_t>(X(Rn(word)));
  if (authenticates) {
    end.base = out->Temp();
    AddCheckedPointer(end.base, X(Rn(word)), has_modifier ? XOrSp(op4) : uint32_t{SOFTLBR_REG_ZERO}, op3 & 1, out);
  }
  if (is_call) SetLink(out);
  out->SetEnd(end);
  return Lifted::kEnd;
}

}  // namespace softlbr::a64
