// Contracts: value.h, operands.h, vector.h. The parts that are not inlined.
#include "runtime/lookahead/values/value.h"

#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {

uint64_t ExpandKnown(uint8_t known) {
  const uint64_t one_bit_each = known * uint64_t{0x0101010101010101} & 0x8040201008040201;
  const uint64_t ones = (one_bit_each + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
  return (ones << 8) - ones;
}

Value OperandA(const MachineContext& context, const softlbr_uop& uop) {
  const Value value = ReadSlot(context, uop.a);
  return (uop.flags & SOFTLBR_UOP_A_HIGH) != 0 ? SecondByte(value) : value;
}

Value OperandB(const MachineContext& context, const softlbr_uop& uop) {
  if ((uop.flags & SOFTLBR_UOP_B_IMM) != 0) return Value{static_cast<uint64_t>(int64_t{uop.imm}), kAllBytesKnown};
  const Value value = ReadSlot(context, uop.b);
  return (uop.flags & SOFTLBR_UOP_B_HIGH) != 0 ? SecondByte(value) : value;
}

void WriteResult(MachineContext* context, const softlbr_uop& uop, Value value) {
  if (uop.dst == SOFTLBR_REG_ZERO) return;
  uint64_t* slot = &context->regs[uop.dst];
  uint8_t* known = &context->known[uop.dst];
  if (SOFTLBR_LIKELY((uop.flags & (SOFTLBR_UOP_MERGE | SOFTLBR_UOP_DST_HIGH)) == 0)) {
    const Value wide = ZeroExtendValue(value, uop.width);
    *slot = wide.bits;
    *known = wide.known;
    return;
  }
  uint64_t bits = WidthBits(uop.width);
  uint8_t bytes = WidthKnown(uop.width);
  if ((uop.flags & SOFTLBR_UOP_DST_HIGH) != 0) {
    bits = 0xff00;
    bytes = 2;
    value.bits <<= 8;
    value.known = static_cast<uint8_t>(value.known << 1);
  }
  *slot = (*slot & ~bits) | (value.bits & bits);
  *known = static_cast<uint8_t>((*known & ~bytes) | (value.known & bytes));
}

void ReadVector(const MachineContext& context, uint32_t slot, uint32_t width, VectorValue* out) {
  uint64_t known = 0;
  if (width <= 8) {
    out->bits[0] = context.regs[slot];
    known = context.known[slot];
  } else if (width <= 16) {
    __builtin_memcpy(out->bits, &context.regs[slot], 16);
    uint16_t bytes;
    __builtin_memcpy(&bytes, &context.known[slot], sizeof(bytes));
    known = bytes;
  } else {
    __builtin_memcpy(out->bits, &context.regs[slot], 64);
    __builtin_memcpy(&known, &context.known[slot], sizeof(known));
  }
  out->known = known & VectorKnown(width);
}

void WriteVector(MachineContext* context, uint32_t slot, uint32_t width, const VectorValue& value) {
  if (SOFTLBR_LIKELY(width == 16 && slot != SOFTLBR_REG_ZERO)) {
    __builtin_memcpy(&context->regs[slot], value.bits, 16);
    const uint16_t known = static_cast<uint16_t>(value.known);
    __builtin_memcpy(&context->known[slot], &known, sizeof(known));
    return;
  }
  for (uint32_t word = 0; word < WordsOf(width) && word < kMaxVectorBytes / 8; ++word, ++slot) {
    if (slot == 0) continue;  // SOFTLBR_REG_ZERO
    const uint32_t rest = width - 8 * word;
    const uint8_t known = static_cast<uint8_t>(value.known >> (8 * word));
    if (SOFTLBR_LIKELY(rest >= 8)) {
      context->regs[slot] = value.bits[word];
      context->known[slot] = known;
      continue;
    }
    const uint64_t bits = WidthBits(rest);
    const uint8_t bytes = WidthKnown(rest);
    context->regs[slot] = (context->regs[slot] & ~bits) | (value.bits[word] & bits);
    context->known[slot] = static_cast<uint8_t>((context->known[slot] & ~bytes) | (known & bytes));
  }
}

LaneShape ShapeOf(uint32_t lane_bytes) {
  uint64_t ones = 1;
  if (lane_bytes == 1) ones = LaneOnes(1);
  if (lane_bytes == 2) ones = LaneOnes(2);
  if (lane_bytes == 4) ones = LaneOnes(4);
  return LaneShape{8 * lane_bytes, ones, ones << (8 * lane_bytes - 1)};
}

uint64_t LessLanes(uint64_t x, uint64_t y, LaneShape s) {
  const uint64_t difference = SubtractLanes(x, y, s);
  return SpreadTop((~x & y) | ((~x | y) & difference), s);
}
uint64_t NonZeroLanes(uint64_t x, LaneShape s) { return SpreadTop(((x & ~s.high) + ~s.high) | x, s); }

uint64_t WholeLanes(uint64_t known, uint32_t lane_bytes) {
  if (lane_bytes == 1) return known;
  known &= known >> 1;
  if (lane_bytes == 2) return (known & 0x5555555555555555) * 3;
  known &= known >> 2;
  if (lane_bytes == 4) return (known & 0x1111111111111111) * 15;
  known &= known >> 4;
  return (known & 0x0101010101010101) * 255;
}

Value LaneValue(const VectorValue& v, uint32_t lane_bytes, uint32_t index) {
  return Value{LaneBits(v, lane_bytes, index), LaneKnown(v, lane_bytes, index)};
}

void SetLane(VectorValue* v, uint32_t lane_bytes, uint32_t index, Value value) {
  const uint32_t byte = lane_bytes * index;
  const uint32_t shift = 8 * (byte % 8);
  const uint64_t mask = WidthBits(lane_bytes);
  uint64_t* word = &v->bits[byte / 8];
  *word = (*word & ~(mask << shift)) | (value.bits & mask) << shift;
  const uint64_t bytes = WidthKnown(lane_bytes);
  v->known = (v->known & ~(bytes << byte)) | (value.known & bytes) << byte;
}

}  // namespace softlbr
