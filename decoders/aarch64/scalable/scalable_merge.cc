// SVE: the lane-wise arithmetic of vectorised loops, under a predicate or with an immediate. Contract: scalable.h.
//
// All lanes are computed; the active ones, or those within the vector length, are then selected.
#include "decoders/aarch64/scalable/scalable.h"

namespace softlbr::a64 {
namespace {

constexpr uint32_t kWork = 0;  // temporary vectors
constexpr uint32_t kOperand = 1;

struct Operation {
  uint16_t op;    // 0: no semantics
  uint8_t flags;  // SOFTLBR_UOP_SIGNED
  bool is_reversed;
};
constexpr Operation kNone = {0, 0, false};

// By bits 20:16 of the predicated form.
Operation BinaryOf(uint32_t opcode) {
  switch (opcode) {
    case 0: return {SOFTLBR_OP_VADD, 0, false};
    case 1: return {SOFTLBR_OP_VSUB, 0, false};
    case 3: return {SOFTLBR_OP_VSUB, 0, true};
    case 8: return {SOFTLBR_OP_VMAX, SOFTLBR_UOP_SIGNED, false};
    case 9: return {SOFTLBR_OP_VMAX, 0, false};
    case 10: return {SOFTLBR_OP_VMIN, SOFTLBR_UOP_SIGNED, false};
    case 11: return {SOFTLBR_OP_VMIN, 0, false};
    case 16: return {SOFTLBR_OP_VMUL_LOW, 0, false};
    case 24: return {SOFTLBR_OP_VOR, 0, false};
    case 25: return {SOFTLBR_OP_VXOR, 0, false};
    case 26: return {SOFTLBR_OP_VAND, 0, false};
    case 27: return {SOFTLBR_OP_VANDN, 0, true};  // n & ~m
    default: return kNone;
  }
}
static_assert(SOFTLBR_UOP_SIGNED <= 255, "Operation::flags");

// Temporary vector kWork = op of two vectors.
void AddOperation(const Operation& operation, uint32_t size, uint32_t n, uint32_t m, BlockBuilder* out) {
  out->Add(operation.op, kWholeVector, VectorTemp(kWork), operation.is_reversed ? m : n, operation.is_reversed ? n : m,
           0, 1u << size, operation.flags);
}

// Zd = the active lanes of temporary vector kWork and the other lanes of `otherwise`.
void Merge(uint32_t z, uint32_t predicate, uint32_t size, uint32_t otherwise, BlockBuilder* out) {
  const uint32_t bytes = AddBytesOf(predicate, size, out);
  out->Add(SOFTLBR_OP_VSELECT_MASK, kWholeVector, V(z), VectorTemp(kWork), otherwise, static_cast<int32_t>(bytes), 1);
}

// Zeroes, or the destination itself in merging forms.
uint32_t Otherwise(uint32_t z, bool is_merging, BlockBuilder* out) {
  if (is_merging) return V(z);
  out->Add(SOFTLBR_OP_VZERO_ABOVE, 0, VectorTemp(kOperand), 0);
  return VectorTemp(kOperand);
}

// The highest one bit of `value` (tsz:imm3) gives the element size, the remaining bits give the count.
bool Shift(uint32_t value, uint32_t opcode, uint32_t source, uint32_t* size, BlockBuilder* out) {
  if (value < 8 || opcode == 2) return false;
  *size = 0;
  while (value >> (*size + 4) != 0) ++*size;
  const uint32_t bits = 8u << *size;
  const bool is_left = opcode == 3;
  const uint32_t count = is_left ? value - bits : 2 * bits - value;
  const uint32_t op = is_left ? SOFTLBR_OP_VSHL : opcode == 0 ? SOFTLBR_OP_VSAR : SOFTLBR_OP_VSHR;
  out->Add(op, kWholeVector, VectorTemp(kWork), source, 0, static_cast<int32_t>(count), 1u << *size, SOFTLBR_UOP_B_IMM);
  return true;
}

bool Lift04(uint32_t word, BlockBuilder* out) {
  uint32_t size = SizeOf(word);
  const uint32_t tsz_high = size << 5;
  if (Bit(word, 21)) {  // shifts by an immediate
    if (Field(word, 12, 4) != 9 || !Shift(tsz_high | Field(word, 16, 5), Field(word, 10, 2), V(Rn(word)), &size, out))
      return false;
    out->Add(SOFTLBR_OP_VMOV, kWholeVector, V(Rd(word)), VectorTemp(kWork));
    return true;
  }
  switch (Field(word, 13, 3)) {
    case 0: {
      const Operation operation = BinaryOf(Field(word, 16, 5));
      if (operation.op == 0) return false;
      AddOperation(operation, size, V(Rd(word)), V(Rn(word)), out);
      break;
    }
    case 1:  // movprfx
      if (Field(word, 17, 4) != 8) return false;
      out->Add(SOFTLBR_OP_VMOV, kWholeVector, VectorTemp(kWork), V(Rn(word)));
      Merge(Rd(word), GoverningP(word), size, Otherwise(Rd(word), Bit(word, 16), out), out);
      return true;
    case 4:
      if (Field(word, 18, 3) != 0 || !Shift(tsz_high | Rn(word), Field(word, 16, 2), V(Rd(word)), &size, out))
        return false;
      break;
    default: return false;
  }
  Merge(Rd(word), GoverningP(word), size, V(Rd(word)), out);
  return true;
}

void AddBroadcast(uint32_t vector, int32_t value, uint32_t size, BlockBuilder* out) {
  const uint16_t scalar = out->Temp();
  out->Add(SOFTLBR_OP_CONST, 8, scalar, 0, 0, value);
  out->Add(SOFTLBR_OP_VBROADCAST, kWholeVector, VectorTemp(vector), scalar, 0, 0, 1u << size);
}

// add, sub, subr, smax .. umin, mul with an immediate.
bool Lift25(uint32_t word, BlockBuilder* out) {
  if (Field(word, 14, 2) != 3 || Field(word, 19, 3) < 4) return false;
  const uint32_t size = SizeOf(word);
  const uint32_t group = Field(word, 19, 2);
  const uint32_t opcode = Field(word, 16, 3);
  const bool is_shifted = Bit(word, 13);
  Operation operation = kNone;
  bool is_signed = false;
  if (group == 0) {
    operation = BinaryOf(opcode);
    if (is_shifted && size == 0) return false;
  } else if (group == 1 && opcode < 4 && !is_shifted) {
    operation = BinaryOf(8 + opcode);
    is_signed = operation.flags != 0;
  } else if (group == 2 && opcode == 0 && !is_shifted) {
    operation = BinaryOf(16);
    is_signed = true;
  }
  if (operation.op == 0) return false;
  const int32_t value =
      is_signed ? SignedField(word, 5, 8) : static_cast<int32_t>(Field(word, 5, 8)) << (is_shifted ? 8 : 0);
  AddBroadcast(kOperand, value, size, out);
  AddOperation(operation, size, V(Rd(word)), VectorTemp(kOperand), out);
  out->Add(SOFTLBR_OP_VZERO_ABOVE, 0, VectorTemp(kOperand), 0);
  out->Add(SOFTLBR_OP_VSELECT_MASK, kWholeVector, V(Rd(word)), VectorTemp(kWork), VectorTemp(kOperand),
           static_cast<int32_t>(kVectorBytes), 1);
  return true;
}

// Copies of an immediate, a general register or lane 0 of a vector into active lanes.
bool Lift05(uint32_t word, BlockBuilder* out) {
  const uint32_t size = SizeOf(word);
  if (Field(word, 20, 2) == 1 && !Bit(word, 15)) {
    const bool is_shifted = Bit(word, 13);
    if (is_shifted && size == 0) return false;
    AddBroadcast(kWork, SignedField(word, 5, 8) * (is_shifted ? 256 : 1), size, out);
    Merge(Rd(word), P(Field(word, 16, 4)), size, Otherwise(Rd(word), Bit(word, 14), out), out);
    return true;
  }
  const uint32_t choice = Field(word, 13, 9);
  if (choice != 0x145 && choice != 0x104) return false;
  out->Add(SOFTLBR_OP_VBROADCAST, kWholeVector, VectorTemp(kWork), choice == 0x145 ? XOrSp(Rn(word)) : V(Rn(word)), 0,
           0, 1u << size);
  Merge(Rd(word), GoverningP(word), size, V(Rd(word)), out);
  return true;
}

// Single and double precision. A NaN result is UNKNOWN.
bool Lift65(uint32_t word, BlockBuilder* out) {
  const uint32_t size = SizeOf(word);
  const uint32_t top = Field(word, 13, 3);
  if (size < 2) return false;
  if (Bit(word, 21)) {  // fmla, fmls
    if (top > 1) return false;
    out->Add(SOFTLBR_OP_FMADD, kWholeVector, VectorTemp(kWork), V(Rn(word)), V(Rm(word)),
             static_cast<int32_t>(V(Rd(word))), 1u << size, When(top == 1, SOFTLBR_UOP_NEGATE));
    Merge(Rd(word), GoverningP(word), size, V(Rd(word)), out);
    return true;
  }
  constexpr uint16_t kOps[3] = {SOFTLBR_OP_FADD, SOFTLBR_OP_FSUB, SOFTLBR_OP_FMUL};
  if (top == 0) {
    const uint32_t opcode = Field(word, 10, 3);
    if (opcode > 2) return false;
    out->Add(kOps[opcode], kWholeVector, V(Rd(word)), V(Rn(word)), V(Rm(word)), 0, 1u << size);
    return true;
  }
  if (top != 4 || Bit(word, 20)) return false;
  const uint32_t opcode = Field(word, 16, 4);
  Operation operation = kNone;
  if (opcode < 3) operation.op = kOps[opcode];
  if (opcode == 3) operation = {SOFTLBR_OP_FSUB, 0, true};
  if (opcode >= 12 && opcode < 14) operation = {SOFTLBR_OP_FDIV, 0, opcode == 12};
  if (operation.op == 0) return false;
  AddOperation(operation, size, V(Rd(word)), V(Rn(word)), out);
  Merge(Rd(word), GoverningP(word), size, V(Rd(word)), out);
  return true;
}

}  // namespace

bool LiftScalableMerge(uint32_t word, BlockBuilder* out) {
  switch (Field(word, 24, 8)) {
    case 0x04: return Lift04(word, out);
    case 0x05: return Lift05(word, out);
    case 0x25: return Bit(word, 21) && Lift25(word, out);
    case 0x65: return Lift65(word, out);
    default: return false;
  }
}

}  // namespace softlbr::a64
