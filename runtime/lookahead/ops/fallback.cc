// Contract: fallback.h.
#include "runtime/lookahead/ops/fallback.h"

#include "runtime/lookahead/values/operands.h"

namespace softlbr {

namespace {
constexpr uint32_t kVectorBytes = 64;
}  // namespace

void ForgetBytes(MachineContext* context, uint32_t slot, uint32_t bytes) {
  for (uint32_t done = 0; done < bytes && done < kVectorBytes; done += 8, ++slot) {
    if (slot == SOFTLBR_REG_ZERO) continue;
    const uint32_t rest = bytes - done;
    const uint8_t forgotten = rest >= 8 ? kAllBytesKnown : WidthKnown(rest);
    context->known[slot] = static_cast<uint8_t>(context->known[slot] & ~forgotten);
    asm volatile("" ::: "memory");  // else the compiler may call memset
  }
}

void ForgetResult(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0) SetExplicitFlags(&evaluator->lazy, 0, 0);
  switch (uop.op) {
    case SOFTLBR_OP_VTEST:
    case SOFTLBR_OP_FCMP_FLAGS: SetExplicitFlags(&evaluator->lazy, 0, 0); return;
    case SOFTLBR_OP_VEXTRACT:
    case SOFTLBR_OP_VMASK_BITS:
    case SOFTLBR_OP_VCMP_MASK:
    case SOFTLBR_OP_VTEST_MASK:
    case SOFTLBR_OP_STRING_INDEX:
    case SOFTLBR_OP_FCMP_MASK:
    case SOFTLBR_OP_FLOAT_TO_INT: WriteSlot(context, uop.dst, kUnknownValue); return;
    case SOFTLBR_OP_VINSERT:
    case SOFTLBR_OP_VZERO_ABOVE: ForgetBytes(context, uop.dst, kVectorBytes); return;
    case SOFTLBR_OP_INT_TO_FLOAT: ForgetBytes(context, uop.dst, uop.aux); return;
    default: ForgetBytes(context, uop.dst, uop.width); return;
  }
}

}  // namespace softlbr
