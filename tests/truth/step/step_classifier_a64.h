// Classifies an A64 instruction, from its word alone, by what it can do to the program counter.
//
// Shares no code with decoders/ on purpose, like step_classifier.h, whose kinds it uses.
#ifndef SOFTLBR_TESTS_TRUTH_STEP_STEP_CLASSIFIER_A64_H_
#define SOFTLBR_TESTS_TRUTH_STEP_STEP_CLASSIFIER_A64_H_

#include <cstdint>

#include "tests/truth/step/step_classifier.h"

namespace softlbr::truth {

// length is always 4; displacement counts from the instruction's end, as in step_classifier.h.
StepClass ClassifyA64Step(uint32_t word);

// A load-exclusive and its store, which must run without a stop in between: otherwise the store fails for ever.
struct A64ExclusivePair {
  static constexpr uint32_t kMaxInstructions = 16;
  static constexpr uint32_t kMaxBranches = 4;
  uint32_t instructions = 0;  // from the load to the store, both included; 0: no exclusive pair begins here
  uint32_t branch_count = 0;
  struct {
    uint32_t at;       // index of a conditional branch within
    int32_t distance;  // its target, in bytes from the load
  } branches[kMaxBranches] = {};
};
// ldxr, ldaxr, ldxp, ldaxp and their stores. With bit 21 pairs, of which those with bit 31 clear are casp.
inline bool IsA64LoadExclusive(uint32_t word) {
  return (word & 0x3fc00000) == 0x08400000 && (word & 0x80200000) != 0x00200000;
}
inline bool IsA64StoreExclusive(uint32_t word) {
  return (word & 0x3fc00000) == 0x08000000 && (word & 0x80200000) != 0x00200000;
}
A64ExclusivePair FindA64ExclusivePair(const uint32_t* words, uint32_t count);

// Whether the conditional branch `word` is taken with the values before it: pstate's flags in bits 31..28, and the
// register that cbz, cbnz, tbz and tbnz test (0 for number 31). Needed only where both outcomes lead to the same
// address.
bool IsA64ConditionTrue(uint32_t word, uint64_t pstate, uint64_t tested);
// Number of the tested register.
inline uint32_t TestedA64Register(uint32_t word) { return word & 31; }

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_STEP_STEP_CLASSIFIER_A64_H_
