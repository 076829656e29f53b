// Who gives which instruction its meaning.
//
// After LiftBranch (terminators) LiftOne() asks in this order: LiftInteger, LiftVector, LiftFloat, LiftClobber. Each
// of the first three answers false when it has no semantics for the form; whatever it had added is dropped (Rewind).
// LiftClobber marks UNKNOWN all that the instruction may write; when it answers false the block ends UNDECODABLE
// before it.
// Context: handler. Memory: the stack and the caller's block.
#ifndef SOFTLBR_DECODERS_X86_64_LIFT_H_
#define SOFTLBR_DECODERS_X86_64_LIFT_H_

#include "decoders/api/block_builder.h"
#include "decoders/x86_64/instruction.h"

struct softlbr_decoder;

namespace softlbr::x86 {

using decoder::BlockBuilder;

// Terminators. True: uops added and the block's end filled in. False: not a terminator, nothing added.
SOFTLBR_HANDLER_SAFE bool LiftBranch(const Instruction& in, BlockBuilder* out);
// jcc, setcc, cmovcc: the IR's condition.
SOFTLBR_HANDLER_SAFE uint8_t ConditionOf(const Instruction& in);

// Everything that is no terminator. code: the instruction's bytes, in.length of them. False: nothing can be said.
SOFTLBR_HANDLER_SAFE bool LiftOne(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder,
                                  BlockBuilder* out);

// General registers, flags, memory, string operations. lift_integer.cc dispatches to the families below.
SOFTLBR_HANDLER_SAFE bool LiftInteger(const Instruction& in, BlockBuilder* out);
// MMX, SSE, AVX, AVX-512, mask registers: integer and data movement. lift_vector*.cc
SOFTLBR_HANDLER_SAFE bool LiftVector(const Instruction& in, BlockBuilder* out);
// Scalar and packed floating point on vector registers. lift_float*.cc
SOFTLBR_HANDLER_SAFE bool LiftFloat(const Instruction& in, BlockBuilder* out);

// All that is left.
SOFTLBR_HANDLER_SAFE bool LiftClobber(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder,
                                      BlockBuilder* out);

// Address of the memory operand in the form LOAD, STORE, VLOAD and VSTORE take. Adds uops (into Temp() cells) only for
// segments with two registers, 32-bit addresses and far rip-relative ones. Requires in.IsMemory(), !in.is_vsib and
// in.is_disp_exact.
struct Address {
  uint16_t a;
  uint16_t b;
  uint8_t shift;  // aux
  int32_t imm;
};
SOFTLBR_HANDLER_SAFE Address MemoryAddress(const Instruction& in, BlockBuilder* out);

// uops over a memory operand: LOAD / VLOAD into dst, STORE / VSTORE of dst. Return as Add().
SOFTLBR_HANDLER_SAFE inline softlbr_uop* AddMemory(uint32_t op, uint32_t width, uint32_t dst, const Address& address,
                                                   uint32_t flags, BlockBuilder* out) {
  return out->Add(op, width, dst, address.a, address.b, address.imm, address.shift, flags);
}

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_LIFT_H_
