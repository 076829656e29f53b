// Shifts, rotates, double shifts. Contract: ops.h; rules for counts and flags: decoders/api/ir.h.
//
// A known count shifts the bits and their known masks alike. An UNKNOWN count makes the result and all flags that the
// op may set UNKNOWN; a count of 0 would keep them.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/ops/shift_bits.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
namespace {

// x86: counts are taken modulo 64 for 8-byte operands, else modulo 32.
inline uint32_t MaskedCount(uint64_t count, uint32_t width) {
  return static_cast<uint32_t>(count & (width == 8 ? 63 : 31));
}

struct Shifted {
  Bits result;
  Truth carry;
  Truth overflow;  // meaningful for a count of 1
};

Shifted Shift(uint32_t op, Bits a, uint32_t count, uint32_t bits) {
  const uint64_t width_bits = LowBits(bits);
  const uint32_t top = bits - 1;
  if (op == SOFTLBR_OP_SAR) {
    const uint32_t align = 64 - bits;
    const uint32_t by = count < bits ? count : top;  // a larger count gives only sign bits
    const int64_t value = static_cast<int64_t>(a.value << align) >> by;
    const int64_t mask = static_cast<int64_t>(a.mask << align) >> by;
    const Bits result = {static_cast<uint64_t>(value) >> align, static_cast<uint64_t>(mask) >> align};
    return Shifted{result, BitAt(a, count - 1 < top ? count - 1 : top), Truth::kFalse};
  }
  if (count >= bits) {
    // Only 1- and 2-byte operands get here. The manual leaves C undefined.
    return Shifted{Bits{0, width_bits}, Truth::kUnknown, Truth::kUnknown};
  }
  if (op == SOFTLBR_OP_SHL) {
    const Bits result = {a.value << count & width_bits, ((a.mask << count) | LowOnes(count)) & width_bits};
    const Truth carry = BitAt(a, bits - count);
    return Shifted{result, carry, Xor(BitAt(result, top), carry)};
  }
  const Bits result = {a.value >> count, (a.mask >> count) | (width_bits & ~(width_bits >> count))};
  return Shifted{result, BitAt(a, count - 1), BitAt(a, top)};
}

inline uint64_t RotateLeft(uint64_t x, uint32_t count, uint32_t bits) {
  return count == 0 ? x : ((x << count) | (x >> (bits - count))) & LowBits(bits);
}

void Rotate(Evaluator* evaluator, const softlbr_uop& uop, Bits a, uint32_t count) {
  const uint32_t bits = 8u * uop.width;
  const uint32_t top = bits - 1;
  const bool is_left = uop.op == SOFTLBR_OP_ROL;
  const uint32_t left = is_left ? count % bits : (bits - count % bits) % bits;
  const Bits result = {RotateLeft(a.value, left, bits), RotateLeft(a.mask, left, bits)};
  if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0) {
    const Truth carry = BitAt(result, is_left ? 0 : top);
    Truth overflow = Truth::kUnknown;
    if (count == 1) overflow = Xor(BitAt(result, top), is_left ? carry : BitAt(result, top - 1));
    SetRotateFlags(evaluator, carry, overflow);
  }
  WriteResult(&evaluator->context, uop, ValueOf(result));
}

}  // namespace

void SetShiftFlags(Evaluator* evaluator, const softlbr_uop& uop, Value result, Truth carry, Truth overflow) {
  uint8_t packed = 0;
  uint8_t packed_known = 0;
  PackFlag(SOFTLBR_FLAG_C, carry, &packed, &packed_known);
  PackFlag(SOFTLBR_FLAG_V, overflow, &packed, &packed_known);
  SetResultFlags(&evaluator->lazy, uop.width, result, packed, packed_known);
}

void SetRotateFlags(Evaluator* evaluator, Truth carry, Truth overflow) {
  uint8_t packed = 0;
  uint8_t packed_known = 0;
  PackFlag(SOFTLBR_FLAG_C, carry, &packed, &packed_known);
  PackFlag(SOFTLBR_FLAG_V, overflow, &packed, &packed_known);
  ReplaceFlags(&evaluator->lazy, SOFTLBR_FLAG_C | SOFTLBR_FLAG_V, packed, packed_known);
}

void RunShiftUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext& context = evaluator->context;
  const uint32_t width = uop.width;
  const uint32_t bits = 8 * width;
  const uint64_t width_bits = WidthBits(width);
  const Value a_value = OperandA(context, uop);
  const Value b_value = OperandB(context, uop);
  const Bits a = BitsOf(a_value, width_bits);

  const bool is_double = uop.op == SOFTLBR_OP_SHLD || uop.op == SOFTLBR_OP_SHRD;
  Value count_value = b_value;
  if (is_double) {
    count_value = uop.imm >= 0 ? ReadSlot(context, static_cast<uint32_t>(uop.imm))
                               : Value{static_cast<uint64_t>(-(int64_t{uop.imm} + 1)), kAllBytesKnown};
  }
  const bool sets_flags = (uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0;
  if ((count_value.known & 1) == 0) {
    const bool is_rotate = uop.op >= SOFTLBR_OP_ROL && uop.op <= SOFTLBR_OP_RCR;
    if (sets_flags)
      ReplaceFlags(&evaluator->lazy, is_rotate ? SOFTLBR_FLAG_C | SOFTLBR_FLAG_V : SOFTLBR_FLAG_ALL, 0, 0);
    WriteResult(&context, uop, kUnknownValue);
    return;
  }
  const uint32_t count = MaskedCount(count_value.bits, width);
  if (count == 0) {
    WriteResult(&context, uop, a_value);
    return;
  }
  switch (uop.op) {
    case SOFTLBR_OP_ROL:
    case SOFTLBR_OP_ROR: Rotate(evaluator, uop, a, count); return;
    case SOFTLBR_OP_RCL:
    case SOFTLBR_OP_RCR: RotateThroughCarry(evaluator, uop, a, count); return;
    case SOFTLBR_OP_SHLD:
    case SOFTLBR_OP_SHRD: DoubleShift(evaluator, uop, a, BitsOf(b_value, width_bits), count); return;
    default: {
      const Shifted shifted = Shift(uop.op, a, count, bits);
      const Value result = ValueOf(shifted.result);
      if (sets_flags)
        SetShiftFlags(evaluator, uop, result, shifted.carry, count == 1 ? shifted.overflow : Truth::kUnknown);
      WriteResult(&context, uop, result);
      return;
    }
  }
}

}  // namespace softlbr
