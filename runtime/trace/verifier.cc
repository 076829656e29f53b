#include "runtime/trace/verifier.h"

#include "platform/base/elf_machine.h"
#include "platform/base/registers_x86_64.h"
#include "runtime/lookahead/values/value.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

// Floating-point instructions set MXCSR's exception flags as a side effect, which our semantics do not model.
constexpr uint64_t kStickyExceptionBits = 0x3f;

}  // namespace

void KeepPrediction(Evaluator* evaluator, PredictedState* predicted) {
  SettleContext(evaluator);
  const MachineContext& context = evaluator->context;
  for (uint32_t i = 0; i < SOFTLBR_GENERAL_SLOTS; ++i) {
    predicted->regs[i] = context.regs[SOFTLBR_REG_GENERAL + i];
    predicted->known[i] = context.known[SOFTLBR_REG_GENERAL + i];
  }
  predicted->flags = context.flags;
  predicted->flags_known = context.flags_known;
}

void ForgetPrediction(PredictedState* predicted) {
  for (uint8_t& known : predicted->known) {
    known = 0;
    asm volatile("" ::: "memory");  // else the compiler would call memset
  }
  predicted->flags_known = 0;
}

bool IsPredictionTrue(const PredictedState& predicted, const Evaluator& evaluator) {
  const MachineContext& context = evaluator.context;
  for (uint32_t i = 0; i < SOFTLBR_GENERAL_SLOTS; ++i) {
    const uint64_t difference = predicted.regs[i] ^ context.regs[SOFTLBR_REG_GENERAL + i];
    if (difference == 0) continue;
    uint64_t compared = ExpandKnown(predicted.known[i] & context.known[SOFTLBR_REG_GENERAL + i]);
    const bool is_mxcsr = evaluator.machine == kMachineX86_64 && SOFTLBR_REG_GENERAL + i == SOFTLBR_X86_MXCSR;
    if (is_mxcsr) compared &= ~kStickyExceptionBits;
    if ((difference & compared) != 0) return false;
  }
  const uint8_t flags = predicted.flags_known & context.flags_known;
  return ((predicted.flags ^ context.flags) & flags) == 0;
}

}  // namespace softlbr
