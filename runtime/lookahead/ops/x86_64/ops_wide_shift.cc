// Rotates through the carry flag, and shifts of two registers. Contract: shift_bits.h.
#include "runtime/lookahead/ops/shift_bits.h"

namespace softlbr {

void RotateThroughCarry(Evaluator* evaluator, const softlbr_uop& uop, Bits a, uint32_t count) {
  const uint32_t bits = 8u * uop.width;
  const uint32_t top = bits - 1;
  const bool is_left = uop.op == SOFTLBR_OP_RCL;
  const Truth carry_in = FlagValue(evaluator->lazy, SOFTLBR_FLAG_C);
  // carry : operand is a ring of bits + 1 bits; rotate it left.
  const uint32_t ring = bits + 1;
  const uint32_t turn = is_left ? count % ring : (ring - count % ring) % ring;
  const Uint128 ones = (static_cast<Uint128>(1) << ring) - 1;
  const Uint128 value = static_cast<Uint128>(carry_in == Truth::kTrue ? 1 : 0) << bits | a.value;
  const Uint128 mask = static_cast<Uint128>(carry_in == Truth::kUnknown ? 0 : 1) << bits | a.mask;
  const Uint128 new_value = ((value << turn) | (value >> (ring - turn))) & ones;
  const Uint128 new_mask = ((mask << turn) | (mask >> (ring - turn))) & ones;
  const Bits result = {static_cast<uint64_t>(new_value) & LowBits(bits),
                       static_cast<uint64_t>(new_mask) & LowBits(bits)};
  Truth carry = Truth::kUnknown;
  if ((new_mask >> bits & 1) != 0) carry = TruthOf((new_value >> bits & 1) != 0);
  if ((uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0) {
    Truth overflow = Truth::kUnknown;
    if (count == 1) overflow = Xor(BitAt(result, top), is_left ? carry : BitAt(result, top - 1));
    SetRotateFlags(evaluator, carry, overflow);
  }
  WriteResult(&evaluator->context, uop, ValueOf(result));
}

void DoubleShift(Evaluator* evaluator, const softlbr_uop& uop, Bits a, Bits filler, uint32_t count) {
  const uint32_t bits = 8u * uop.width;
  const uint32_t top = bits - 1;
  const uint64_t width_bits = LowBits(bits);
  const bool sets_flags = (uop.flags & SOFTLBR_UOP_SET_FLAGS) != 0;
  if (count > bits) {  // 2-byte operands only: the manual leaves result and flags undefined
    if (sets_flags) SetExplicitFlags(&evaluator->lazy, 0, 0);
    WriteResult(&evaluator->context, uop, kUnknownValue);
    return;
  }
  const bool is_left = uop.op == SOFTLBR_OP_SHLD;
  // Left: the high half of (a : filler) << count. Right: the low half of (filler : a) >> count.
  const Bits high = is_left ? a : filler;
  const Bits low = is_left ? filler : a;
  const uint32_t shift = is_left ? bits - count : count;
  const Uint128 value = static_cast<Uint128>(high.value) << bits | low.value;
  const Uint128 mask = static_cast<Uint128>(high.mask) << bits | low.mask;
  const Bits result = {static_cast<uint64_t>(value >> shift) & width_bits,
                       static_cast<uint64_t>(mask >> shift) & width_bits};
  if (sets_flags) {
    const Truth carry = BitAt(a, is_left ? bits - count : count - 1);
    const Truth overflow = count == 1 ? Xor(BitAt(a, top), BitAt(result, top)) : Truth::kUnknown;
    SetShiftFlags(evaluator, uop, ValueOf(result), carry, overflow);
  }
  WriteResult(&evaluator->context, uop, ValueOf(result));
}

}  // namespace softlbr
