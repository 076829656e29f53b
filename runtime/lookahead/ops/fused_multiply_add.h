// a * b + c with one rounding. Where not every CPU of the architecture has an instruction for it (x86-64), in integer arithmetic,
// because the compiler's builtin would call libm.
// Context: handler. Cost: about 15 ns in integer arithmetic.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FUSED_MULTIPLY_ADD_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FUSED_MULTIPLY_ADD_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr {

// Rounds to nearest even; denormals are exact. Takes any operands; a NaN result is some NaN.
SOFTLBR_HANDLER_SAFE double FusedMultiplyAdd(double a, double b, double c);
SOFTLBR_HANDLER_SAFE float FusedMultiplyAdd(float a, float b, float c);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FUSED_MULTIPLY_ADD_H_
