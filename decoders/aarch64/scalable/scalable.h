// Shared by the SVE families: register slots, lane masks, the vector length.
//
// A vector has VL bytes, 16 to 64. If the context does not hold VL, or VL is larger, SVE_LENGTH and SVE_BYTES are
// UNKNOWN, and so is everything computed from them: addresses, predicates with a bit set, and the lanes that they
// govern. Semantics always operate on 64 bytes. Every family keeps the bytes of a Z register beyond VL at 0, and the
// predicate bits beyond VL too. A predicate has one bit per byte; of the bits of a lane only the lowest counts.
#ifndef SOFTLBR_DECODERS_AARCH64_SCALABLE_SCALABLE_H_
#define SOFTLBR_DECODERS_AARCH64_SCALABLE_SCALABLE_H_

#include "decoders/aarch64/lift/lift_aarch64.h"

namespace softlbr::a64 {

inline constexpr uint32_t kWholeVector = 64;
inline constexpr uint32_t kVectorLength = SOFTLBR_A64_SVE_LENGTH;
inline constexpr uint32_t kVectorBytes = SOFTLBR_A64_SVE_BYTES;

SOFTLBR_HANDLER_SAFE constexpr uint32_t P(uint32_t number) { return SOFTLBR_A64_P0 + number % 16; }

// Common fields of a word: log2 of the element size (23:22), governing predicate (12:10), destination predicate.
SOFTLBR_HANDLER_SAFE constexpr uint32_t SizeOf(uint32_t word) { return Field(word, 22, 2); }
SOFTLBR_HANDLER_SAFE constexpr uint32_t GoverningP(uint32_t word) { return P(Field(word, 10, 3)); }

// A new temporary with the lowest bit of every lane set, for elements of 1 << size bytes, over all 64 bytes.
SOFTLBR_HANDLER_SAFE uint16_t AddLanePattern(uint32_t size, BlockBuilder* out);

// The predicate with all but the lowest bit of each lane cleared: the predicate itself or a temporary.
SOFTLBR_HANDLER_SAFE uint32_t AddLanesOf(uint32_t predicate, uint32_t size, BlockBuilder* out);

// As AddLanesOf, with every bit of an active lane set: a byte mask for VSELECT_MASK and for masked accesses.
SOFTLBR_HANDLER_SAFE uint32_t AddBytesOf(uint32_t predicate, uint32_t size, BlockBuilder* out);

// A new temporary: base + (VL >> shift) * times.
SOFTLBR_HANDLER_SAFE uint16_t AddLengthTimes(uint32_t base, uint32_t shift, int32_t times, BlockBuilder* out);

// Sets N, Z, C, V for predicate `result`, governed by `lanes` (AddLanesOf).
SOFTLBR_HANDLER_SAFE void AddPredicateTest(uint32_t lanes, uint32_t result, BlockBuilder* out);

SOFTLBR_HANDLER_SAFE void ForgetZ(uint32_t number, BlockBuilder* out);
// Every predicate and the first-fault register become UNKNOWN.
SOFTLBR_HANDLER_SAFE void ForgetPredicates(BlockBuilder* out);

// The families. False: no semantics, nothing was added.
SOFTLBR_HANDLER_SAFE bool LiftScalableCount(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalablePredicate(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalableCompare(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalableVector(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalableMerge(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalableMemory(uint32_t word, BlockBuilder* out);

}  // namespace softlbr::a64

#endif  // SOFTLBR_DECODERS_AARCH64_SCALABLE_SCALABLE_H_
