// The first look at a word, and what more than one family needs.
#include "decoders/aarch64/a64_lift.h"

namespace softlbr::a64 {
namespace {

SOFTLBR_HANDLER_SAFE Lifted LiftReserved(uint32_t word, BlockBuilder* out) {
  if (Bit(word, 31)) return LiftScalable(word, out);  // SME
  if (Field(word, 16, 16) != 0) return Lifted::kUnallocated;
  softlbr_terminator end{};  // udf
  end.kind = SOFTLBR_END_TRAP;
  out->SetEnd(end);
  return Lifted::kEnd;
}

SOFTLBR_HANDLER_SAFE Lifted LiftNothing(uint32_t, BlockBuilder*) { return Lifted::kUnallocated; }

using Family = Lifted (*)(uint32_t, BlockBuilder*);
constexpr Family kFamilies[16] = {
    LiftReserved,  LiftNothing,   LiftScalable, LiftNothing, LiftLoadStore, LiftRegister, LiftLoadStore, LiftSimd,
    LiftImmediate, LiftImmediate, LiftBranch,   LiftBranch,  LiftLoadStore, LiftRegister, LiftLoadStore, LiftSimd,
};

}  // namespace

Lifted LiftWord(uint32_t word, BlockBuilder* out) { return kFamilies[Field(word, 25, 4)](word, out); }

void ForgetVector(uint32_t number, uint32_t bytes, BlockBuilder* out) {
  const uint32_t cell = V(number);
  out->Add(SOFTLBR_OP_UNKNOWN, bytes, cell, 0);  // below 8 it zeroes the rest of the cell
  if (bytes < 16) out->Add(SOFTLBR_OP_CONST, 8, cell + 1, 0, 0, 0);
}

void ForgetTag(uint32_t cell, BlockBuilder* out) {
  if (cell == SOFTLBR_CELL_ZERO) return;
  const uint16_t unknown = out->Temp();
  out->AddUnknown(unknown);
  constexpr int32_t kTopByte = 8 << 8 | 56 << 16;  // length, position
  out->Add(SOFTLBR_OP_BITFIELD, 8, cell, 0, unknown, kTopByte, 0, SOFTLBR_UOP_MERGE);
}

void AddSignedPointer(uint32_t cell, BlockBuilder* out) { out->AddUnknown(cell); }

void AddStrippedPointer(uint32_t dst, uint32_t, BlockBuilder* out) { out->AddUnknown(dst); }

}  // namespace softlbr::a64
