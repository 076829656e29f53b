// SVE: moves, logic and sums of whole vectors, comparisons into predicates. Contract: scalable.h.
#include "decoders/aarch64/scalable/scalable.h"

namespace softlbr::a64 {
namespace {

// Z = source, with the bytes beyond the vector length set to 0.
void CutToLength(uint32_t z, uint32_t source, BlockBuilder* out) {
  const uint32_t zero = VectorTemp(3);
  out->Add(SOFTLBR_OP_VZERO_ABOVE, 0, zero, 0);
  out->Add(SOFTLBR_OP_VSELECT_MASK, kWholeVector, V(z), source, zero, static_cast<int32_t>(kVectorBytes), 1);
}

void Broadcast(uint32_t word, uint32_t size, uint32_t source, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_VBROADCAST, kWholeVector, VectorTemp(0), source, 0, 0, 1u << size);
  CutToLength(Rd(word), VectorTemp(0), out);
}

bool BroadcastImmediate(uint32_t word, BlockBuilder* out) {
  const uint32_t size = SizeOf(word);
  if (size == 0 && Bit(word, 13)) return false;
  const uint16_t value = out->Temp();
  out->Add(SOFTLBR_OP_CONST, 8, value, 0, 0, SignedField(word, 5, 8) * (Bit(word, 13) ? 256 : 1));
  Broadcast(word, size, value, out);
  return true;
}

// dup of lane 0.
bool BroadcastLane(uint32_t word, BlockBuilder* out) {
  const uint32_t place = Field(word, 22, 2) << 5 | Field(word, 16, 5);
  if (place == 0) return false;
  uint32_t size = 0;
  while ((place >> size & 1) == 0) ++size;
  if (size > 3 || place >> (size + 1) != 0) return false;
  Broadcast(word, size, V(Rn(word)), out);
  return true;
}

// Pd = comparison of the lanes of n with those of `second`; predicate as in the IR (0 eq, 1 lt, 2 le, 4 ne, 5 ge, 6
// gt).
void Compare(uint32_t word, int32_t predicate, bool is_signed, uint32_t second, BlockBuilder* out) {
  const uint32_t size = SizeOf(word);
  const uint16_t lanes = out->Temp();
  out->Add(SOFTLBR_OP_MOV, 8, lanes, AddLanesOf(GoverningP(word), size, out));
  const uint16_t result = out->Temp();
  out->Add(SOFTLBR_OP_VCMP_MASK, kWholeVector, result, V(Rn(word)), second, predicate, 1u << size,
           When(is_signed, SOFTLBR_UOP_SIGNED));
  if (size != 0) out->Add(SOFTLBR_OP_PDEP, 8, result, result, AddLanePattern(size, out));
  out->Add(SOFTLBR_OP_AND, 8, P(Rd(word)), result, lanes);
  AddPredicateTest(lanes, P(Rd(word)), out);
}

void CompareImmediate(uint32_t word, int32_t predicate, bool is_signed, int32_t value, BlockBuilder* out) {
  const uint16_t scalar = out->Temp();
  out->Add(SOFTLBR_OP_CONST, 8, scalar, 0, 0, value);
  out->Add(SOFTLBR_OP_VBROADCAST, kWholeVector, VectorTemp(0), scalar, 0, 0, 1u << SizeOf(word));
  Compare(word, predicate, is_signed, VectorTemp(0), out);
}

constexpr int32_t kEqual = 0, kLess = 1, kLessOrEqual = 2, kNotEqual = 4, kGreaterOrEqual = 5, kGreater = 6;

}  // namespace

bool LiftScalableCompare(uint32_t word, BlockBuilder* out) {
  const uint32_t group = Field(word, 24, 8);
  const bool is_second = Bit(word, 4);
  if (group == 0x24 && Bit(word, 21)) {
    const int32_t value = static_cast<int32_t>(Field(word, 14, 7));
    if (Bit(word, 13)) {
      CompareImmediate(word, is_second ? kLessOrEqual : kLess, false, value, out);
    } else {
      CompareImmediate(word, is_second ? kGreater : kGreaterOrEqual, false, value, out);
    }
    return true;
  }
  if (group == 0x24) {
    if (Bit(word, 14)) return false;  // comparisons with 8-byte lanes
    const uint32_t choice = Field(word, 15, 1) << 1 | Field(word, 13, 1);
    if (choice == 1) return false;
    const int32_t predicate = choice == 3 ? (is_second ? kNotEqual : kEqual) : (is_second ? kGreater : kGreaterOrEqual);
    Compare(word, predicate, choice == 2, V(Rm(word)), out);
    return true;
  }
  if (group != 0x25 || Bit(word, 21) || Bit(word, 14)) return false;
  const int32_t value = SignedField(word, 16, 5);
  switch (Field(word, 15, 1) << 1 | Field(word, 13, 1)) {
    case 0: CompareImmediate(word, is_second ? kGreater : kGreaterOrEqual, true, value, out); return true;
    case 1: CompareImmediate(word, is_second ? kLessOrEqual : kLess, true, value, out); return true;
    case 2: CompareImmediate(word, is_second ? kNotEqual : kEqual, true, value, out); return true;
    default: return false;
  }
}

bool LiftScalableVector(uint32_t word, BlockBuilder* out) {
  const uint32_t group = Field(word, 24, 8);
  const uint32_t low = Field(word, 10, 6);
  if (group == 0x04 && Bit(word, 21)) {
    if (low == 0x0c) {
      constexpr uint16_t kOps[4] = {SOFTLBR_OP_VAND, SOFTLBR_OP_VOR, SOFTLBR_OP_VXOR, SOFTLBR_OP_VANDN};
      const uint32_t choice = SizeOf(word);
      const bool is_bic = choice == 3;  // n & ~m
      out->Add(kOps[choice], kWholeVector, V(Rd(word)), V(is_bic ? Rm(word) : Rn(word)),
               V(is_bic ? Rn(word) : Rm(word)));
      return true;
    }
    if (low <= 1) {
      out->Add(low == 0 ? SOFTLBR_OP_VADD : SOFTLBR_OP_VSUB, kWholeVector, V(Rd(word)), V(Rn(word)), V(Rm(word)), 0,
               1u << SizeOf(word));
      return true;
    }
    if (Field(word, 10, 14) == 0x82f) {  // movprfx
      out->Add(SOFTLBR_OP_VMOV, kWholeVector, V(Rd(word)), V(Rn(word)));
      return true;
    }
    return false;
  }
  if (group == 0x25) return Field(word, 14, 8) == 0xe3 && BroadcastImmediate(word, out);
  if (group != 0x05 || !Bit(word, 21)) return false;
  if (Field(word, 10, 12) == 0x80e) {
    Broadcast(word, SizeOf(word), XOrSp(Rn(word)), out);
    return true;
  }
  if (low == 0x08) return BroadcastLane(word, out);
  if (Field(word, 14, 2) == 3) {  // sel
    const uint32_t bytes = AddBytesOf(P(Field(word, 10, 4)), SizeOf(word), out);
    out->Add(SOFTLBR_OP_VSELECT_MASK, kWholeVector, V(Rd(word)), V(Rn(word)), V(Rm(word)), static_cast<int32_t>(bytes),
             1);
    return true;
  }
  return false;
}

}  // namespace softlbr::a64
