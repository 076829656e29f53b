// One function per family of micro-operations; the meaning of each op is in decoders/api/ir.h.
//
// Who calls: evaluator.cc, with a uop of that family from a well-formed block. Context: handler. Bounded loops only.
// Result: kOk, or why the path ends at this uop; the context may then be half changed.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_H_

#include "runtime/lookahead/evaluator.h"
#include "runtime/lookahead/memory.h"

namespace softlbr {

SOFTLBR_HANDLER_SAFE void RunMoveUop(Evaluator* evaluator, const softlbr_uop& uop);          // CONST .. ADDRESS
SOFTLBR_HANDLER_SAFE UopResult RunMemoryUop(Evaluator* evaluator, const softlbr_uop& uop);   // LOAD .. CLOBBER_MEMORY
SOFTLBR_HANDLER_SAFE UopResult RunStringUop(Evaluator* evaluator, const softlbr_uop& uop);   // STRING_MOVE .. STRING_COMPARE
SOFTLBR_HANDLER_SAFE UopResult RunIntegerUop(Evaluator* evaluator, const softlbr_uop& uop);  // ADD .. REM, MADD, MADD_LONG
SOFTLBR_HANDLER_SAFE void RunShiftUop(Evaluator* evaluator, const softlbr_uop& uop);         // SHL .. EXTRACT
SOFTLBR_HANDLER_SAFE void RunBitUop(Evaluator* evaluator, const softlbr_uop& uop);           // BIT_TEST .. BITFIELD
SOFTLBR_HANDLER_SAFE void RunFlagsUop(Evaluator* evaluator, const softlbr_uop& uop);         // SETCC .. CCMP
SOFTLBR_HANDLER_SAFE void RunVectorUop(Evaluator* evaluator, const softlbr_uop& uop);        // VMOV .. VSAR_LANES, VTEST ..
SOFTLBR_HANDLER_SAFE void RunShuffleUop(Evaluator* evaluator, const softlbr_uop& uop);       // VBYTE_SHL .. VBLEND_VAR ..
SOFTLBR_HANDLER_SAFE void RunFloatUop(Evaluator* evaluator, const softlbr_uop& uop);         // FADD .. FADDSUB

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_H_
