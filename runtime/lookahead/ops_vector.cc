// Vector logic, lane arithmetic, comparisons and shifts. Contract: ops.h.
//
// Knownness: logic and shifts by a known count go bit by bit; a lane of anything else is known if its operands' lanes are.
#include "runtime/lookahead/fallback.h"
#include "runtime/lookahead/operands.h"
#include "runtime/lookahead/ops.h"
#include "runtime/lookahead/vector.h"

namespace softlbr {
namespace {

struct Bits {
  uint64_t value;  // UNKNOWN bits are 0
  uint64_t mask;
};
SOFTLBR_HANDLER_SAFE inline Bits WordOf(const VectorValue& v, uint32_t word) {
  const uint64_t mask = ExpandKnown(static_cast<uint8_t>(v.known >> (8 * word)));
  return Bits{v.bits[word] & mask, mask};
}
SOFTLBR_HANDLER_SAFE inline void SetWord(VectorValue* v, uint32_t word, Bits bits) {
  v->bits[word] = bits.value;
  v->known |= uint64_t{CompressKnown(bits.mask)} << (8 * word);
}

// --- logic ---

// Truth table of the ops that have two operands, indexed as VTERNARY's with dst_in of no influence.
SOFTLBR_HANDLER_SAFE uint32_t TruthTable(const softlbr_uop& uop) {
  switch (uop.op) {
    case SOFTLBR_OP_VAND:
      return 0x88;
    case SOFTLBR_OP_VOR:
      return 0xee;
    case SOFTLBR_OP_VXOR:
      return 0x66;
    case SOFTLBR_OP_VANDN:
      return 0x22;
    default:
      return static_cast<uint32_t>(uop.imm) & 0xff;
  }
}

// A result bit is known if every combination that the operands' UNKNOWN bits allow gives the same.
SOFTLBR_HANDLER_SAFE Bits LogicWord(uint32_t table, Bits c, Bits a, Bits b) {
  uint64_t can_be_one = 0;
  uint64_t can_be_zero = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    const uint64_t c_fits = (i & 4) != 0 ? c.value | ~c.mask : ~c.value;
    const uint64_t a_fits = (i & 2) != 0 ? a.value | ~a.mask : ~a.value;
    const uint64_t b_fits = (i & 1) != 0 ? b.value | ~b.mask : ~b.value;
    const uint64_t possible = c_fits & a_fits & b_fits;
    if ((table >> i & 1) != 0) {
      can_be_one |= possible;
    } else {
      can_be_zero |= possible;
    }
  }
  return Bits{can_be_one, can_be_one ^ can_be_zero};
}

SOFTLBR_HANDLER_SAFE void Logic(MachineContext* context, const softlbr_uop& uop) {
  VectorValue a;
  VectorValue b;
  VectorValue c = {};
  VectorValue result = {};
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, uop.b, uop.width, &b);
  const bool is_ternary = uop.op == SOFTLBR_OP_VTERNARY;
  if (is_ternary) ReadVector(*context, uop.dst, uop.width, &c);
  const bool is_zero = uop.a == uop.b && (uop.op == SOFTLBR_OP_VXOR || uop.op == SOFTLBR_OP_VANDN);
  if (is_zero) {
    result.known = ~uint64_t{0};
  } else if (!is_ternary && (a.known & b.known) == VectorKnown(uop.width)) {
    for (uint32_t word = 0; word < WordsOf(uop.width); ++word) {
      const uint64_t x = a.bits[word];
      const uint64_t y = b.bits[word];
      uint64_t r = x & y;
      if (uop.op == SOFTLBR_OP_VOR) r = x | y;
      if (uop.op == SOFTLBR_OP_VXOR) r = x ^ y;
      if (uop.op == SOFTLBR_OP_VANDN) r = ~x & y;
      result.bits[word] = r;
    }
    result.known = a.known;
  } else {
    const uint32_t table = TruthTable(uop);
    for (uint32_t word = 0; word < WordsOf(uop.width); ++word) {
      const Bits dst_in = is_ternary ? WordOf(c, word) : Bits{0, ~uint64_t{0}};
      SetWord(&result, word, LogicWord(table, dst_in, WordOf(a, word), WordOf(b, word)));
    }
  }
  WriteVector(context, uop.dst, uop.width, result);
}

// --- arithmetic and comparisons, lane by lane within words ---

