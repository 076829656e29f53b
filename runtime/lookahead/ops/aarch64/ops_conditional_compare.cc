// AArch64's compares under a condition. Contract: ops.h.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {

void RunConditionalCompareUop(Evaluator* evaluator, const softlbr_uop& uop) {
  const Value a = OperandA(evaluator->context, uop);
  Value b = OperandB(evaluator->context, uop);
  if ((uop.flags & SOFTLBR_UOP_B_IMM) != 0) b.bits = static_cast<uint32_t>(uop.imm) & 31;
  const uint8_t otherwise = static_cast<uint8_t>(static_cast<uint32_t>(uop.imm) >> 16 & SOFTLBR_FLAG_ALL);
  const uint8_t run = KnownRunFromBottom(a.known & b.known);
  const Truth truth = EvaluateCondition(evaluator->lazy, uop.aux);
  if (truth == Truth::kFalse) {
    SetExplicitFlags(&evaluator->lazy, otherwise, SOFTLBR_FLAG_ALL);
    return;
  }
  if ((uop.flags & SOFTLBR_UOP_NEGATE) != 0) {
    SetArithmeticFlags(&evaluator->lazy, FlagsKind::kAdd, uop.width, a, b, Value{a.bits + b.bits, run});
  } else {
    SetArithmeticFlags(&evaluator->lazy, FlagsKind::kSubNotBorrow, uop.width, a, b, Value{a.bits - b.bits, run});
  }
  if (truth == Truth::kTrue) return;
  SettleFlags(&evaluator->lazy);  // a flag is known if both outcomes agree on it
  const uint8_t agree = static_cast<uint8_t>(~(evaluator->lazy.packed ^ otherwise));
  evaluator->lazy.packed_known = static_cast<uint8_t>(evaluator->lazy.packed_known & agree);
}

}  // namespace softlbr
