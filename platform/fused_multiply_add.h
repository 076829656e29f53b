// a * b + c with one rounding, by the CPU's instruction: the compiler's builtin would call libm where not every CPU has one.
//
// Who calls: the evaluator. Rounds as the thread's control register says: in our handler, to nearest even.
// Context: Learn is control, or a handler once a session has started, when it only looks at its answer; the rest is handler-safe.
#ifndef SOFTLBR_PLATFORM_FUSED_MULTIPLY_ADD_H_
#define SOFTLBR_PLATFORM_FUSED_MULTIPLY_ADD_H_

#include "platform/base/attributes.h"

namespace softlbr::platform {

// Asks the CPU, the first time it is called.
SOFTLBR_HANDLER_SAFE void LearnFusedMultiplyAdd();
// *c = a * b + *c. False, and *c is untouched: the CPU has no such instruction, or Learn has not been called. A NaN result is some NaN.
SOFTLBR_HANDLER_SAFE bool FusedMultiplyAdd(double a, double b, double* c);
SOFTLBR_HANDLER_SAFE bool FusedMultiplyAdd(float a, float b, float* c);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_FUSED_MULTIPLY_ADD_H_
