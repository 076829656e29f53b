// Who gives which A64 instruction its meaning.
//
// LiftWord() looks at bits 28:25 and asks one family; each family is one file. A family knows which of its encodings are
// allocated. Allocated but without semantics: it makes UNKNOWN all that the instruction may write.
// Context: handler. Memory: the stack and the caller's block.
#ifndef SOFTLBR_DECODERS_AARCH64_A64_LIFT_H_
#define SOFTLBR_DECODERS_AARCH64_A64_LIFT_H_

#include "decoders/aarch64/a64_word.h"
#include "decoders/api/block_builder.h"

namespace softlbr::a64 {

using decoder::BlockBuilder;

enum class Lifted : uint8_t {
  kNext = 0,             // uops added; go on
  kOpensExclusive = 1,   // the same, and a load-exclusive is open from here
  kClosesExclusive = 2,  // the same, and none is
  kEnd = 3,              // a terminator: the block's end is filled in
  kUnallocated = 4,      // no known instruction: what was added does not count
};

SOFTLBR_HANDLER_SAFE Lifted LiftWord(uint32_t word, BlockBuilder* out);

// The families, by bits 28:25.
SOFTLBR_HANDLER_SAFE Lifted LiftImmediate(uint32_t word, BlockBuilder* out);  // 100x
SOFTLBR_HANDLER_SAFE Lifted LiftBranch(uint32_t word, BlockBuilder* out);     // 101x
SOFTLBR_HANDLER_SAFE Lifted LiftLoadStore(uint32_t word, BlockBuilder* out);  // x1x0
SOFTLBR_HANDLER_SAFE Lifted LiftRegister(uint32_t word, BlockBuilder* out);   // x101
SOFTLBR_HANDLER_SAFE Lifted LiftSimd(uint32_t word, BlockBuilder* out);       // x111
SOFTLBR_HANDLER_SAFE Lifted LiftScalable(uint32_t word, BlockBuilder* out);   // 0010, and 0000 with bit 31: SVE, SME

// Parts of families in files of their own.
SOFTLBR_HANDLER_SAFE Lifted LiftSystem(uint32_t word, BlockBuilder* out);          // 1101010100: hints, barriers, registers
SOFTLBR_HANDLER_SAFE Lifted LiftExclusive(uint32_t word, BlockBuilder* out);       // xx001000: exclusive, ordered, CAS
SOFTLBR_HANDLER_SAFE Lifted LiftAtomic(uint32_t word, BlockBuilder* out);          // xx111x00..1..00: LSE
SOFTLBR_HANDLER_SAFE Lifted LiftMemoryExtension(uint32_t word, BlockBuilder* out); // xx011x01: RCpc, MTE, MOPS, LSE128
SOFTLBR_HANDLER_SAFE Lifted LiftStructure(uint32_t word, BlockBuilder* out);       // 0x00110x: LD1..LD4, ST1..ST4

// Pointer authentication: what signing, authenticating and stripping leave in a cell.
SOFTLBR_HANDLER_SAFE void AddSignedPointer(uint32_t cell, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE void AddStrippedPointer(uint32_t dst, uint32_t cell, BlockBuilder* out);

// dst = the larger or smaller of a and b, or of a and imm.
SOFTLBR_HANDLER_SAFE void AddExtreme(uint32_t width, uint32_t dst, uint32_t a, uint32_t b, int32_t imm, bool is_immediate,
                                     bool is_minimum, bool is_unsigned, BlockBuilder* out);

// The low bytes of a vector register become UNKNOWN and the rest, as every write to V does, 0.
SOFTLBR_HANDLER_SAFE void ForgetVector(uint32_t number, uint32_t bytes, BlockBuilder* out);
// Byte 7 of a cell becomes UNKNOWN: a logical tag was put in.
SOFTLBR_HANDLER_SAFE void ForgetTag(uint32_t cell, BlockBuilder* out);

}  // namespace softlbr::a64

#endif  // SOFTLBR_DECODERS_AARCH64_A64_LIFT_H_
