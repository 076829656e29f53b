// Replaces ops that only AArch64 instructions need in archives for other CPUs, which have a budget of text. Their
// results are UNKNOWN. Contract: ops.h.
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {

UopResult RunMaskedUop(Evaluator* evaluator, const softlbr_uop& uop) {
  if (uop.op == SOFTLBR_OP_VLOAD_MASKED) {
    ForgetBytes(&evaluator->context, uop.dst, uop.width);
  } else {
    PoisonMemory(&evaluator->memory);
  }
  return UopResult::kOk;
}

void RunBitFieldUop(Evaluator* evaluator, const softlbr_uop& uop) {
  WriteSlot(&evaluator->context, uop.dst, kUnknownValue);
}
void RunConditionalCompareUop(Evaluator* evaluator, const softlbr_uop&) { SetExplicitFlags(&evaluator->lazy, 0, 0); }
void RunMultiplyAddUop(Evaluator* evaluator, const softlbr_uop& uop) {
  WriteResult(&evaluator->context, uop, kUnknownValue);
}
void RunPointerUop(Evaluator* evaluator, const softlbr_uop& uop) {
  WriteSlot(&evaluator->context, uop.dst, kUnknownValue);
}

}  // namespace softlbr
