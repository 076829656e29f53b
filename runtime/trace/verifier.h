// Compares the state that look-ahead predicted for a pc with the true state of the thread when it hits there.
//
// At every hit: if the thread came from another frame, another iteration of a loop or a siglongjmp, its registers
//   differ and the trace ends there, instead of joining two paths.
// Verification: one full trace in verify_every stays open until a hit at its predicted end (tracer.cc,
//   BeginVerification). This checks values and path: if the predicted path is wrong, the thread does not reach that pc,
//   or reaches it with another state.
// Writer and reader: the handler of the slot's thread. Memory: ThreadSlot::predicted, general registers and flags only.
#ifndef SOFTLBR_RUNTIME_TRACE_VERIFIER_H_
#define SOFTLBR_RUNTIME_TRACE_VERIFIER_H_

#include "platform/base/attributes.h"
#include "runtime/lookahead/evaluator.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

// Stores the evaluator's state as the prediction.
SOFTLBR_HANDLER_SAFE void KeepPrediction(Evaluator* evaluator, PredictedState* predicted);
// Clears the prediction: every state then agrees with it.
SOFTLBR_HANDLER_SAFE void ForgetPrediction(PredictedState* predicted);
// True if every byte and flag predicted as known equals the evaluator's, which holds the true state.
SOFTLBR_HANDLER_SAFE bool IsPredictionTrue(const PredictedState& predicted, const Evaluator& evaluator);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_VERIFIER_H_
