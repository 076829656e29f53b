// Contract: step_classifier_a64.h.
#include "tests/truth/step/step_classifier_a64.h"

namespace softlbr::truth {
namespace {

constexpr uint8_t kInstructionBytes = 4;

bool IsCompareAndBranch(uint32_t word) { return (word & 0x7e000000) == 0x34000000; }   // cbz, cbnz
bool IsTestAndBranch(uint32_t word) { return (word & 0x7e000000) == 0x36000000; }      // tbz, tbnz
bool IsConditionalBranch(uint32_t word) { return (word & 0xff000000) == 0x54000000; }  // b.cond, bc.cond
bool IsDirectBranch(uint32_t word) { return (word & 0x7c000000) == 0x14000000; }       // b, bl
// br, blr, ret and their authenticating forms: 1101011, and bits 24 and 23..21 say which; not eret and drps (2xx).
bool IsRegisterBranch(uint32_t word) {
  if ((word & 0xfe1f0000) != 0xd61f0000) return false;
  const uint32_t operation = word >> 21 & 15;
  return operation <= 2 || operation == 8 || operation == 9;
}

// `bits` signed bits from bit `low`, in instructions.
int32_t Displacement(uint32_t word, uint32_t low, uint32_t bits) {
  const auto shifted = static_cast<int32_t>(word << (32 - low - bits));
  return (shifted >> (32 - bits)) * kInstructionBytes;
}

}  // namespace

StepClass ClassifyA64Step(uint32_t word) {
  StepClass step;
  step.length = kInstructionBytes;
  int32_t from_here = 0;
  if (IsDirectBranch(word) || IsRegisterBranch(word)) {
    step.kind = StepKind::kUnconditional;
    return step;
  }
  if (IsConditionalBranch(word) || IsCompareAndBranch(word)) {
    from_here = Displacement(word, 5, 19);
  } else if (IsTestAndBranch(word)) {
    from_here = Displacement(word, 5, 14);
  } else {
    if ((word & 0xffe0001f) == 0xd4000001) step.kind = StepKind::kSystemCall;  // svc
    return step;
  }
  step.kind = StepKind::kConditional;
  step.displacement = from_here - kInstructionBytes;
  return step;
}

A64ExclusivePair FindA64ExclusivePair(const uint32_t* words, uint32_t count) {
  A64ExclusivePair exclusive;
  if (count == 0 || !IsA64LoadExclusive(words[0])) return exclusive;
  for (uint32_t i = 1; i < count && i < A64ExclusivePair::kMaxInstructions; ++i) {
    if (IsA64StoreExclusive(words[i])) {
      exclusive.instructions = i + 1;
      return exclusive;
    }
    const StepClass step = ClassifyA64Step(words[i]);
    if (step.kind == StepKind::kOther) continue;
    if (step.kind != StepKind::kConditional || exclusive.branch_count == A64ExclusivePair::kMaxBranches) break;
    exclusive.branches[exclusive.branch_count++] = {
        i, static_cast<int32_t>(kInstructionBytes * (i + 1)) + step.displacement};
  }
  return A64ExclusivePair{};
}

bool IsA64ConditionTrue(uint32_t word, uint64_t pstate, uint64_t tested) {
  const bool wants_one = (word >> 24 & 1) != 0;  // cbnz, tbnz
  if (IsTestAndBranch(word)) {
    const uint32_t bit = (word >> 19 & 31) | (word >> 31) << 5;
    return ((tested >> bit & 1) != 0) == wants_one;
  }
  if (IsCompareAndBranch(word)) {
    if ((word >> 31) == 0) tested &= 0xffffffff;
    return (tested != 0) == wants_one;
  }
  const bool n = (pstate >> 31 & 1) != 0, z = (pstate >> 30 & 1) != 0, c = (pstate >> 29 & 1) != 0,
             v = (pstate >> 28 & 1) != 0;
  bool result = true;
  switch (word >> 1 & 7) {
    case 0: result = z; break;
    case 1: result = c; break;
    case 2: result = n; break;
    case 3: result = v; break;
    case 4: result = c && !z; break;
    case 5: result = n == v; break;
    case 6: result = n == v && !z; break;
    default: return true;  // al, nv
  }
  return (word & 1) != 0 ? !result : result;
}

}  // namespace softlbr::truth
