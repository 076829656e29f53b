// Shared by the Advanced SIMD families: shapes, lanes, constants.
//
// A V register is two register slots; a shorter write zeroes the rest. LiftWord zeroes the slots beyond the second,
// which SVE adds. The high half of a register is the 8-byte vector that starts at its second slot. A family computes
// in temporary vectors and writes the destination last, because it may be a source too.
#ifndef SOFTLBR_DECODERS_AARCH64_VECTOR_VECTOR_AARCH64_H_
#define SOFTLBR_DECODERS_AARCH64_VECTOR_VECTOR_AARCH64_H_

#include "decoders/aarch64/lift/lift_aarch64.h"

namespace softlbr::a64 {

struct Shape {
  uint32_t width;  // bytes that the uops operate on
  uint32_t lane;   // bytes of an element
  uint32_t kept;   // bytes of the result; the bytes above become 0
};
SOFTLBR_HANDLER_SAFE constexpr Shape WholeShape(uint32_t word, uint32_t lane) {
  const uint32_t bytes = Bit(word, 30) ? 16 : 8;
  return Shape{bytes, lane, bytes};
}
// Vector ops have no width below 4. For narrower scalars they also operate on the bytes above.
SOFTLBR_HANDLER_SAFE constexpr Shape ScalarShape(uint32_t lane) { return Shape{lane < 4 ? 4 : lane, lane, lane}; }

SOFTLBR_HANDLER_SAFE inline void ZeroAbove(uint32_t kept, uint32_t slot, BlockBuilder* out) {
  if (kept == 8) {
    out->Add(SOFTLBR_OP_CONST, 8, slot + 1, 0, 0, 0);
  } else if (kept < 8) {
    out->Add(SOFTLBR_OP_VZERO_ABOVE, kept, slot, 0);
  }
}

SOFTLBR_HANDLER_SAFE inline void AddLanes(uint32_t op, const Shape& shape, uint32_t dst, uint32_t a, uint32_t b,
                                          BlockBuilder* out, uint32_t flags = 0, int32_t imm = 0) {
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

// One op on each register slot of whole registers: AND, OR, XOR, ANDN, ORN, NOT, MOV, ...
SOFTLBR_HANDLER_SAFE inline void AddBits(uint32_t op, uint32_t kept, uint32_t dst, uint32_t a, uint32_t b,
                                         BlockBuilder* out, uint32_t flags = 0) {
  out->Add(op, 8, dst, a, b, 0, 0, flags);
  if (kept == 16) {
    out->Add(op, 8, dst + 1, a + 1, b + 1, 0, 0, flags);
  } else {
    ZeroAbove(kept, dst, out);
  }
}

// dst = the even or odd lanes of n, then those of m. Uses temporary vector 3; dst is another temporary vector.
SOFTLBR_HANDLER_SAFE void AddUnzip(const Shape& shape, bool odd, uint32_t dst, uint32_t n, uint32_t m,
                                   BlockBuilder* out);

// Lane 0 of dst = op over all lanes. dst is a temporary vector and the source; uses temporary vector 3.
SOFTLBR_HANDLER_SAFE void AddReduction(uint32_t op, uint32_t flags, const Shape& shape, uint32_t dst,
                                       BlockBuilder* out);

// Lanes of dst = sums of adjacent lanes of n, twice as wide. Uses temporary vector 3; dst is a temporary vector.
SOFTLBR_HANDLER_SAFE void AddPairSums(const Shape& shape, bool is_unsigned, uint32_t dst, uint32_t n,
                                      BlockBuilder* out);

// dst = the smaller or larger of a and b: -0 is below +0, a NaN gives UNKNOWN. Uses temporary vectors 2 and 3.
SOFTLBR_HANDLER_SAFE void AddFloatExtreme(const Shape& shape, bool is_minimum, uint32_t dst, uint32_t a, uint32_t b,
                                          BlockBuilder* out);

// Adds FLOAT_TO_INT (saturating, as on A64) or INT_TO_FLOAT.
SOFTLBR_HANDLER_SAFE void AddConversion(bool to_integer, uint32_t integer_bytes, uint32_t float_bytes, bool is_unsigned,
                                        bool truncates, uint32_t dst, uint32_t a, BlockBuilder* out);

// Expand the 8-bit immediate of fmov.
SOFTLBR_HANDLER_SAFE uint64_t ExpandFloat4(uint32_t imm);
SOFTLBR_HANDLER_SAFE uint64_t ExpandFloat8(uint32_t imm);

// The families. Each knows which of its encodings are allocated.
SOFTLBR_HANDLER_SAFE Lifted LiftThreeSame(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftThreeDifferent(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftTwoMisc(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftAcross(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftByElement(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftShiftImmediate(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftVectorImmediate(uint32_t word, BlockBuilder* out);
// copy, ext, tbl, permute
SOFTLBR_HANDLER_SAFE Lifted LiftVectorMove(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftCrypto(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftScalarFloat(uint32_t word, BlockBuilder* out);

// Floating-point parts of LiftThreeSame and LiftTwoMisc.
SOFTLBR_HANDLER_SAFE Lifted LiftFloatSame(uint32_t word, bool is_scalar, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftFloatMisc(uint32_t word, bool is_scalar, BlockBuilder* out);

// For an allocated encoding without semantics: the low `kept` bytes of the destination become UNKNOWN.
SOFTLBR_HANDLER_SAFE inline Lifted Forget(uint32_t word, uint32_t kept, BlockBuilder* out) {
  ForgetVector(Rd(word), kept, out);
  return Lifted::kNext;
}

}  // namespace softlbr::a64

#endif  // SOFTLBR_DECODERS_AARCH64_VECTOR_VECTOR_AARCH64_H_
