// Vector loads and stores under a mask. Contract: ops.h.
//
// They neither read nor probe the bytes that the mask leaves out.
#include "runtime/lookahead/memory/shadow_memory.h"
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {

// A word is handled at once if the mask enables all of its bytes or none, else byte by byte. A contiguous mask has at
// most two words of the second kind.
UopResult RunMaskedUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext& context = evaluator->context;
  const bool is_load = uop.op == SOFTLBR_OP_VLOAD_MASKED;
  const uint64_t address = context.regs[uop.a] + static_cast<uint64_t>(int64_t{uop.imm});
  const uint64_t mask = context.regs[uop.b];
  if ((context.known[uop.a] & context.known[uop.b]) != kAllKnown) {
    if (is_load) {
      ForgetBytes(&context, uop.dst, uop.width);
    } else {
      PoisonMemory(&evaluator->memory);
    }
    return UopResult::kOk;
  }
  uint32_t step = 1;
  for (uint32_t at = 0; at < uop.width; at += step) {
    const uint32_t in_word = at % 8;
    const uint64_t left = mask >> at;
    const uint32_t slot = uop.dst + at / 8;
    if (in_word == 0) {
      step = (left + 1) % 256 <= 1 ? 8 : 1;
      if (is_load) WriteSlot(&context, slot, Value{0, kAllBytesKnown});
    }
    if ((left & 1) == 0) continue;
    Value value = ReadSlot(context, slot);
    value.bits >>= 8 * in_word;
    value.known = static_cast<uint8_t>(value.known >> in_word);
    const UopResult result = is_load ? LoadMemory(&evaluator->memory, address + at, step, &value)
                                     : StoreMemory(&evaluator->memory, address + at, step, value);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
    if (!is_load) continue;
    context.regs[slot] |= (value.bits & WidthBits(step)) << (8 * in_word);
    context.known[slot] &= static_cast<uint8_t>(~((~uint32_t{value.known} & WidthKnown(step)) << in_word));
  }
  return UopResult::kOk;
}

}  // namespace softlbr
