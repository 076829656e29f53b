// Vector logic, lane arithmetic, comparisons and shifts. Contract: ops.h.
//
// Known bytes: logic, and shifts by a known count, are exact bit by bit. A lane of another op is known if its operands'
// lanes are.
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/chunks.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

struct Bits {
  uint64_t value;  // UNKNOWN bits are 0
  uint64_t mask;
};
inline Bits WordOf(const VectorValue& v, uint32_t word) {
  const uint64_t mask = ExpandKnown(static_cast<uint8_t>(v.known >> (8 * word)));
  return Bits{v.bits[word] & mask, mask};
}
inline void SetWord(VectorValue* v, uint32_t word, Bits bits) {
  v->bits[word] = bits.value;
  v->known |= uint64_t{CompressKnown(bits.mask)} << (8 * word);
}

// --- logic ---

// Truth table of an op, indexed like that of VTERNARY. For ops with two operands it does not depend on dst_in.
uint32_t TruthTable(const softlbr_uop& uop) {
  switch (uop.op) {
    case SOFTLBR_OP_VAND: return 0x88;
    case SOFTLBR_OP_VOR: return 0xee;
    case SOFTLBR_OP_VXOR: return 0x66;
    case SOFTLBR_OP_VANDN: return 0x22;
    default: return static_cast<uint32_t>(uop.imm) & 0xff;
  }
}

// A result bit is known if it is the same for every value that the operands' UNKNOWN bits can take.
Bits LogicWord(uint32_t table, Bits c, Bits a, Bits b) {
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

void LogicChunks(const softlbr_uop& uop, const uint64_t* x, const uint64_t* y, uint64_t* result) {
  for (uint32_t word = 0; word < WordsOf(uop.width); word += 2) {
    const Longs p = LoadChunk<Longs>(x + word);
    const Longs q = LoadChunk<Longs>(y + word);
    Longs r = p & q;
    if (uop.op == SOFTLBR_OP_VOR) r = p | q;
    if (uop.op == SOFTLBR_OP_VXOR) r = p ^ q;
    if (uop.op == SOFTLBR_OP_VANDN) r = ~p & q;
    StoreChunk(result + word, r);
  }
}

void Logic(MachineContext* context, const softlbr_uop& uop) {
  if (SOFTLBR_LIKELY(uop.op != SOFTLBR_OP_VTERNARY && AreOperandsPlain(*context, uop, uop.b))) {
    LogicChunks(uop, &context->regs[uop.a], &context->regs[uop.b], &context->regs[uop.dst]);
    MarkChunksKnown(context, uop.dst, uop.width);
    return;
  }
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
  } else {
    const uint32_t table = TruthTable(uop);
    for (uint32_t word = 0; word < WordsOf(uop.width); ++word) {
      const Bits dst_in = is_ternary ? WordOf(c, word) : Bits{0, ~uint64_t{0}};
      SetWord(&result, word, LogicWord(table, dst_in, WordOf(a, word), WordOf(b, word)));
    }
  }
  WriteVector(context, uop.dst, uop.width, result);
}

// --- arithmetic and comparisons ---

// Multiplies lane by lane, as a product needs more room than its lane.
uint64_t HighProducts(uint64_t x, uint64_t y, uint32_t lane_bytes, bool is_signed) {
  uint64_t result = 0;
  for (uint32_t shift = 0; shift < 64; shift += 8 * lane_bytes) {
    const uint64_t p = x >> shift & WidthBits(lane_bytes);
    const uint64_t q = y >> shift & WidthBits(lane_bytes);
    uint64_t product = p * q;
    if (lane_bytes <= 4) {
      if (is_signed) product = SignExtendBits(p, lane_bytes) * SignExtendBits(q, lane_bytes);
      product >>= 8 * lane_bytes;
    } else {
      product = static_cast<uint64_t>(static_cast<Uint128>(p) * q >> 64);
      if (is_signed && static_cast<int64_t>(p) < 0) product -= q;
      if (is_signed && static_cast<int64_t>(q) < 0) product -= p;
    }
    result |= (product & WidthBits(lane_bytes)) << shift;
  }
  return result;
}

// All ones in the lanes where the condition holds: the result of a comparison of U. U may be a single lane.
template <typename U, typename Condition>
SOFTLBR_ALWAYS_INLINE U LanesWhere(Condition condition) {
  if constexpr (std::is_integral_v<U>) {
    return U{0} - U{condition};
  } else {
    return U(condition);
  }
}

