// What the SVE families share: register slots, masks of lanes, the length of a vector.
//
// A vector has VL bytes, 16 to 64; where the context does not say how many (or there are more), SVE_LENGTH and SVE_BYTES are
// UNKNOWN and so is all that is made of them: addresses, predicates with a one in them, and through these whatever they guard.
// Semantics work on 64 bytes all the same. Bytes of a Z beyond VL are 0 and so are predicate bits: every family keeps that.
// A predicate has a bit for each byte; of a lane's bits only the lowest counts.
#ifndef SOFTLBR_DECODERS_AARCH64_SCALABLE_H_
#define SOFTLBR_DECODERS_AARCH64_SCALABLE_H_

#include "decoders/aarch64/lift_aarch64.h"

namespace softlbr::a64 {

inline constexpr uint32_t kWholeVector = 64;
inline constexpr uint32_t kVectorLength = SOFTLBR_A64_SVE_LENGTH;
inline constexpr uint32_t kVectorBytes = SOFTLBR_A64_SVE_BYTES;

SOFTLBR_HANDLER_SAFE constexpr uint32_t P(uint32_t number) { return SOFTLBR_A64_P0 + number % 16; }

// A word's usual fields: element size by its logarithm (23:22), governing predicate (12:10), destination predicate.
SOFTLBR_HANDLER_SAFE constexpr uint32_t SizeOf(uint32_t word) { return Field(word, 22, 2); }
SOFTLBR_HANDLER_SAFE constexpr uint32_t GoverningP(uint32_t word) { return P(Field(word, 10, 3)); }

// A new temporary: lane bits of elements of 1 << size bytes, in all 64 bytes.
SOFTLBR_HANDLER_SAFE uint16_t AddLanePattern(uint32_t size, BlockBuilder* out);

// The lanes' bits of a predicate, others 0: the predicate itself or a temporary.
SOFTLBR_HANDLER_SAFE uint32_t AddLanesOf(uint32_t predicate, uint32_t size, BlockBuilder* out);

// The same with every byte of an active lane: a mask for VSELECT_MASK by bytes, and for memory.
SOFTLBR_HANDLER_SAFE uint32_t AddBytesOf(uint32_t predicate, uint32_t size, BlockBuilder* out);

// A new temporary: base + (VL >> shift) * times.
SOFTLBR_HANDLER_SAFE uint16_t AddLengthTimes(uint32_t base, uint32_t shift, int32_t times, BlockBuilder* out);

// N, Z, C, V of `result` under the lanes `lanes` (AddLanesOf).
SOFTLBR_HANDLER_SAFE void AddPredicateTest(uint32_t lanes, uint32_t result, BlockBuilder* out);

SOFTLBR_HANDLER_SAFE void ForgetZ(uint32_t number, BlockBuilder* out);
// Every predicate and the first-fault register.
SOFTLBR_HANDLER_SAFE void ForgetPredicates(BlockBuilder* out);

// The families: false where they have no semantics; nothing was added then.
SOFTLBR_HANDLER_SAFE bool LiftScalableCount(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalablePredicate(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalableCompare(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalableVector(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalableMerge(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE bool LiftScalableMemory(uint32_t word, BlockBuilder* out);

}  // namespace softlbr::a64

#endif  // SOFTLBR_DECODERS_AARCH64_SCALABLE_H_
