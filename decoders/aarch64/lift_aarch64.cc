// Dispatch of words to families, and helpers that several families use.
#include "decoders/aarch64/lift/lift_aarch64.h"

namespace softlbr::a64 {
namespace {

Lifted LiftReserved(uint32_t word, BlockBuilder* out) {
  if (Bit(word, 31)) return LiftScalable(word, out);  // SME
  if (Field(word, 16, 16) != 0) return Lifted::kUnallocated;
  softlbr_terminator end{};  // udf
  end.kind = SOFTLBR_END_TRAP;
  out->SetEnd(end);
  return Lifted::kEnd;
}

Lifted LiftNothing(uint32_t, BlockBuilder*) { return Lifted::kUnallocated; }

// A write of a V register zeroes the rest of Z, if the CPU has SVE. The uops tell which V registers were written, so
// the families need not do this.
void ZeroAboveVectors(BlockBuilder* out) {
  const softlbr_uop* uops = out->first_added();
  const uint32_t count = out->added();
  uint32_t written = 0;
  uint32_t zeroed = 0;  // vectors that the family itself has zeroed up to byte 64
  for (uint32_t i = 0; i < count; ++i) {
    const softlbr_uop& uop = uops[i];
    const uint32_t place = uop.dst - uint32_t{SOFTLBR_REG_VECTOR};
    if (place >= SOFTLBR_SLOTS_PER_VECTOR * SOFTLBR_VECTOR_REGISTERS) continue;
    if (uop.op == SOFTLBR_OP_STORE || uop.op == SOFTLBR_OP_VSTORE) continue;  // dst is read only
    (uop.op == SOFTLBR_OP_VZERO_ABOVE ? zeroed : written) |= 1u << (place / SOFTLBR_SLOTS_PER_VECTOR);
  }
  written &= ~zeroed;
  for (uint32_t r = 0; written != 0; ++r, written >>= 1) {
    if ((written & 1) != 0) out->Add(SOFTLBR_OP_VZERO_ABOVE, 16, V(r), 0);
  }
}

// Advanced SIMD and floating point, and their loads.
template <Lifted (*kLift)(uint32_t, BlockBuilder*)>
Lifted LiftVectors(uint32_t word, BlockBuilder* out) {
  const Lifted lifted = kLift(word, out);
  ZeroAboveVectors(out);
  return lifted;
}

using Lifter = Lifted (*)(uint32_t, BlockBuilder*);
enum Family : uint8_t {
  kNothing,
  kReserved,
  kScalable,
  kPcRelative,
  kAddSubtractImmediate,
  kTagsOrExtremes,
  kLogicalImmediate,
  kMoveWide,
  kBitfield,
  kExtract,
  kLogicalRegister,
  kAddSubtractShifted,
  kAddSubtractExtended,
  kCarryAndFlags,
  kConditionalCompare,
  kConditionalSelect,
  kSources,
  kThreeSources,
  kDirectBranch,
  kCompareAndBranch,
  kTestAndBranch,
  kConditionalBranch,
  kIndirectBranch,
  kException,
  kSystem,
  kLiteral,
  kPair,
  kSingleImmediate12,
  kSingleImmediate9,
  kSingleRegister,
  kExclusive,
  kMemoryExtension,
  kVectorLiteral,
  kVectorPair,
  kVectorSingleImmediate12,
  kVectorSingleImmediate9,
  kVectorSingleRegister,
  kVectorMemoryExtension,
  kStructure,
  kSimd,
};
constexpr Lifter kLifters[] = {
    LiftNothing,
    LiftReserved,
    LiftScalable,
    LiftPcRelative,
    LiftAddSubtractImmediate,
    LiftTagsOrExtremes,
    LiftLogicalImmediate,
    LiftMoveWide,
    LiftBitfield,
    LiftExtract,
    LiftLogicalRegister,
    LiftAddSubtractShifted,
    LiftAddSubtractExtended,
    LiftCarryAndFlags,
    LiftConditionalCompare,
    LiftConditionalSelect,
    LiftSources,
    LiftThreeSources,
    LiftDirectBranch,
    LiftCompareAndBranch,
    LiftTestAndBranch,
    LiftConditionalBranch,
    LiftIndirectBranch,
    LiftException,
    LiftSystem,
    LiftLiteral,
    LiftPair,
    LiftSingleImmediate12,
    LiftSingleImmediate9,
    LiftSingleRegister,
    LiftExclusive,
    LiftMemoryExtension,
    LiftVectors<LiftLiteral>,
    LiftVectors<LiftPair>,
    LiftVectors<LiftSingleImmediate12>,
    LiftVectors<LiftSingleImmediate9>,
    LiftVectors<LiftSingleRegister>,
    LiftVectors<LiftMemoryExtension>,
    LiftVectors<LiftStructure>,
    LiftVectors<LiftSimd>,
};
static_assert(sizeof(kLifters) / sizeof(kLifters[0]) == kSimd + 1, "one lifter a family, in order");

constexpr Family MemoryFamily(uint32_t bits) {
  const bool bit24 = (bits & 8) != 0;
  const bool bit21 = (bits & 1) != 0;
  const bool is_vector = (bits & 32) != 0;
  switch (bits >> 7 & 3) {
    case 0:
      if (is_vector) return kStructure;
      return bit24 ? kNothing : kExclusive;
    case 1:
      if (is_vector) return bit24 ? kVectorMemoryExtension : kVectorLiteral;
      return bit24 ? kMemoryExtension : kLiteral;
    case 2: return is_vector ? kVectorPair : kPair;
    default:
      if (bit24) return is_vector ? kVectorSingleImmediate12 : kSingleImmediate12;
      if (bit21) return is_vector ? kVectorSingleRegister : kSingleRegister;
      return is_vector ? kVectorSingleImmediate9 : kSingleImmediate9;
  }
}
constexpr Family RegisterFamily(uint32_t bits) {
  if ((bits & 128) == 0) {
    if ((bits & 8) == 0) return kLogicalRegister;
    return (bits & 1) != 0 ? kAddSubtractExtended : kAddSubtractShifted;
  }
  if ((bits & 8) != 0) return kThreeSources;
  constexpr Family kByOp2[8] = {kCarryAndFlags, kNothing, kConditionalCompare, kNothing, kConditionalSelect, kNothing,
                                kSources,       kNothing};
  return kByOp2[bits & 7];
}
constexpr Family ImmediateFamily(uint32_t bits) {
  constexpr Family kByOp[8] = {kPcRelative,     kPcRelative,       kAddSubtractImmediate,
                               kTagsOrExtremes, kLogicalImmediate, kMoveWide,
                               kBitfield,       kExtract};
  return kByOp[bits >> 2 & 7];
}

constexpr Family BranchFamily(uint32_t bits) {
  const bool bit25 = (bits & 16) != 0;
  const bool bit24 = (bits & 8) != 0;
  // clang-format off
  switch (bits >> 8) {
    case 0: case 4:
      return kDirectBranch;
    case 1: case 5:
      return bit25 ? kTestAndBranch : kCompareAndBranch;
    case 2:
      return bit25 ? kNothing : kConditionalBranch;
    case 6:
      if (bit25) return kIndirectBranch;
      return bit24 ? kSystem : kException;
    default:
      return kNothing;
  }
  // clang-format on
}

// `bits`: 31..21 of a word.
constexpr Family FamilyOf(uint32_t bits) {
  switch (bits >> 4 & 15) {  // 28:25
    case 0: return kReserved;
    case 2: return kScalable;
    case 4:
    case 6:
    case 12:
    case 14: return MemoryFamily(bits);
    case 5:
    case 13: return RegisterFamily(bits);
    case 7:
    case 15: return kSimd;
    case 8:
    case 9: return ImmediateFamily(bits);
    case 10:
    case 11: return BranchFamily(bits);
    default: return kNothing;
  }
}
struct FamilyTable {
  Family of[2048];
};
constexpr FamilyTable MakeFamilyTable() {
  FamilyTable table = {};
  for (uint32_t bits = 0; bits < 2048; ++bits) table.of[bits] = FamilyOf(bits);
  return table;
}
constexpr FamilyTable kFamilies = MakeFamilyTable();

}  // namespace

Lifted LiftWord(uint32_t word, BlockBuilder* out) { return kLifters[kFamilies.of[word >> 21]](word, out); }

void ForgetVector(uint32_t number, uint32_t bytes, BlockBuilder* out) {
  const uint32_t slot = V(number);
  out->Add(SOFTLBR_OP_UNKNOWN, bytes, slot, 0);  // if narrower than 8 bytes it zeroes the rest of the register slot
  if (bytes < 16) out->Add(SOFTLBR_OP_CONST, 8, slot + 1, 0, 0, 0);
}

void ForgetTag(uint32_t slot, BlockBuilder* out) {
  if (slot == SOFTLBR_REG_ZERO) return;
  const uint16_t unknown = out->Temp();
  out->AddUnknown(unknown);
  constexpr int32_t kTopByte = 8 << 8 | 56 << 16;  // length, position
  out->Add(SOFTLBR_OP_BITFIELD, 8, slot, 0, unknown, kTopByte, 0, SOFTLBR_UOP_MERGE);
}

void AddSignedPointer(uint32_t slot, uint32_t modifier, uint32_t key, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_POINTER_SIGN, 8, slot, slot, modifier, 0, key);
}

void AddCheckedPointer(uint32_t dst, uint32_t slot, uint32_t modifier, uint32_t key, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_POINTER_CHECK, 8, dst, slot, modifier, 0, key);
}

}  // namespace softlbr::a64
