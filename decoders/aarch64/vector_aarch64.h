// What the Advanced SIMD families share: shapes, lanes, constants.
//
// A V register is two register slots; writes of less zero the rest. RegisterSlots beyond the second (what SVE adds) are never known. The high
// half of a register is the vector of 8 bytes that starts at its second register slot. A family computes in scratch vectors and writes
// the destination last: it may be a source as well.
#ifndef SOFTLBR_DECODERS_AARCH64_VECTOR_AARCH64_H_
#define SOFTLBR_DECODERS_AARCH64_VECTOR_AARCH64_H_

#include "decoders/aarch64/lift_aarch64.h"

namespace softlbr::a64 {

struct Shape {
  uint32_t width;  // bytes the uops work on
  uint32_t lane;   // bytes of an element
  uint32_t kept;   // bytes of the result; above are zeroes
};
SOFTLBR_HANDLER_SAFE constexpr Shape WholeShape(uint32_t word, uint32_t lane) {
  const uint32_t bytes = Bit(word, 30) ? 16 : 8;
  return Shape{bytes, lane, bytes};
}
// Vector ops have no width below 4: narrower scalars let them work on what lies above, too.
SOFTLBR_HANDLER_SAFE constexpr Shape ScalarShape(uint32_t lane) { return Shape{lane < 4 ? 4 : lane, lane, lane}; }

SOFTLBR_HANDLER_SAFE inline void ZeroAbove(uint32_t kept, uint32_t slot, BlockBuilder* out) {
  if (kept == 8) {
    out->Add(SOFTLBR_OP_CONST, 8, slot + 1, 0, 0, 0);
  } else if (kept < 8) {
    out->Add(SOFTLBR_OP_VZERO_ABOVE, kept, slot, 0);
  }
}

SOFTLBR_HANDLER_SAFE inline void AddLanes(uint32_t op, const Shape& shape, uint32_t dst, uint32_t a, uint32_t b, BlockBuilder* out,
                                          uint32_t flags = 0, int32_t imm = 0) {
  out->Add(op, shape.width, dst, a, b, imm, shape.lane, flags);
}
SOFTLBR_HANDLER_SAFE inline void ShiftLanes(uint32_t op, const Shape& shape, uint32_t dst, uint32_t a, uint32_t count,
                                            BlockBuilder* out) {
  AddLanes(op, shape, dst, a, 0, out, SOFTLBR_UOP_B_IMM, static_cast<int32_t>(count));
}

// Every lane of dst = value.
SOFTLBR_HANDLER_SAFE inline void FillLanes(const Shape& shape, uint32_t dst, int64_t value, BlockBuilder* out) {
  const uint16_t scalar = out->Temp();
  out->AddConst(scalar, value);
  out->Add(SOFTLBR_OP_VBROADCAST, shape.width, dst, scalar, 0, 0, shape.lane);
}
SOFTLBR_HANDLER_SAFE inline void FillZero(uint32_t dst, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_CONST, 8, dst, 0, 0, 0);
  out->Add(SOFTLBR_OP_CONST, 8, dst + 1, 0, 0, 0);
}

// One op on the bits of whole registers: AND, OR, XOR, ANDN, ORN, NOT, MOV, ... on each register slot.
SOFTLBR_HANDLER_SAFE inline void AddBits(uint32_t op, uint32_t kept, uint32_t dst, uint32_t a, uint32_t b, BlockBuilder* out,
                                         uint32_t flags = 0) {
  out->Add(op, 8, dst, a, b, 0, 0, flags);
  if (kept == 16) {
    out->Add(op, 8, dst + 1, a + 1, b + 1, 0, 0, flags);
  } else {
    ZeroAbove(kept, dst, out);
  }
}

// dst = the even or odd lanes of n, then those of m. Uses scratch vector 3; dst is another scratch vector.
SOFTLBR_HANDLER_SAFE void AddUnzip(const Shape& shape, bool odd, uint32_t dst, uint32_t n, uint32_t m, BlockBuilder* out);

// Lane 0 of dst = op over all lanes. dst is a scratch vector and the source; uses scratch vector 3.
SOFTLBR_HANDLER_SAFE void AddReduction(uint32_t op, uint32_t flags, const Shape& shape, uint32_t dst, BlockBuilder* out);

// Lanes of dst = sums of adjacent lanes of n, twice as wide. Uses scratch vector 3; dst is a scratch vector.
SOFTLBR_HANDLER_SAFE void AddPairSums(const Shape& shape, bool is_unsigned, uint32_t dst, uint32_t n, BlockBuilder* out);

// dst = the smaller or larger of a and b: -0 is below +0, a NaN gives UNKNOWN. Uses scratch vectors 2 and 3.
SOFTLBR_HANDLER_SAFE void AddFloatExtreme(const Shape& shape, bool is_minimum, uint32_t dst, uint32_t a, uint32_t b,
                                          BlockBuilder* out);

// FLOAT_TO_INT (saturating, as A64 does) or INT_TO_FLOAT.
SOFTLBR_HANDLER_SAFE void AddConversion(bool to_integer, uint32_t integer_bytes, uint32_t float_bytes, bool is_unsigned,
                                        bool truncates, uint32_t dst, uint32_t a, BlockBuilder* out);

// The 8-bit immediates of fmov.
SOFTLBR_HANDLER_SAFE uint64_t ExpandFloat4(uint32_t imm);
SOFTLBR_HANDLER_SAFE uint64_t ExpandFloat8(uint32_t imm);

// The families. Each knows its encodings' allocation.
SOFTLBR_HANDLER_SAFE Lifted LiftThreeSame(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftThreeDifferent(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftTwoMisc(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftAcross(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftByElement(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftShiftImmediate(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftVectorImmediate(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftVectorMove(uint32_t word, bool is_scalar, BlockBuilder* out);  // copy, ext, tbl, permute
SOFTLBR_HANDLER_SAFE Lifted LiftCrypto(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftScalarFloat(uint32_t word, BlockBuilder* out);

// Floating-point parts of the above.
SOFTLBR_HANDLER_SAFE Lifted LiftFloatSame(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftFloatMisc(uint32_t word, bool is_scalar, BlockBuilder* out);

// A known allocation without semantics: the destination's bytes become UNKNOWN.
SOFTLBR_HANDLER_SAFE inline Lifted Forget(uint32_t word, uint32_t kept, BlockBuilder* out) {
  ForgetVector(Rd(word), kept, out);
  return Lifted::kNext;
}

}  // namespace softlbr::a64

#endif  // SOFTLBR_DECODERS_AARCH64_VECTOR_AARCH64_H_
