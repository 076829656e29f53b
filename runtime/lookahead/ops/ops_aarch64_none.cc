// What the archive of another CPU has instead of ops that only instructions of AArch64 need, to keep within its budget of text. Their
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

void RunPointerUop(Evaluator* evaluator, const softlbr_uop& uop) { WriteSlot(&evaluator->context, uop.dst, kUnknownValue); }

}  // namespace softlbr
