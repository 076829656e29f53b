// Semantics of instructions. A Lift function that has none for a form returns false; the caller then drops the uops
// added so far (Rewind) and tries the next one (lift_instruction.h).
//
// Context: handler. Memory: the stack and the caller's block.
#ifndef SOFTLBR_DECODERS_X86_64_LIFT_LIFT_H_
#define SOFTLBR_DECODERS_X86_64_LIFT_LIFT_H_

#include "decoders/api/block_builder.h"
#include "decoders/x86_64/decode/instruction.h"

namespace softlbr::x86 {

using decoder::BlockBuilder;

// Terminators. True: uops were added and the block's end is set. False: not a terminator, nothing was added.
SOFTLBR_HANDLER_SAFE bool LiftBranch(const Instruction& in, BlockBuilder* out);
// The IR condition of jcc, setcc, cmovcc.
SOFTLBR_HANDLER_SAFE uint8_t ConditionOf(const Instruction& in);

// General registers, flags, memory, string operations. lift_integer.cc dispatches to the families below.
SOFTLBR_HANDLER_SAFE bool LiftInteger(const Instruction& in, BlockBuilder* out);
// MMX, SSE, AVX, AVX-512, mask registers: integer and data movement. lift_vector*.cc
SOFTLBR_HANDLER_SAFE bool LiftVector(const Instruction& in, BlockBuilder* out);
// Scalar and packed floating point on vector registers. lift_float*.cc
SOFTLBR_HANDLER_SAFE bool LiftFloat(const Instruction& in, BlockBuilder* out);

// The address of the memory operand in the form that LOAD, STORE, VLOAD and VSTORE take. Adds uops (into Temp() slots)
// only for a segment with two registers, for 32-bit addresses and for rip-relative addresses that exceed imm. Requires
// in.IsMemory(), !in.is_vsib and in.is_disp_exact.
struct Address {
  uint16_t a;
  uint16_t b;
  uint8_t shift;  // aux
  int32_t imm;
};
SOFTLBR_HANDLER_SAFE Address MemoryAddress(const Instruction& in, BlockBuilder* out);

// Adds a uop with a memory operand: LOAD / VLOAD into dst, STORE / VSTORE of dst. Returns what Add() returns.
SOFTLBR_HANDLER_SAFE inline softlbr_uop* AddMemory(uint32_t op, uint32_t width, uint32_t dst, const Address& address,
                                                   uint32_t flags, BlockBuilder* out) {
  return out->Add(op, width, dst, address.a, address.b, address.imm, address.shift, flags);
}

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_LIFT_LIFT_H_
