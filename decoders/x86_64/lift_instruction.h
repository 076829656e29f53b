// Lifts one instruction that is not a terminator.
//
// Order: LiftInteger, LiftVector, LiftFloat (lift/lift.h), then ClobberInstruction (clobber/clobber.h) for forms that
// none of them knows.
// Context: handler. Memory: the stack and the caller's block.
#ifndef SOFTLBR_DECODERS_X86_64_LIFT_INSTRUCTION_H_
#define SOFTLBR_DECODERS_X86_64_LIFT_INSTRUCTION_H_

#include "decoders/x86_64/lift/lift.h"

struct softlbr_decoder;

namespace softlbr::x86 {

// Adds the uops of `in`, which is not a terminator. code: its in.length bytes. False: it is not known what the
// instruction writes; the block must end before it. LiftOther is the part after LiftInteger.
SOFTLBR_HANDLER_SAFE bool LiftOther(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder,
                                    BlockBuilder* out);
SOFTLBR_HANDLER_SAFE inline bool LiftInstruction(const Instruction& in, const uint8_t* code,
                                                 const softlbr_decoder* decoder, BlockBuilder* out) {
  return LiftInteger(in, out) || LiftOther(in, code, decoder, out);
}

}  // namespace softlbr::x86

#endif  // SOFTLBR_DECODERS_X86_64_LIFT_INSTRUCTION_H_
