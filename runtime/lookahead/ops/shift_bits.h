// What the files of the shifts share. Context: handler.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_SHIFT_BITS_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_SHIFT_BITS_H_

#include "runtime/lookahead/ops/evaluator_state.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {

// Bits and the mask of those that are known, both within the operand's width.
struct Bits {
  uint64_t value;
  uint64_t mask;
};

SOFTLBR_HANDLER_SAFE inline Bits BitsOf(Value value, uint64_t width_bits) {
  const uint64_t mask = ExpandKnown(value.known) & width_bits;
  return Bits{value.bits & mask, mask};
}
SOFTLBR_HANDLER_SAFE inline Truth BitAt(Bits bits, uint32_t index) {
  if ((bits.mask >> index & 1) == 0) return Truth::kUnknown;
  return TruthOf((bits.value >> index & 1) != 0);
}
SOFTLBR_HANDLER_SAFE inline Value ValueOf(Bits bits) { return Value{bits.value, CompressKnown(bits.mask)}; }

// Flags after a shift of `result`; those not given become UNKNOWN.
SOFTLBR_HANDLER_SAFE void SetShiftFlags(Evaluator* evaluator, const softlbr_uop& uop, Value result, Truth carry,
                                        Truth overflow);
// Rotates change only C and V.
SOFTLBR_HANDLER_SAFE void SetRotateFlags(Evaluator* evaluator, Truth carry, Truth overflow);

// RCL, RCR, and SHLD, SHRD, by a count that is not 0.
SOFTLBR_HANDLER_SAFE void RotateThroughCarry(Evaluator* evaluator, const softlbr_uop& uop, Bits a, uint32_t count);
SOFTLBR_HANDLER_SAFE void DoubleShift(Evaluator* evaluator, const softlbr_uop& uop, Bits a, Bits filler,
                                      uint32_t count);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_SHIFT_BITS_H_
