// Semantics of A64 instructions, by family.
//
// LiftWord() looks up bits 31:21 in one dense table, which names the family that lifts the word. A family knows which
// of its encodings are allocated. For an allocated encoding without semantics it makes everything UNKNOWN that the
// instruction may write. Context: handler. Memory: the stack and the caller's block.
#ifndef SOFTLBR_DECODERS_AARCH64_LIFT_LIFT_AARCH64_H_
#define SOFTLBR_DECODERS_AARCH64_LIFT_LIFT_AARCH64_H_

#include "decoders/aarch64/lift/word.h"
#include "decoders/api/block_builder.h"

namespace softlbr::a64 {

using decoder::BlockBuilder;

enum class Lifted : uint8_t {
  kNext = 0,             // uops added; continue with the next word
  kOpensExclusive = 1,   // as kNext, and a load-exclusive is open from here
  kClosesExclusive = 2,  // as kNext, and no exclusive is open from here
  kEnd = 3,              // a terminator: the block's end is set
  kUnallocated = 4,      // no known instruction: the caller ignores what was added
};

SOFTLBR_HANDLER_SAFE Lifted LiftWord(uint32_t word, BlockBuilder* out);

// Data processing with an immediate: immediate.cc
SOFTLBR_HANDLER_SAFE Lifted LiftPcRelative(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftAddSubtractImmediate(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftTagsOrExtremes(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftLogicalImmediate(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftMoveWide(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftBitfield(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftExtract(uint32_t word, BlockBuilder* out);
// On registers: data_register.cc
SOFTLBR_HANDLER_SAFE Lifted LiftLogicalRegister(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftAddSubtractShifted(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftAddSubtractExtended(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftCarryAndFlags(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftConditionalCompare(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftConditionalSelect(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftSources(uint32_t word, BlockBuilder* out);  // one or two
SOFTLBR_HANDLER_SAFE Lifted LiftThreeSources(uint32_t word, BlockBuilder* out);
// Branches, system calls and traps: branch.cc; hints, barriers, system registers: system.cc
SOFTLBR_HANDLER_SAFE Lifted LiftDirectBranch(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftCompareAndBranch(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftTestAndBranch(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftConditionalBranch(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftIndirectBranch(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftException(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftSystem(uint32_t word, BlockBuilder* out);
// Loads and stores: load_store.cc; exclusive.cc: exclusive, ordered, CAS; LSE; RCpc, MTE, MOPS, LSE128
SOFTLBR_HANDLER_SAFE Lifted LiftLiteral(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftPair(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftSingleImmediate12(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftSingleImmediate9(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftSingleRegister(uint32_t word, BlockBuilder* out);  // by a register, or atomic
SOFTLBR_HANDLER_SAFE Lifted LiftExclusive(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftAtomic(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftMemoryExtension(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftStructure(uint32_t word, BlockBuilder* out);  // structure.cc: LD1..LD4, ST1..ST4
// Advanced SIMD and floating point: simd.cc; SVE and SME: scalable.cc
SOFTLBR_HANDLER_SAFE Lifted LiftSimd(uint32_t word, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE Lifted LiftScalable(uint32_t word, BlockBuilder* out);

// Pointer authentication with key 0 IA, 1 IB, 2 DA, 3 DB. AddSignedPointer signs register slot `slot`.
// AddCheckedPointer sets dst to the pointer in `slot`, with its signature checked and removed.
SOFTLBR_HANDLER_SAFE void AddSignedPointer(uint32_t slot, uint32_t modifier, uint32_t key, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE void AddCheckedPointer(uint32_t dst, uint32_t slot, uint32_t modifier, uint32_t key,
                                            BlockBuilder* out);

// dst = the larger or smaller of a and b, or of a and imm.
SOFTLBR_HANDLER_SAFE void AddExtreme(uint32_t width, uint32_t dst, uint32_t a, uint32_t b, int32_t imm,
                                     bool is_immediate, bool is_minimum, bool is_unsigned, BlockBuilder* out);

// The low bytes of a vector register become UNKNOWN; the rest becomes 0, as in every write to V.
SOFTLBR_HANDLER_SAFE void ForgetVector(uint32_t number, uint32_t bytes, BlockBuilder* out);
// Byte 7 of a register slot becomes UNKNOWN: it holds a logical tag.
SOFTLBR_HANDLER_SAFE void ForgetTag(uint32_t slot, BlockBuilder* out);

}  // namespace softlbr::a64

#endif  // SOFTLBR_DECODERS_AARCH64_LIFT_LIFT_AARCH64_H_
