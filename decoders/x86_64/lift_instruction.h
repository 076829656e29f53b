// The semantics of one instruction, from whoever has them.
//
// Order: LiftInteger, LiftVector, LiftFloat (lift/lift.h), and ClobberInstruction (clobber/clobber.h) for what none of them knows.
// Context: handler. Memory: the stack and the caller's block.
#ifndef SOFTLBR_DECODERS_X86_64_LIFT_INSTRUCTION_H_
#define SOFTLBR_DECODERS_X86_64_LIFT_INSTRUCTION_H_

#include "decoders/x86_64/lift/lift.h"

struct softlbr_decoder;

namespace softlbr::x86 {

// Adds the uops of `in`, which is no terminator. code: its bytes, in.length of them. False: what it writes cannot be said, and the
// block must end before it.
SOFTLBR_HANDLER_SAFE bool LiftOther(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder, BlockBuilder* out);
SOFTLBR_HANDLER_SAFE inline bool LiftInstruction(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder,
                                                 BlockBuilder* out) {
  return LiftInteger(in, out) || LiftOther(in, code, decoder, out);
}

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_LIFT_INSTRUCTION_H_
