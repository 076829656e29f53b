// Reads a uop's scalar operands and writes its result, as the part WIDTH AND WRITES of decoders/api/ir.h says.
// Context: handler, no loop. Bytes of a Value beyond the uop's width are unspecified.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_OPERANDS_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_OPERANDS_H_

#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/machine_context.h"
#include "runtime/lookahead/values/value.h"

namespace softlbr {

SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE Value ReadSlot(const MachineContext& context, uint32_t slot) {
  return Value{context.regs[slot], context.known[slot]};
}
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE Value SecondByte(Value value) {
  return Value{value.bits >> 8 & 0xff, static_cast<uint8_t>(value.known >> 1)};
}
// Not inlined: the archive has a budget.
SOFTLBR_HANDLER_SAFE Value OperandA(const MachineContext& context, const softlbr_uop& uop);
SOFTLBR_HANDLER_SAFE Value OperandB(const MachineContext& context, const softlbr_uop& uop);
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool SetsFlags(const softlbr_uop& uop) {
  return (uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0;
}
// True if both operands are the same bytes: their difference is then known even if they are not.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool AreOperandsSame(const softlbr_uop& uop) {
  return uop.a == uop.b && (uop.flags & SOFTLBR_UOP_B_IMM) == 0 &&
         ((uop.flags & SOFTLBR_UOP_A_HIGH) != 0) == ((uop.flags & SOFTLBR_UOP_B_HIGH) != 0);
}

// Replaces a whole register slot, except SOFTLBR_REG_ZERO.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void WriteSlot(MachineContext* context, uint32_t slot, Value value) {
  if (slot == SOFTLBR_REG_ZERO) return;
  context->regs[slot] = value.bits;
  context->known[slot] = value.known;
}

// Writes a scalar result of uop.width bytes.
SOFTLBR_HANDLER_SAFE void WriteResult(MachineContext* context, const softlbr_uop& uop, Value value);

// Address of a memory uop: a + (b << aux) + imm.
struct Address {
  uint64_t value;
  bool is_known;
};
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE Address AddressOf(const MachineContext& context, const softlbr_uop& uop) {
  const uint64_t sum = context.regs[uop.a] + (context.regs[uop.b] << uop.aux) + static_cast<uint64_t>(int64_t{uop.imm});
  return Address{sum, (context.known[uop.a] & context.known[uop.b]) == kAllKnown};
}

// Are all of the low `width` bytes known?
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsKnown(Value value, uint32_t width) {
  return (~value.known & WidthKnown(width)) == 0;
}
// Are the low `width` bytes all known to be 0?
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsKnownZero(Value value, uint32_t width) {
  return IsKnown(value, width) && (value.bits & WidthBits(width)) == 0;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_OPERANDS_H_
