// Vectors to masks and back: movemask, tests, compares into mask registers, blends. Contract: ops.h.
#include "platform/base/bytes.h"
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

// One bit per lane, at most 64, and which of them are known.
struct LaneMask {
  uint64_t bits;
  uint64_t known;
};

void WriteMask(MachineContext* context, const softlbr_uop& uop, LaneMask mask, uint32_t lanes) {
  const uint64_t used = LowBits(lanes);
  WriteSlot(context, uop.dst, Value{mask.bits & used, CompressKnown(mask.known | ~used)});
}

// Top bits of 8 bytes, in order.
inline uint64_t TopBitsOfBytes(uint64_t word) { return ((word >> 7 & 0x0101010101010101) * 0x0102040810204080) >> 56; }

// Bit i = bit (i + 1) * lane_bytes - 1 of x: one bit per byte becomes one per lane.
uint64_t LastOfEachLane(uint64_t x, uint32_t lane_bytes) {
  if (lane_bytes == 1) return x;
  uint64_t result = 0;
  uint32_t bit = lane_bytes - 1;
  for (uint32_t i = 0; bit < kMaxVectorBytes; ++i, bit += lane_bytes) result |= (x >> bit & 1) << i;
  return result;
}

LaneMask TopBits(const VectorValue& v, uint32_t width, uint32_t lane_bytes) {
  uint64_t bytes = 0;
  for (uint32_t word = 0; word < WordsOf(width); ++word) bytes |= TopBitsOfBytes(v.bits[word]) << (8 * word);
  return LaneMask{LastOfEachLane(bytes, lane_bytes), LastOfEachLane(v.known, lane_bytes)};
}

// The mask in a scalar register slot.
LaneMask ReadMask(const MachineContext& context, uint32_t slot) {
  return LaneMask{context.regs[slot], ExpandKnown(context.known[slot])};
}

void Test(Evaluator* evaluator, const softlbr_uop& uop) {
  VectorValue a;
  VectorValue b;
  ReadVector(evaluator->context, uop.a, uop.width, &a);
  ReadVector(evaluator->context, uop.b, uop.width, &b);
  Truth is_and_zero = Truth::kTrue;
  Truth is_andn_zero = Truth::kTrue;
  for (uint32_t word = 0; word < WordsOf(uop.width); ++word) {
    const uint64_t in_width = ExpandKnown(static_cast<uint8_t>(VectorKnown(uop.width) >> (8 * word)));
    const uint64_t a_mask = ExpandKnown(static_cast<uint8_t>(a.known >> (8 * word)));
    const uint64_t b_mask = ExpandKnown(static_cast<uint8_t>(b.known >> (8 * word)));
    const uint64_t a_ones = a.bits[word] & a_mask;
    const uint64_t b_ones = b.bits[word] & b_mask;
    const uint64_t a_zeroes = ~a.bits[word] & a_mask;
    const uint64_t b_zeroes = ~b.bits[word] & b_mask;
    Truth and_zero = Truth::kUnknown;
    if ((a_ones & b_ones) != 0) and_zero = Truth::kFalse;
    if (((a_zeroes | b_zeroes) & in_width) == in_width) and_zero = Truth::kTrue;
    Truth andn_zero = Truth::kUnknown;
    if ((a_zeroes & b_ones) != 0) andn_zero = Truth::kFalse;
    if (((a_ones | b_zeroes) & in_width) == in_width) andn_zero = Truth::kTrue;
    is_and_zero = And(is_and_zero, and_zero);
    is_andn_zero = And(is_andn_zero, andn_zero);
  }
  uint8_t packed = 0;
  uint8_t packed_known = SOFTLBR_FLAG_P | SOFTLBR_FLAG_A | SOFTLBR_FLAG_S | SOFTLBR_FLAG_V;
  PackFlag(SOFTLBR_FLAG_Z, is_and_zero, &packed, &packed_known);
  PackFlag(SOFTLBR_FLAG_C, is_andn_zero, &packed, &packed_known);
  SetExplicitFlags(&evaluator->lazy, packed, packed_known);
}

enum : int32_t { kEqual = 0, kLess = 1, kLessOrEqual = 2, kNever = 3 };

void CompareIntoMask(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t lane_bytes = uop.aux;
  const LaneShape s = ShapeOf(lane_bytes);
  VectorValue a;
  VectorValue b;
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, uop.b, uop.width, &b);
  const uint64_t both = a.known & b.known;
  const uint64_t flip = (uop.flags & SOFTLBR_UOP_SIGNED) != 0 ? s.high : 0;
  const int32_t predicate = uop.imm & 3;
  const uint64_t invert = (uop.imm & 4) != 0 ? ~uint64_t{0} : 0;  // 4..7 negate 0..3
  VectorValue result;
  result.known = WholeLanes(both, lane_bytes);
  for (uint32_t word = 0; word < WordsOf(uop.width); ++word) {
    const uint64_t x = a.bits[word] ^ flip;
    const uint64_t y = b.bits[word] ^ flip;
    uint64_t lanes = 0;
    if (predicate == kEqual) {
      lanes = ~NonZeroLanes(x ^ y, s);
      const uint64_t known_bits = ExpandKnown(static_cast<uint8_t>(both >> (8 * word)));
      result.known |= uint64_t{CompressKnown(NonZeroLanes((x ^ y) & known_bits, s))} << (8 * word);
    } else if (predicate == kLess) {
      lanes = LessLanes(x, y, s);
    } else if (predicate == kLessOrEqual) {
      lanes = ~LessLanes(y, x, s);
    }
    result.bits[word] = lanes ^ invert;
  }
  if (predicate == kNever) result.known = ~uint64_t{0};
  WriteMask(context, uop, TopBits(result, uop.width, lane_bytes), uop.width / lane_bytes);
}