SOFTLBR_HANDLER_SAFE uint64_t AddSaturated(uint64_t x, uint64_t y, LaneShape s, bool is_signed) {
  const uint64_t sum = AddLanes(x, y, s);
  if (!is_signed) return sum | SpreadTop((x & y) | ((x | y) & ~sum), s);
  const uint64_t overflow = SpreadTop(~(x ^ y) & (x ^ sum), s);
  const uint64_t limit = SpreadTop(x, s) ^ ~s.high;  // largest value, or smallest where x is negative
  return (sum & ~overflow) | (limit & overflow);
}
SOFTLBR_HANDLER_SAFE uint64_t SubtractSaturated(uint64_t x, uint64_t y, LaneShape s, bool is_signed) {
  const uint64_t difference = SubtractLanes(x, y, s);
  if (!is_signed) return difference & ~LessLanes(x, y, s);
  const uint64_t overflow = SpreadTop((x ^ y) & (x ^ difference), s);
  const uint64_t limit = SpreadTop(x, s) ^ ~s.high;
  return (difference & ~overflow) | (limit & overflow);
}

// Products need more room than a lane: one lane at a time.
SOFTLBR_HANDLER_SAFE uint64_t MultiplyLanes(uint64_t x, uint64_t y, uint32_t lane_bytes, bool is_high, bool is_signed) {
  uint64_t result = 0;
  for (uint32_t shift = 0; shift < 64; shift += 8 * lane_bytes) {
    const uint64_t p = x >> shift & WidthBits(lane_bytes);
    const uint64_t q = y >> shift & WidthBits(lane_bytes);
    uint64_t product = p * q;
    if (is_high && lane_bytes <= 4) {
      if (is_signed) product = SignExtendBits(p, lane_bytes) * SignExtendBits(q, lane_bytes);
      product >>= 8 * lane_bytes;
    } else if (is_high) {
      product = static_cast<uint64_t>(static_cast<Uint128>(p) * q >> 64);
      if (is_signed && static_cast<int64_t>(p) < 0) product -= q;
      if (is_signed && static_cast<int64_t>(q) < 0) product -= p;
    }
    result |= (product & WidthBits(lane_bytes)) << shift;
  }
  return result;
}

SOFTLBR_HANDLER_SAFE uint64_t ArithmeticWord(const softlbr_uop& uop, uint64_t x, uint64_t y, LaneShape s) {
  const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
  const uint64_t invert = (uop.flags & SOFTLBR_UOP_NEGATE) != 0 ? ~uint64_t{0} : 0;
  const uint64_t flip = is_signed ? s.high : 0;  // signed order is unsigned order with the top bits flipped
  switch (uop.op) {
    case SOFTLBR_OP_VADD:
      return AddLanes(x, y, s);
    case SOFTLBR_OP_VSUB:
      return SubtractLanes(x, y, s);
    case SOFTLBR_OP_VADD_SAT:
      return AddSaturated(x, y, s, is_signed);
    case SOFTLBR_OP_VSUB_SAT:
      return SubtractSaturated(x, y, s, is_signed);
    case SOFTLBR_OP_VMUL_LOW:
      return MultiplyLanes(x, y, s.bits / 8, false, false);
    case SOFTLBR_OP_VMUL_HIGH:
      return MultiplyLanes(x, y, s.bits / 8, true, is_signed);
    case SOFTLBR_OP_VAVERAGE:  // rounded up: x | y is the sum less half of what differs
      return (x | y) - (((x ^ y) >> 1) & ~s.high);
    case SOFTLBR_OP_VABS: {
      const uint64_t negative = SpreadTop(x, s);
      return SubtractLanes(x ^ negative, negative, s);
    }
    case SOFTLBR_OP_VMIN: {
      const uint64_t less = LessLanes(x ^ flip, y ^ flip, s);
      return (x & less) | (y & ~less);
    }
    case SOFTLBR_OP_VMAX: {
      const uint64_t less = LessLanes(x ^ flip, y ^ flip, s);
      return (y & less) | (x & ~less);
    }
    case SOFTLBR_OP_VCMP_EQ:
      return ~NonZeroLanes(x ^ y, s) ^ invert;
    default:  // VCMP_GT
      return LessLanes(y ^ flip, x ^ flip, s) ^ invert;
  }
}

SOFTLBR_HANDLER_SAFE void Arithmetic(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t width = uop.width;
  const LaneShape s = ShapeOf(uop.aux);
  const bool is_unary = uop.op == SOFTLBR_OP_VABS;
  VectorValue a;
  VectorValue b;
  VectorValue result;
  ReadVector(*context, uop.a, width, &a);
  ReadVector(*context, is_unary ? uop.a : uop.b, width, &b);
  const bool is_comparison = uop.op == SOFTLBR_OP_VCMP_EQ || uop.op == SOFTLBR_OP_VCMP_GT;
  const bool is_same = uop.a == uop.b && (is_comparison || uop.op == SOFTLBR_OP_VSUB);
  result.known = is_same ? VectorKnown(width) : WholeLanes(a.known & b.known, uop.aux);
  for (uint32_t word = 0; word < WordsOf(width); ++word) {
    result.bits[word] = ArithmeticWord(uop, a.bits[word], b.bits[word], s);
  }
  if (uop.op == SOFTLBR_OP_VCMP_EQ && result.known != VectorKnown(width)) {
    // Lanes that differ in a known byte are not equal, whatever the others are; the word's result says so already.
    for (uint32_t word = 0; word < WordsOf(width); ++word) {
      const uint64_t both = ExpandKnown(static_cast<uint8_t>((a.known & b.known) >> (8 * word)));
      const uint64_t differ = NonZeroLanes((a.bits[word] ^ b.bits[word]) & both, s);
      result.known |= uint64_t{CompressKnown(differ)} << (8 * word);
    }
  }
  WriteVector(context, uop.dst, width, result);
}

