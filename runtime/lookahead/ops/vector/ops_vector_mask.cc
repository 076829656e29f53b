// Compares into masks, and lanes that a mask selects; what only x86-64 has of them: ops_vector_blend.cc. Contracts:
// ops.h, lane_mask.h.
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/ops/vector/lane_mask.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

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

// One bit per lane becomes one per byte.
uint64_t BytesOfLanes(uint64_t lanes, uint32_t lane_bytes) {
  if (lane_bytes == 1) return lanes;
  uint64_t result = 0;
  for (uint32_t byte = 0; byte < kMaxVectorBytes; byte += lane_bytes, lanes >>= 1) result |= (lanes & 1) << byte;
  return result * LowBits(lane_bytes);
}

}  // namespace

void WriteMask(MachineContext* context, const softlbr_uop& uop, LaneMask mask, uint32_t lanes) {
  const uint64_t used = LowBits(lanes);
  WriteSlot(context, uop.dst, Value{mask.bits & used, CompressKnown(mask.known | ~used)});
}

LaneMask TopBits(const VectorValue& v, uint32_t width, uint32_t lane_bytes) {
  uint64_t bytes = 0;
  for (uint32_t word = 0; word < WordsOf(width); ++word) bytes |= TopBitsOfBytes(v.bits[word]) << (8 * word);
  return LaneMask{LastOfEachLane(bytes, lane_bytes), LastOfEachLane(v.known, lane_bytes)};
}

void SelectLanes(MachineContext* context, const softlbr_uop& uop, LaneMask mask, const VectorValue& a,
                 const VectorValue& b) {
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

void RunVectorMaskUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext* context = &evaluator->context;
  if (uop.op == SOFTLBR_OP_VCMP_MASK) {
    CompareIntoMask(context, uop);
    return;
  }
  VectorValue a;  // VSELECT_MASK
  VectorValue b;
  ReadVector(*context, uop.a, uop.width, &a);
  ReadVector(*context, uop.b, uop.width, &b);
  SelectLanes(context, uop, ReadMask(*context, static_cast<uint32_t>(uop.imm)), a, b);
}

}  // namespace softlbr
