// What the files of the bit ops share. Context: handler.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_BIT_INDEX_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_BIT_INDEX_H_

#include "runtime/lookahead/ops/evaluator_state.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {

struct BitIndex {
  uint32_t index;
  bool is_known;  // false also when every known bit is 0
};

SOFTLBR_HANDLER_SAFE inline BitIndex LowestOne(Value value, uint32_t width) {
  const uint64_t run = value.bits & ExpandKnown(KnownRunFromBottom(value.known)) & WidthBits(width);
  if (run == 0) return BitIndex{0, false};
  return BitIndex{static_cast<uint32_t>(__builtin_ctzll(run)), true};
}

SOFTLBR_HANDLER_SAFE inline BitIndex HighestOne(Value value, uint32_t width) {
  const uint64_t bits = value.bits & WidthBits(width);
  const uint64_t unknown = ~ExpandKnown(value.known) & WidthBits(width);
  const uint64_t possible = bits | unknown;
  if (possible == 0) return BitIndex{0, false};
  const uint32_t index = 63 - static_cast<uint32_t>(__builtin_clzll(possible));
  return BitIndex{index, (unknown >> index & 1) == 0};
}

// Sets all six flags; those not given become UNKNOWN.
SOFTLBR_HANDLER_SAFE void SetCarryZeroSign(Evaluator* evaluator, Truth carry, Truth zero, Truth sign);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_BIT_INDEX_H_