// --- products and sums across lanes ---

SOFTLBR_HANDLER_SAFE uint64_t Lane(uint64_t word, uint32_t lane_bytes, uint32_t index, bool is_signed) {
  const uint64_t lane = word >> (8 * lane_bytes * index) & WidthBits(lane_bytes);
  return is_signed ? SignExtendBits(lane, lane_bytes) : lane;
}

SOFTLBR_HANDLER_SAFE uint64_t MultiplyAddPairs(uint64_t x, uint64_t y) {
  uint64_t result = 0;
  for (uint32_t pair = 0; pair < 2; ++pair) {
    const uint64_t low = Lane(x, 2, 2 * pair, true) * Lane(y, 2, 2 * pair, true);
    const uint64_t high = Lane(x, 2, 2 * pair + 1, true) * Lane(y, 2, 2 * pair + 1, true);
    result |= ((low + high) & 0xffffffff) << (32 * pair);
  }
  return result;
}
SOFTLBR_HANDLER_SAFE uint64_t MultiplyAddBytes(uint64_t x, uint64_t y) {
  uint64_t result = 0;
  for (uint32_t pair = 0; pair < 4; ++pair) {
    const uint64_t low = Lane(x, 1, 2 * pair, false) * Lane(y, 1, 2 * pair, true);
    const uint64_t high = Lane(x, 1, 2 * pair + 1, false) * Lane(y, 1, 2 * pair + 1, true);
    int64_t sum = static_cast<int64_t>(low + high);
    if (sum > INT16_MAX) sum = INT16_MAX;
    if (sum < INT16_MIN) sum = INT16_MIN;
    result |= (static_cast<uint64_t>(sum) & 0xffff) << (16 * pair);
  }
  return result;
}
SOFTLBR_HANDLER_SAFE uint64_t SumOfDifferences(uint64_t x, uint64_t y) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    const uint64_t p = Lane(x, 1, i, false);
    const uint64_t q = Lane(y, 1, i, false);
    sum += p > q ? p - q : q - p;
  }
  return sum;
}

SOFTLBR_HANDLER_SAFE void Products(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t width = uop.width;
  const bool is_signed = (uop.flags & SOFTLBR_UOP_SIGNED) != 0;
  VectorValue a;
  VectorValue b;
  VectorValue result;
  ReadVector(*context, uop.a, width, &a);
  ReadVector(*context, uop.b, width, &b);
  const uint64_t both = a.known & b.known;
  switch (uop.op) {
    case SOFTLBR_OP_VMUL_EVEN:
      result.known = (WholeLanes(both, 4) & 0x0101010101010101) * 255;
      break;
    case SOFTLBR_OP_VMUL_ADD_PAIRS:
      result.known = WholeLanes(both, 4);
      break;
    case SOFTLBR_OP_VMUL_ADD_UBSB:
      result.known = WholeLanes(both, 2);
      break;
    default:  // VSUM_ABS_DIFF: eight bytes of difference at most fill the low two
      result.known = WholeLanes(both, 8) | 0xfcfcfcfcfcfcfcfc;
      break;
  }
  for (uint32_t word = 0; word < WordsOf(width); ++word) {
    const uint64_t x = a.bits[word];
    const uint64_t y = b.bits[word];
    switch (uop.op) {
      case SOFTLBR_OP_VMUL_EVEN:
        result.bits[word] = Lane(x, 4, 0, is_signed) * Lane(y, 4, 0, is_signed);
        break;
      case SOFTLBR_OP_VMUL_ADD_PAIRS:
        result.bits[word] = MultiplyAddPairs(x, y);
        break;
      case SOFTLBR_OP_VMUL_ADD_UBSB:
        result.bits[word] = MultiplyAddBytes(x, y);
        break;
      default:
        result.bits[word] = SumOfDifferences(x, y);
        break;
    }
  }
  WriteVector(context, uop.dst, width, result);
}

// --- shifts ---

