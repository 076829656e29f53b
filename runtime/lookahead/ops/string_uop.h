// What the files of the string ops share. Context: handler.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_STRING_UOP_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_STRING_UOP_H_

#include "runtime/lookahead/ops/evaluator_state.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {

// The operands, all known.
struct StringUop {
  uint64_t dst;
  uint64_t src;
  uint64_t count;  // elements
  uint64_t step;   // +-width
  bool has_count_slot;
};

SOFTLBR_HANDLER_SAFE inline void WriteKnown(Evaluator* evaluator, uint32_t slot, uint64_t bits) {
  WriteSlot(&evaluator->context, slot, Value{bits, kAllBytesKnown});
}
SOFTLBR_HANDLER_SAFE inline void Forget(Evaluator* evaluator, uint32_t slot) {
  WriteSlot(&evaluator->context, slot, kUnknownValue);
}

// The lowest address of the `count` elements that start at `pointer`.
SOFTLBR_HANDLER_SAFE inline uint64_t LowestByte(const StringUop& s, uint64_t pointer) {
  return static_cast<int64_t>(s.step) < 0 ? pointer + (s.count - 1) * s.step : pointer;
}

// STRING_MOVE: copies the elements. The caller moves the pointers.
SOFTLBR_HANDLER_SAFE UopResult MoveString(Evaluator* evaluator, const StringUop& s, uint32_t width);
// STRING_SCAN, STRING_COMPARE. A count of 0 keeps the flags.
SOFTLBR_HANDLER_SAFE UopResult SearchString(Evaluator* evaluator, const softlbr_uop& uop, const StringUop& s);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_STRING_UOP_H_