void TestIntoMask(MachineContext* context, const softlbr_uop& uop) {
  const uint32_t lane_bytes = uop.aux;
  VectorValue a;
  VectorValue b;
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, uop.b, uop.width, &b);
  LaneMask mask = {0, 0};
  for (uint32_t i = 0; i < uop.width / lane_bytes; ++i) {
    const Value x = LaneValue(a, lane_bytes, i);
    const Value y = LaneValue(b, lane_bytes, i);
    const uint64_t x_mask = ExpandKnown(x.known);
    const uint64_t y_mask = ExpandKnown(y.known);
    const uint64_t zeroes = (~x.bits & x_mask) | (~y.bits & y_mask);
    if ((x.bits & y.bits & x_mask & y_mask) != 0) {
      mask.bits |= uint64_t{1} << i;
      mask.known |= uint64_t{1} << i;
    } else if ((~zeroes & WidthBits(lane_bytes)) == 0) {
      mask.known |= uint64_t{1} << i;
    }
  }
  if ((uop.flags & SOFTLBR_UOP_NEGATE) != 0) mask.bits = ~mask.bits;
  WriteMask(context, uop, mask, uop.width / lane_bytes);
}

// One bit per lane becomes one per byte.
uint64_t BytesOfLanes(uint64_t lanes, uint32_t lane_bytes) {
  if (lane_bytes == 1) return lanes;
  uint64_t result = 0;
  for (uint32_t byte = 0; byte < kMaxVectorBytes; byte += lane_bytes, lanes >>= 1) result |= (lanes & 1) << byte;
  return result * LowBits(lane_bytes);
}

// Lane i of the result is a's if the mask bit is 1, b's if it is 0. If the mask bit is UNKNOWN, only bytes equal in both are known.
void SelectLanes(MachineContext* context, const softlbr_uop& uop, LaneMask mask, const VectorValue& a, const VectorValue& b) {
  const uint64_t from_a = BytesOfLanes(mask.bits, uop.aux);
  const uint64_t is_decided = BytesOfLanes(mask.known, uop.aux) | ~VectorKnown(uop.width);
  VectorValue result;
  result.known = ((a.known & from_a) | (b.known & ~from_a)) & is_decided;
  for (uint32_t word = 0; word < WordsOf(uop.width); ++word) {
    const uint64_t x = a.bits[word];
    const uint64_t y = b.bits[word];
    const uint64_t bits = ExpandKnown(static_cast<uint8_t>(from_a >> (8 * word)));
    result.bits[word] = (x & bits) | (y & ~bits);
    const uint8_t undecided = static_cast<uint8_t>(~is_decided >> (8 * word));
    if (SOFTLBR_LIKELY(undecided == 0)) continue;
    const uint8_t both = static_cast<uint8_t>((a.known & b.known) >> (8 * word));
    result.known |= static_cast<uint64_t>(CompressKnown(ExpandKnown(both & undecided) & ~(x ^ y))) << (8 * word);
  }
  WriteVector(context, uop.dst, uop.width, result);
}

}  // namespace

void RunVectorMaskUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  VectorValue a;
  VectorValue b;
  switch (uop.op) {
    case SOFTLBR_OP_VTEST: Test(evaluator, uop); return;
    case SOFTLBR_OP_VCMP_MASK: CompareIntoMask(context, uop); return;
    case SOFTLBR_OP_VTEST_MASK: TestIntoMask(context, uop); return;
    case SOFTLBR_OP_VMASK_BITS:
      ReadVector(*context, uop.a, uop.width, &a);
      WriteMask(context, uop, TopBits(a, uop.width, uop.aux), static_cast<uint32_t>(uop.width) / uop.aux);
      return;
    case SOFTLBR_OP_VMASK_TO_LANES: {
      // Filled at run time: constants would be copied by a call of memcpy (AArch64 at -Os).
      VectorValue ones;
      VectorValue zeroes;
      FillBytes(&ones, 0xff, sizeof ones);
      FillBytes(&zeroes, 0, sizeof zeroes.bits);
      zeroes.known = ones.known;
      SelectLanes(context, uop, ReadMask(*context, uop.a), ones, zeroes);
      return;
    }
    case SOFTLBR_OP_VSELECT_MASK:
      ReadVector(*context, uop.a, uop.width, &a);
      ReadVector(*context, uop.b, uop.width, &b);
      SelectLanes(context, uop, ReadMask(*context, static_cast<uint32_t>(uop.imm)), a, b);
      return;
    case SOFTLBR_OP_VBLEND: {
      const uint64_t imm = static_cast<uint32_t>(uop.imm) & 0xff;
      ReadVector(*context, uop.a, uop.width, &a);
      ReadVector(*context, uop.b, uop.width, &b);
      SelectLanes(context, uop, LaneMask{imm * 0x0101010101010101, ~uint64_t{0}}, b, a);
      return;
    }
    default: {  // VBLEND_VAR
      VectorValue control;
      ReadVector(*context, uop.a, uop.width, &a);
      ReadVector(*context, uop.b, uop.width, &b);
      ReadVector(*context, static_cast<uint32_t>(uop.imm), uop.width, &control);
      SelectLanes(context, uop, TopBits(control, uop.width, uop.aux), b, a);
      return;
    }
  }
}

}  // namespace softlbr
