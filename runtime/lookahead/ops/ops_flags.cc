// Ops that read or write the flags directly. Contract: ops.h.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
namespace {

void SetByCondition(Evaluator* evaluator, const softlbr_uop& uop) {
  const Truth truth = EvaluateCondition(evaluator->lazy, uop.aux);
  const bool all_ones = (uop.flags & SOFTLBR_UOP_NEGATE) != 0;
  Value value = {0, kAllBytesKnown};
  if (truth == Truth::kTrue) value.bits = all_ones ? ~uint64_t{0} : 1;
  // 0 or 1: only the low byte is UNKNOWN
  if (truth == Truth::kUnknown) value.known = all_ones ? uint8_t{0} : uint8_t{0xfe};
  WriteResult(&evaluator->context, uop, value);
}

void Select(Evaluator* evaluator, const softlbr_uop& uop) {
  const Value a = OperandA(evaluator->context, uop);
  const Value b = OperandB(evaluator->context, uop);
  const Truth truth = EvaluateCondition(evaluator->lazy, uop.aux);
  Value value = truth == Truth::kTrue ? a : b;
  if (truth == Truth::kUnknown) {
    value.known = CompressKnown(ExpandKnown(a.known & b.known) & ~(a.bits ^ b.bits));
    if (AreOperandsSame(uop)) value.known = a.known;
  }
  WriteResult(&evaluator->context, uop, value);
}

}  // namespace

void RunFlagsUop(Evaluator* evaluator, const softlbr_uop& uop) {
  LazyFlags* lazy = &evaluator->lazy;
  const uint8_t mask = static_cast<uint8_t>(static_cast<uint32_t>(uop.imm) & SOFTLBR_FLAG_ALL);
  switch (uop.op) {
    case SOFTLBR_OP_SETCC: SetByCondition(evaluator, uop); return;
    case SOFTLBR_OP_SELECT: Select(evaluator, uop); return;
    case SOFTLBR_OP_GET_FLAGS: {
      SettleFlags(lazy);
      const uint8_t known = lazy->packed_known == SOFTLBR_FLAG_ALL ? 0xff : 0xfe;
      WriteSlot(&evaluator->context, uop.dst, Value{lazy->packed, known});
      return;
    }
    case SOFTLBR_OP_SET_FLAGS_FROM: {
      const Value a = OperandA(evaluator->context, uop);
      ReplaceFlags(lazy, mask, static_cast<uint8_t>(a.bits), (a.known & 1) != 0 ? SOFTLBR_FLAG_ALL : 0);
      return;
    }
    case SOFTLBR_OP_CLOBBER_FLAGS: ReplaceFlags(lazy, mask, 0, 0); return;
    case SOFTLBR_OP_FLAGS_CONST: ReplaceFlags(lazy, mask, uop.aux, SOFTLBR_FLAG_ALL); return;
    default: ReplaceCarry(lazy, Not(FlagValue(*lazy, SOFTLBR_FLAG_C))); return;  // FLIP_CARRY
  }
}

}  // namespace softlbr
