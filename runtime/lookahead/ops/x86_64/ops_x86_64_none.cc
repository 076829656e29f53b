// Replaces ops that only x86-64 instructions need in archives for other CPUs, which have a budget of text. Their
// results are UNKNOWN. Contracts: ops.h, string_uop.h, shift_bits.h, wide_division.h.
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/ops/shift_bits.h"
#include "runtime/lookahead/ops/string_uop.h"
#include "runtime/lookahead/ops/wide_division.h"

namespace softlbr {

UopResult MoveString(Evaluator* evaluator, const StringUop&, uint32_t) {
  PoisonMemory(&evaluator->memory);
  return UopResult::kOk;
}

UopResult SearchString(Evaluator* evaluator, const softlbr_uop& uop, const StringUop&) {
  SetExplicitFlags(&evaluator->lazy, 0, 0);
  Forget(evaluator, uop.dst);
  if (uop.op == SOFTLBR_OP_STRING_COMPARE) Forget(evaluator, uop.a);
  Forget(evaluator, uop.b);
  return UopResult::kOk;
}

void RunProductUop(Evaluator* evaluator, const softlbr_uop& uop) { ForgetResult(evaluator, uop); }
void RunBlendUop(Evaluator* evaluator, const softlbr_uop& uop) { ForgetResult(evaluator, uop); }
void RunFloatLanesUop(Evaluator* evaluator, const softlbr_uop& uop) { ForgetResult(evaluator, uop); }
void RunPermuteUop(Evaluator* evaluator, const softlbr_uop& uop) { ForgetResult(evaluator, uop); }
void RunStringIndexUop(Evaluator* evaluator, const softlbr_uop& uop) { ForgetResult(evaluator, uop); }

void RunBitScanUop(Evaluator* evaluator, const softlbr_uop& uop) {
  if (SetsFlags(uop)) SetExplicitFlags(&evaluator->lazy, 0, 0);
  if (uop.op != SOFTLBR_OP_BIT_TEST) WriteResult(&evaluator->context, uop, kUnknownValue);
}

// The path ends.
bool DivideX86(uint64_t, uint64_t, uint64_t, uint32_t, bool, Division*) { return false; }

void RotateThroughCarry(Evaluator* evaluator, const softlbr_uop& uop, Bits, uint32_t) {
  if (SetsFlags(uop)) SetRotateFlags(evaluator, Truth::kUnknown, Truth::kUnknown);
  WriteResult(&evaluator->context, uop, kUnknownValue);
}

void DoubleShift(Evaluator* evaluator, const softlbr_uop& uop, Bits, Bits, uint32_t) {
  if (SetsFlags(uop)) SetExplicitFlags(&evaluator->lazy, 0, 0);
  WriteResult(&evaluator->context, uop, kUnknownValue);
}

}  // namespace softlbr
