// AArch64's products that are added to a third operand, or subtracted from it. Contract: ops.h.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {

void RunMultiplyAddUop(Evaluator* evaluator, const softlbr_uop& uop) {
  Value a = OperandA(evaluator->context, uop);
  Value b = OperandB(evaluator->context, uop);
  const Value c = ReadSlot(evaluator->context, static_cast<uint32_t>(uop.imm));
  if (uop.op == SOFTLBR_OP_MADD_LONG) {
    // Operands are 4 bytes; the result is 8 (uop.width).
    const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
    a = is_signed ? SignExtendValue(a, 4) : ZeroExtendValue(a, 4);
    b = is_signed ? SignExtendValue(b, 4) : ZeroExtendValue(b, 4);
  }
  Value product = {a.bits * b.bits, KnownRunFromBottom(a.known & b.known)};
  if (IsKnownZero(a, uop.width) || IsKnownZero(b, uop.width)) product = Value{0, kAllBytesKnown};
  const bool negate = (uop.flags & SOFTLBR_UOP_NEGATE) != 0;
  WriteResult(
      &evaluator->context, uop,
      Value{negate ? c.bits - product.bits : c.bits + product.bits, KnownRunFromBottom(product.known & c.known)});
}

}  // namespace softlbr
