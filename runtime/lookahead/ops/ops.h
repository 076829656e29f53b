// One function for each family of micro-operations; decoders/api/ir.h defines each op.
//
// Who calls: evaluator.cc, with a uop of that family from a well-formed block. Context: handler. Bounded loops only.
// Result: kOk, or why the path ends at this uop; the uop's effects may then be half done.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_OPS_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_OPS_H_

#include "runtime/lookahead/ops/evaluator_state.h"

namespace softlbr {

// CONST .. ADDRESS
SOFTLBR_HANDLER_SAFE void RunMoveUop(Evaluator* evaluator, const softlbr_uop& uop);
// LOAD .. STORE_UNKNOWN, CLOBBER_MEMORY
SOFTLBR_HANDLER_SAFE UopResult RunMemoryUop(Evaluator* evaluator, const softlbr_uop& uop);
// VLOAD and VSTORE
SOFTLBR_HANDLER_SAFE UopResult RunVectorLoadUop(Evaluator* evaluator, const softlbr_uop& uop);
SOFTLBR_HANDLER_SAFE UopResult RunVectorStoreUop(Evaluator* evaluator, const softlbr_uop& uop);
// VLOAD_MASKED, VSTORE_MASKED
SOFTLBR_HANDLER_SAFE UopResult RunMaskedUop(Evaluator* evaluator, const softlbr_uop& uop);
// STRING_MOVE .. STRING_COMPARE
SOFTLBR_HANDLER_SAFE UopResult RunStringUop(Evaluator* evaluator, const softlbr_uop& uop);
// ADD .. REM
SOFTLBR_HANDLER_SAFE UopResult RunIntegerUop(Evaluator* evaluator, const softlbr_uop& uop);
// SHL .. SHRD
SOFTLBR_HANDLER_SAFE void RunShiftUop(Evaluator* evaluator, const softlbr_uop& uop);
// BIT_TEST .. BSR, BEXTR
SOFTLBR_HANDLER_SAFE void RunBitScanUop(Evaluator* evaluator, const softlbr_uop& uop);
// CTZ .. CRC32C, except BEXTR
SOFTLBR_HANDLER_SAFE void RunBitUop(Evaluator* evaluator, const softlbr_uop& uop);
// EXTRACT, BITFIELD
SOFTLBR_HANDLER_SAFE void RunBitFieldUop(Evaluator* evaluator, const softlbr_uop& uop);
// MADD, MADD_LONG
SOFTLBR_HANDLER_SAFE void RunMultiplyAddUop(Evaluator* evaluator, const softlbr_uop& uop);
// CCMP
SOFTLBR_HANDLER_SAFE void RunConditionalCompareUop(Evaluator* evaluator, const softlbr_uop& uop);
// SETCC .. FLIP_CARRY
SOFTLBR_HANDLER_SAFE void RunFlagsUop(Evaluator* evaluator, const softlbr_uop& uop);
// VAND .. VSAR_LANES, except products
SOFTLBR_HANDLER_SAFE void RunVectorUop(Evaluator* evaluator, const softlbr_uop& uop);
// VMUL_EVEN .. VSUM_ABS_DIFF
SOFTLBR_HANDLER_SAFE void RunProductUop(Evaluator* evaluator, const softlbr_uop& uop);
// VMOV .. VEXTRACT_WIDE, VBYTE_SHL .. VTRUNCATE, except permutes
SOFTLBR_HANDLER_SAFE void RunShuffleUop(Evaluator* evaluator, const softlbr_uop& uop);
// VSHUFFLE, VSHUFFLE2, VPERMUTE, VPERM2_128
SOFTLBR_HANDLER_SAFE void RunPermuteUop(Evaluator* evaluator, const softlbr_uop& uop);
// VBLEND .. VTEST, VTEST_MASK, VMASK_TO_LANES
SOFTLBR_HANDLER_SAFE void RunBlendUop(Evaluator* evaluator, const softlbr_uop& uop);
// VCMP_MASK, VSELECT_MASK
SOFTLBR_HANDLER_SAFE void RunVectorMaskUop(Evaluator* evaluator, const softlbr_uop& uop);
// STRING_INDEX
SOFTLBR_HANDLER_SAFE void RunStringIndexUop(Evaluator* evaluator, const softlbr_uop& uop);
// CARRYLESS_MUL
SOFTLBR_HANDLER_SAFE void RunCarrylessUop(Evaluator* evaluator, const softlbr_uop& uop);
// FCMP_MASK, FHADD, FADDSUB
SOFTLBR_HANDLER_SAFE void RunFloatLanesUop(Evaluator* evaluator, const softlbr_uop& uop);
// FADD .. FCMP, FROUND, ROUNDING
SOFTLBR_HANDLER_SAFE void RunFloatUop(Evaluator* evaluator, const softlbr_uop& uop);
// INT_TO_FLOAT .. FLOATS_TO_INTS
SOFTLBR_HANDLER_SAFE void RunFloatConversionUop(Evaluator* evaluator, const softlbr_uop& uop);
// POINTER_SIGN .. POINTER_STRIP
SOFTLBR_HANDLER_SAFE void RunPointerUop(Evaluator* evaluator, const softlbr_uop& uop);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_OPS_H_
