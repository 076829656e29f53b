// a * b + c with one rounding, by the CPU's instruction. The compiler's builtin would call libm on targets where a CPU
// may lack it.
//
// Who calls: the evaluator. Rounds as the thread's control register says: in our handler, to nearest even.
// Context: Learn is control; a handler may call it once a session has started, because it then only reads the stored
// answer. The rest is handler-safe.
#ifndef SOFTLBR_PLATFORM_FUSED_MULTIPLY_ADD_H_
#define SOFTLBR_PLATFORM_FUSED_MULTIPLY_ADD_H_

#include "platform/base/attributes.h"

namespace softlbr::platform {

// Asks the CPU at the first call.
SOFTLBR_HANDLER_SAFE void LearnFusedMultiplyAdd();
// *c = a * b + *c. False, and *c is untouched: the CPU has no such instruction, or Learn has not been called. A NaN
// result is some NaN.
SOFTLBR_HANDLER_SAFE bool FusedMultiplyAdd(double a, double b, double* c);
SOFTLBR_HANDLER_SAFE bool FusedMultiplyAdd(float a, float b, float* c);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_FUSED_MULTIPLY_ADD_H_