// `fill` lanes come in from the side: 0, or the sign for SAR. count < lane bits.
SOFTLBR_HANDLER_SAFE uint64_t ShiftWord(uint32_t op, uint64_t x, uint32_t count, LaneShape s) {
  const uint64_t lane_ones = LowOnes(s.bits);
  if (op == SOFTLBR_OP_VSHL) return x << count & (lane_ones << count & lane_ones) * s.ones;
  const uint64_t kept = (lane_ones >> count) * s.ones;
  const uint64_t shifted = x >> count & kept;
  return op == SOFTLBR_OP_VSAR ? shifted | (SpreadTop(x, s) & ~kept) : shifted;
}
// Which bits of the result are known.
SOFTLBR_HANDLER_SAFE uint64_t ShiftMask(uint32_t op, uint64_t mask, uint32_t count, LaneShape s) {
  const uint64_t lane_ones = LowOnes(s.bits);
  if (op == SOFTLBR_OP_VSAR) return ShiftWord(op, mask, count, s);
  const uint64_t from_outside = op == SOFTLBR_OP_VSHL ? LowOnes(count) * s.ones : ~((lane_ones >> count) * s.ones);
  return ShiftWord(op, mask, count, s) | from_outside;
}

SOFTLBR_HANDLER_SAFE void ShiftAll(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t width = uop.width;
  const LaneShape s = ShapeOf(uop.aux);
  const Value count = OperandB(*context, uop);
  VectorValue a;
  VectorValue result = {};
  ReadVector(*context, uop.a, width, &a);
  if (count.known != kAllBytesKnown) {
    ForgetBytes(context, uop.dst, width);
    return;
  }
  const bool is_over = count.bits >= s.bits;
  if (is_over && uop.op != SOFTLBR_OP_VSAR) {
    result.known = ~uint64_t{0};
  } else {
    const uint32_t by = is_over ? s.bits - 1 : static_cast<uint32_t>(count.bits);
    for (uint32_t word = 0; word < WordsOf(width); ++word) {
      const Bits x = WordOf(a, word);
      SetWord(&result, word, Bits{ShiftWord(uop.op, x.value, by, s), ShiftMask(uop.op, x.mask, by, s)});
    }
  }
  WriteVector(context, uop.dst, width, result);
}

SOFTLBR_HANDLER_SAFE void ShiftByLanes(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t width = uop.width;
  const uint32_t lane_bytes = uop.aux;
  const LaneShape whole = {8 * lane_bytes, 1, uint64_t{1} << (8 * lane_bytes - 1)};  // one lane in the low end of a word
  const uint32_t op = uop.op - SOFTLBR_OP_VSHL_LANES + SOFTLBR_OP_VSHL;
  VectorValue a;
  VectorValue b;
  VectorValue result = {};
  ReadVector(*context, uop.a, width, &a);
  ReadVector(*context, uop.b, width, &b);
  for (uint32_t i = 0; i < width / lane_bytes; ++i) {
    const Value x = LaneValue(a, lane_bytes, i);
    const Value count = LaneValue(b, lane_bytes, i);
    Value r = {0, kAllBytesKnown};
    if (!IsKnown(count, lane_bytes)) {
      r.known = 0;
    } else if (count.bits < whole.bits || op == SOFTLBR_OP_VSAR) {
      const uint32_t by = count.bits < whole.bits ? static_cast<uint32_t>(count.bits) : whole.bits - 1;
      r.bits = ShiftWord(op, x.bits, by, whole);
      r.known = CompressKnown(ShiftMask(op, ExpandKnown(x.known), by, whole));
    }
    SetLane(&result, lane_bytes, i, r);
  }
  WriteVector(context, uop.dst, width, result);
}

}  // namespace

void RunVectorUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  switch (uop.op) {
    case SOFTLBR_OP_VAND:
    case SOFTLBR_OP_VOR:
    case SOFTLBR_OP_VXOR:
    case SOFTLBR_OP_VANDN:
    case SOFTLBR_OP_VTERNARY:
      Logic(context, uop);
      return;
    case SOFTLBR_OP_VMUL_EVEN:
    case SOFTLBR_OP_VMUL_ADD_PAIRS:
    case SOFTLBR_OP_VMUL_ADD_UBSB:
    case SOFTLBR_OP_VSUM_ABS_DIFF:
      Products(context, uop);
      return;
    case SOFTLBR_OP_VSHL:
    case SOFTLBR_OP_VSHR:
    case SOFTLBR_OP_VSAR:
      ShiftAll(context, uop);
      return;
    case SOFTLBR_OP_VSHL_LANES:
    case SOFTLBR_OP_VSHR_LANES:
    case SOFTLBR_OP_VSAR_LANES:
      ShiftByLanes(context, uop);
      return;
    default:
      Arithmetic(context, uop);
      return;
  }
}

}  // namespace softlbr
