// AArch64's bit fields, and the field that begins in one register and ends in another. Contract: ops.h.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/ops/shift_bits.h"
#include "runtime/lookahead/values/operands.h"

namespace softlbr {
namespace {

void BitField(Evaluator* evaluator, const softlbr_uop& uop, Value b) {
  const uint32_t imm = static_cast<uint32_t>(uop.imm);
  const uint32_t lsb = imm & 63;
  const uint32_t length = (imm >> 8 & 63) == 0 ? 64 : imm >> 8 & 63;
  const uint32_t position = imm >> 16 & 63;
  const uint64_t width_bits = WidthBits(uop.width);
  const uint64_t ones = LowBits(length);
  const uint64_t source = b.bits & width_bits;
  const uint64_t source_mask = ExpandKnown(b.known) | ~width_bits;
  const uint64_t field = source >> lsb & ones;
  const uint64_t field_mask = ((source_mask >> lsb) | ~(~uint64_t{0} >> lsb)) & ones;
  const uint64_t place = ones << position;
  uint64_t bits = field << position;
  uint64_t mask = (field_mask << position) | ~place;
  if ((uop.flags & SOFTLBR_UOP_MERGE) != 0) {
    const Value old = ReadSlot(evaluator->context, uop.dst);
    bits |= old.bits & ~place;
    mask = (field_mask << position) | (ExpandKnown(old.known) & ~place);
  } else if ((uop.flags & SOFTLBR_UOP_SIGNED) != 0 && position + length < 64) {
    const uint64_t above = ~LowBits(position + length);
    if ((field >> (length - 1) & 1) != 0) bits |= above;
    if ((field_mask >> (length - 1) & 1) == 0) mask &= ~above;
  }
  WriteSlot(&evaluator->context, uop.dst, ZeroExtendValue(Value{bits, CompressKnown(mask)}, uop.width));
}

// EXTRACT.
void FieldOfTwo(Evaluator* evaluator, const softlbr_uop& uop, Value a_value, Value b_value) {
  const uint64_t width_bits = WidthBits(uop.width);
  const uint32_t bits = 8 * uop.width;
  const Bits a = BitsOf(a_value, width_bits);
  const Bits b = BitsOf(b_value, width_bits);
  const uint32_t shift = uop.aux % bits;
  const Uint128 value = static_cast<Uint128>(a.value) << bits | b.value;
  const Uint128 mask = static_cast<Uint128>(a.mask) << bits | b.mask;
  const Bits field = {static_cast<uint64_t>(value >> shift) & width_bits,
                      static_cast<uint64_t>(mask >> shift) & width_bits};
  WriteResult(&evaluator->context, uop, ValueOf(field));
}

}  // namespace

void RunBitFieldUop(Evaluator* evaluator, const softlbr_uop& uop) {
  const Value b = OperandB(evaluator->context, uop);
  if (uop.op == SOFTLBR_OP_EXTRACT) {
    FieldOfTwo(evaluator, uop, OperandA(evaluator->context, uop), b);
  } else {
    BitField(evaluator, uop, b);
  }
}

}  // namespace softlbr