// One op on each lane. U and S are vectors of the unsigned and the signed lane type, or these types themselves.
template <typename U, typename S>
SOFTLBR_ALWAYS_INLINE U ArithmeticLanes(uint32_t op, bool is_signed, U x, U y) {
  const U zero = {};
  const U high = ~(~zero >> 1);
  const U flip = is_signed ? high : zero;  // signed order is unsigned order with the top bits flipped
  switch (op) {
    case SOFTLBR_OP_VADD: return x + y;
    case SOFTLBR_OP_VSUB: return x - y;
    case SOFTLBR_OP_VADD_SAT:
    case SOFTLBR_OP_VSUB_SAT: {
      const bool is_sum = op == SOFTLBR_OP_VADD_SAT;
      const U wrapped = is_sum ? x + y : x - y;
      if (!is_signed) return is_sum ? wrapped | LanesWhere<U>(wrapped < x) : wrapped & ~LanesWhere<U>(x < y);
      const U overflow = LanesWhere<U>(S((is_sum ? ~(x ^ y) : x ^ y) & (x ^ wrapped)) < S(zero));
      const U limit = LanesWhere<U>(S(x) < S(zero)) ^ ~high;  // largest value, or smallest where x is negative
      return (wrapped & ~overflow) | (limit & overflow);
    }
    case SOFTLBR_OP_VMUL_LOW: return x * y;
    case SOFTLBR_OP_VAVERAGE:  // rounded up
      return (x | y) - ((x ^ y) >> 1);
    case SOFTLBR_OP_VABS: {
      const U negative = LanesWhere<U>(S(x) < S(zero));
      return (x ^ negative) - negative;
    }
    case SOFTLBR_OP_VMIN:
    case SOFTLBR_OP_VMAX: {
      const U less = LanesWhere<U>((x ^ flip) < (y ^ flip)) ^ (op == SOFTLBR_OP_VMIN ? zero : ~zero);
      return (x & less) | (y & ~less);
    }
    case SOFTLBR_OP_VCMP_EQ: return LanesWhere<U>(x == y);
    default:  // VCMP_GT
      return LanesWhere<U>((x ^ flip) > (y ^ flip));
  }
}

// x, y and result may be the same.
template <typename U, typename S>
SOFTLBR_NOINLINE void ArithmeticChunks(const softlbr_uop& uop, const uint64_t* x, const uint64_t* y, uint64_t* result) {
  const U invert = (uop.flags & SOFTLBR_UOP_NEGATE) != 0 ? ~U{} : U{};
  for (uint32_t word = 0; word < WordsOf(uop.width); word += sizeof(U) / sizeof(uint64_t)) {
    StoreChunk(result + word, ArithmeticLanes<U, S>(uop.op, (uop.flags & SOFTLBR_UOP_SIGNED) != 0,
                                                    LoadChunk<U>(x + word), LoadChunk<U>(y + word)) ^
                                  invert);
  }
}

void ArithmeticWords(const softlbr_uop& uop, const uint64_t* x, const uint64_t* y, uint64_t* result) {
  if (uop.op == SOFTLBR_OP_VMUL_HIGH) {
    for (uint32_t word = 0; word < WordsOf(uop.width); ++word) {
      result[word] = HighProducts(x[word], y[word], uop.aux, (uop.flags & SOFTLBR_UOP_SIGNED) != 0);
    }
  } else if (uop.aux == 1) {
    ArithmeticChunks<Bytes, SignedBytes>(uop, x, y, result);
  } else if (uop.aux == 2) {
    ArithmeticChunks<Halves, SignedHalves>(uop, x, y, result);
  } else if (uop.aux == 4) {
    ArithmeticChunks<Words, SignedWords>(uop, x, y, result);
  } else {
    ArithmeticChunks<uint64_t, int64_t>(uop, x, y, result);
  }
}

void Arithmetic(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t width = uop.width;
  const bool is_unary = uop.op == SOFTLBR_OP_VABS;
  const uint32_t b_slot = is_unary ? uop.a : uop.b;
  if (SOFTLBR_LIKELY(AreOperandsPlain(*context, uop, b_slot))) {
    ArithmeticWords(uop, &context->regs[uop.a], &context->regs[b_slot], &context->regs[uop.dst]);
    MarkChunksKnown(context, uop.dst, width);
    return;
  }
  VectorValue a;
  VectorValue b;
  VectorValue result;
  ReadVector(*context, uop.a, width, &a);
  ReadVector(*context, b_slot, width, &b);
  const uint64_t both = a.known & b.known;
  const bool is_comparison = uop.op == SOFTLBR_OP_VCMP_EQ || uop.op == SOFTLBR_OP_VCMP_GT;
  const bool is_same = uop.a == uop.b && (is_comparison || uop.op == SOFTLBR_OP_VSUB);
  result.known = is_same ? VectorKnown(width) : WholeLanes(both, uop.aux);
  if (uop.op == SOFTLBR_OP_VCMP_EQ && !is_same) {
    // Lanes that differ in a known byte are known to be unequal, whatever the other bytes are; ArithmeticWords gives
    // that result.
    const LaneShape s = ShapeOf(uop.aux);
    for (uint32_t word = 0; word < WordsOf(width); ++word) {
      const uint64_t differ =
          NonZeroLanes((a.bits[word] ^ b.bits[word]) & ExpandKnown(static_cast<uint8_t>(both >> (8 * word))), s);
      result.known |= uint64_t{CompressKnown(differ)} << (8 * word);
    }
  }
  ArithmeticWords(uop, a.bits, b.bits, result.bits);
  WriteVector(context, uop.dst, width, result);
}

