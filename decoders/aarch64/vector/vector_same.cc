// Three registers of the same shape, integers: x1110 with bits 21 and 10 set. Rounding, saturating and polynomial forms
// that the IR has no ops for are UNKNOWN.
#include "decoders/aarch64/vector/vector_aarch64.h"

namespace softlbr::a64 {
namespace {

enum class Kind : uint8_t {
  kNone,
  kUnknown,
  kPlain,    // op d, n, m
  kSwapped,  // op d, m, n
  kHalvingAdd,
  kRoundingHalvingAdd,
  kHalvingSubtract,
  kTest,
  kDifference,
  kDifferenceAccumulate,
  kMultiplyAccumulate,
  kPairwise,
  kShift,
  kBits,
};

struct Entry {
  Kind kind;
  uint8_t op;
  uint16_t flags;
  uint8_t sizes;         // bit i: size i exists; 8-byte lanes only in whole vectors
  uint8_t scalar_sizes;  // as `sizes`, for the scalar form
};

constexpr uint16_t kSigned = SOFTLBR_UOP_SIGNED;
constexpr uint16_t kNegate = SOFTLBR_UOP_NEGATE;

// By U (bit 29) and opcode (bits 15..11) up to 10111.
constexpr Entry kEntries[2][24] = {
    {
        {Kind::kHalvingAdd, 0, kSigned, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VADD_SAT, kSigned, 15, 15},
        {Kind::kRoundingHalvingAdd, 0, kSigned, 7, 0},
        {Kind::kBits, 0, 0, 15, 0},
        {Kind::kHalvingSubtract, 0, kSigned, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VSUB_SAT, kSigned, 15, 15},
        {Kind::kPlain, SOFTLBR_OP_VCMP_GT, kSigned, 15, 8},
        {Kind::kSwapped, SOFTLBR_OP_VCMP_GT, kSigned | kNegate, 15, 8},
        {Kind::kShift, 0, kSigned, 15, 8},
        {Kind::kUnknown, 0, 0, 15, 15},  // sqshl
        {Kind::kUnknown, 0, 0, 15, 8},   // srshl
        {Kind::kUnknown, 0, 0, 15, 15},  // sqrshl
        {Kind::kPlain, SOFTLBR_OP_VMAX, kSigned, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VMIN, kSigned, 7, 0},
        {Kind::kDifference, 0, kSigned, 7, 0},
        {Kind::kDifferenceAccumulate, 0, kSigned, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VADD, 0, 15, 8},
        {Kind::kTest, 0, 0, 15, 8},
        {Kind::kMultiplyAccumulate, SOFTLBR_OP_VADD, 0, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VMUL_LOW, 0, 7, 0},
        {Kind::kPairwise, SOFTLBR_OP_VMAX, kSigned, 7, 0},
        {Kind::kPairwise, SOFTLBR_OP_VMIN, kSigned, 7, 0},
        {Kind::kUnknown, 0, 0, 6, 6},  // sqdmulh
        {Kind::kPairwise, SOFTLBR_OP_VADD, 0, 15, 0},
    },
    {
        {Kind::kHalvingAdd, 0, 0, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VADD_SAT, 0, 15, 15},
        {Kind::kRoundingHalvingAdd, 0, 0, 7, 0},
        {Kind::kBits, 0, 0, 15, 0},
        {Kind::kHalvingSubtract, 0, 0, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VSUB_SAT, 0, 15, 15},
        {Kind::kPlain, SOFTLBR_OP_VCMP_GT, 0, 15, 8},
        {Kind::kSwapped, SOFTLBR_OP_VCMP_GT, kNegate, 15, 8},
        {Kind::kShift, 0, 0, 15, 8},
        {Kind::kUnknown, 0, 0, 15, 15},
        {Kind::kUnknown, 0, 0, 15, 8},
        {Kind::kUnknown, 0, 0, 15, 15},
        {Kind::kPlain, SOFTLBR_OP_VMAX, 0, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VMIN, 0, 7, 0},
        {Kind::kDifference, 0, 0, 7, 0},
        {Kind::kDifferenceAccumulate, 0, 0, 7, 0},
        {Kind::kPlain, SOFTLBR_OP_VSUB, 0, 15, 8},
        {Kind::kPlain, SOFTLBR_OP_VCMP_EQ, 0, 15, 8},
        {Kind::kMultiplyAccumulate, SOFTLBR_OP_VSUB, 0, 7, 0},
        {Kind::kUnknown, 0, 0, 1, 0},  // pmul
        {Kind::kPairwise, SOFTLBR_OP_VMAX, 0, 7, 0},
        {Kind::kPairwise, SOFTLBR_OP_VMIN, 0, 7, 0},
        {Kind::kUnknown, 0, 0, 6, 6},  // sqrdmulh
        {Kind::kNone, 0, 0, 0, 0},
    },
};

// and bic orr orn eor bsl bit bif, by U:size. VTERNARY truth table index: d << 2 | n << 1 | m.
void AddBitwise(uint32_t word, uint32_t kept, BlockBuilder* out) {
  const uint32_t d = V(Rd(word));
  const uint32_t n = V(Rn(word));
  const uint32_t m = V(Rm(word));
  constexpr uint8_t kTables[3] = {0xca, 0xd8, 0xe4};
  switch (Field(word, 29, 1) << 2 | Field(word, 22, 2)) {
    case 0: AddBits(SOFTLBR_OP_AND, kept, d, n, m, out); return;
    case 1: AddBits(SOFTLBR_OP_ANDN, kept, d, n, m, out, SOFTLBR_UOP_NEGATE); return;
    case 2: AddBits(n == m ? SOFTLBR_OP_MOV : SOFTLBR_OP_OR, kept, d, n, m, out); return;
    case 3: AddBits(SOFTLBR_OP_ORN, kept, d, n, m, out); return;
    case 4: AddBits(SOFTLBR_OP_XOR, kept, d, n, m, out); return;
    default:
      out->Add(SOFTLBR_OP_VTERNARY, kept, d, n, m, kTables[(Field(word, 22, 2)) - 1], kept);
      ZeroAbove(kept, d, out);
      return;
  }
}

// sshl, ushl: the low byte of each lane of m is a signed count: positive shifts left, negative shifts right.
void AddVariableShift(const Shape& s, bool is_unsigned, uint32_t d, uint32_t n, uint32_t m, BlockBuilder* out) {
  const uint32_t up = VectorTemp(0);
  const uint32_t down = VectorTemp(1);
  const uint32_t mask = VectorTemp(2);
  const uint32_t bits = 8 * s.lane;
  FillLanes(s, mask, 0xff, out);
  AddLanes(SOFTLBR_OP_VAND, s, up, m, mask, out);
  FillZero(down, out);
  AddLanes(SOFTLBR_OP_VSUB, s, down, down, m, out);
  AddLanes(SOFTLBR_OP_VAND, s, down, down, mask, out);
  // For the wrong direction the count is 128 or more: all bits are shifted out, except that an arithmetic shift leaves
  // the sign.
  AddLanes(SOFTLBR_OP_VSHL_LANES, s, up, n, up, out);
  AddLanes(is_unsigned ? SOFTLBR_OP_VSHR_LANES : SOFTLBR_OP_VSAR_LANES, s, down, n, down, out);
  if (!is_unsigned) {
    ShiftLanes(SOFTLBR_OP_VSHL, s, mask, m, bits - 8, out);
    ShiftLanes(SOFTLBR_OP_VSAR, s, mask, mask, bits - 1, out);
    AddLanes(SOFTLBR_OP_VAND, s, down, down, mask, out);
  }
  AddLanes(SOFTLBR_OP_VOR, s, d, up, down, out);
}

void AddSame(const Entry& entry, const Shape& s, uint32_t d, uint32_t n, uint32_t m, BlockBuilder* out) {
  const uint32_t x = VectorTemp(0);
  const uint32_t y = VectorTemp(1);
  const uint32_t flags = entry.flags;
  const uint32_t halve = (flags & kSigned) != 0 ? SOFTLBR_OP_VSAR : SOFTLBR_OP_VSHR;
  switch (entry.kind) {
    case Kind::kPlain: AddLanes(entry.op, s, d, n, m, out, flags); return;
    case Kind::kSwapped: AddLanes(entry.op, s, d, m, n, out, flags); return;
    case Kind::kHalvingAdd:  // common bits, plus half of the differing bits
      AddLanes(SOFTLBR_OP_VAND, s, x, n, m, out);
      AddLanes(SOFTLBR_OP_VXOR, s, y, n, m, out);
      ShiftLanes(halve, s, y, y, 1, out);
      AddLanes(SOFTLBR_OP_VADD, s, d, x, y, out);
      return;
    case Kind::kRoundingHalvingAdd:  // bits of either, minus half of the differing bits
      AddLanes(SOFTLBR_OP_VOR, s, x, n, m, out);
      AddLanes(SOFTLBR_OP_VXOR, s, y, n, m, out);
      ShiftLanes(halve, s, y, y, 1, out);
      AddLanes(SOFTLBR_OP_VSUB, s, d, x, y, out);
      return;
    case Kind::kHalvingSubtract:  // half of the differing bits, minus the bits of m alone
      AddLanes(SOFTLBR_OP_VANDN, s, x, n, m, out);
      AddLanes(SOFTLBR_OP_VXOR, s, y, n, m, out);
      ShiftLanes(halve, s, y, y, 1, out);
      AddLanes(SOFTLBR_OP_VSUB, s, d, y, x, out);
      return;
    case Kind::kTest:
      AddLanes(SOFTLBR_OP_VAND, s, x, n, m, out);
      FillZero(y, out);
      AddLanes(SOFTLBR_OP_VCMP_EQ, s, d, x, y, out, kNegate);
      return;
    case Kind::kDifference:
    case Kind::kDifferenceAccumulate:
      AddLanes(SOFTLBR_OP_VMAX, s, x, n, m, out, flags);
      AddLanes(SOFTLBR_OP_VMIN, s, y, n, m, out, flags);
      if (entry.kind == Kind::kDifference) {
        AddLanes(SOFTLBR_OP_VSUB, s, d, x, y, out);
        return;
      }
      AddLanes(SOFTLBR_OP_VSUB, s, x, x, y, out);
      AddLanes(SOFTLBR_OP_VADD, s, d, d, x, out);
      return;
    case Kind::kMultiplyAccumulate:
      AddLanes(SOFTLBR_OP_VMUL_LOW, s, x, n, m, out);
      AddLanes(entry.op, s, d, d, x, out);
      return;
    case Kind::kPairwise:
      AddUnzip(s, false, x, n, m, out);
      AddUnzip(s, true, y, n, m, out);
      AddLanes(entry.op, s, d, x, y, out, flags);
      return;
    case Kind::kShift: AddVariableShift(s, (flags & kSigned) == 0, d, n, m, out); return;
    default: return;
  }
}

}  // namespace

Lifted LiftThreeSame(uint32_t word, bool is_scalar, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 11, 5);
  if (opcode >= 24) return LiftFloatSame(word, is_scalar, out);
  const Entry& entry = kEntries[Field(word, 29, 1)][opcode];
  const uint32_t size = Field(word, 22, 2);
  const Shape shape = is_scalar ? ScalarShape(1u << size) : WholeShape(word, 1u << size);
  if (((is_scalar ? entry.scalar_sizes : entry.sizes) >> size & 1) == 0) return Lifted::kUnallocated;
  if (entry.kind == Kind::kBits) {
    AddBitwise(word, shape.kept, out);
    return Lifted::kNext;
  }
  if (shape.lane > shape.width / 2 && !is_scalar) return Lifted::kUnallocated;  // .1d
  if (entry.kind == Kind::kUnknown) return Forget(word, shape.kept, out);
  const uint32_t d = V(Rd(word));
  AddSame(entry, shape, d, V(Rn(word)), V(Rm(word)), out);
  ZeroAbove(shape.kept, d, out);
  return Lifted::kNext;
}

}  // namespace softlbr::a64