// --- shifts ---

// Shifts every lane by count, below the bits of a lane. Zeros come in, or copies of the sign for VSAR.
uint64_t ShiftWord(uint32_t op, uint64_t x, uint32_t count, LaneShape s) {
  const uint64_t lane_ones = LowBits(s.bits);
  if (op == SOFTLBR_OP_VSHL) return x << count & (lane_ones << count & lane_ones) * s.ones;
  const uint64_t kept = (lane_ones >> count) * s.ones;
  const uint64_t shifted = x >> count & kept;
  return op == SOFTLBR_OP_VSAR ? shifted | (SpreadTop(x, s) & ~kept) : shifted;
}
// The known bits of ShiftWord's result.
uint64_t ShiftMask(uint32_t op, uint64_t mask, uint32_t count, LaneShape s) {
  const uint64_t lane_ones = LowBits(s.bits);
  if (op == SOFTLBR_OP_VSAR) return ShiftWord(op, mask, count, s);
  const uint64_t from_outside = op == SOFTLBR_OP_VSHL ? LowOnes(count) * s.ones : ~((lane_ones >> count) * s.ones);
  return ShiftWord(op, mask, count, s) | from_outside;
}

// Shifts all lanes by the same count, below the bits of a lane.
template <typename U, typename S>
SOFTLBR_NOINLINE void ShiftChunks(const softlbr_uop& uop, uint64_t count, const uint64_t* x, uint64_t* result) {
  const auto by = static_cast<LaneOf<U>>(count);
  for (uint32_t word = 0; word < WordsOf(uop.width); word += 2) {
    const U p = LoadChunk<U>(x + word);
    U r = p << by;
    if (uop.op == SOFTLBR_OP_VSHR) r = p >> by;
    if (uop.op == SOFTLBR_OP_VSAR) r = U(S(p) >> static_cast<LaneOf<S>>(by));
    StoreChunk(result + word, r);
  }
}

// The fast path for known operands. False: nothing was done.
bool ShiftKnown(MachineContext* context, const softlbr_uop& uop, uint64_t count) {
  const uint64_t* x = &context->regs[uop.a];
  uint64_t* result = &context->regs[uop.dst];
  if (!AreOperandsPlain(*context, uop, uop.a)) return false;
  if (uop.aux == 2) {
    ShiftChunks<Halves, SignedHalves>(uop, count, x, result);
  } else if (uop.aux == 4) {
    ShiftChunks<Words, SignedWords>(uop, count, x, result);
  } else if (uop.aux == 8) {
    ShiftChunks<Longs, SignedLongs>(uop, count, x, result);
  } else {
    return false;
  }
  MarkChunksKnown(context, uop.dst, uop.width);
  return true;
}

void ShiftAll(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t width = uop.width;
  const LaneShape s = ShapeOf(uop.aux);
  const Value count = OperandB(*context, uop);
  if (count.known != kAllBytesKnown) {
    ForgetBytes(context, uop.dst, width);
    return;
  }
  if (SOFTLBR_LIKELY(count.bits < s.bits) && ShiftKnown(context, uop, count.bits)) return;
  VectorValue a;
  VectorValue result = {};
  ReadVector(*context, uop.a, width, &a);
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

void ShiftByLanes(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t width = uop.width;
  const uint32_t lane_bytes = uop.aux;
  // one lane, in the low bytes of a word
  const LaneShape whole = {8 * lane_bytes, 1, uint64_t{1} << (8 * lane_bytes - 1)};
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
    case SOFTLBR_OP_VTERNARY: Logic(context, uop); return;
    case SOFTLBR_OP_VSHL:
    case SOFTLBR_OP_VSHR:
    case SOFTLBR_OP_VSAR: ShiftAll(context, uop); return;
    case SOFTLBR_OP_VSHL_LANES:
    case SOFTLBR_OP_VSHR_LANES:
    case SOFTLBR_OP_VSAR_LANES: ShiftByLanes(context, uop); return;
    default: Arithmetic(context, uop); return;
  }
}

}  // namespace softlbr
