// Compares the state that look-ahead predicted for a pc with the true state of the thread when it hits there.
//
// Every hit is compared: one that comes from another frame, from another round of a loop or after a siglongjmp finds other
//   registers, and the trace ends there instead of joining two paths.
// Self-measured fidelity: one full trace in verify_every stays open until a hit at its predicted end (tracer.cc,
//   BeginVerification). That checks the path, for on a wrong one the thread does not come by or comes by with another state,
//   and the values.
// Writer and reader: the handler of the slot's thread. Memory: ThreadSlot::predicted, general registers and flags only.
#ifndef SOFTLBR_RUNTIME_TRACE_VERIFIER_H_
#define SOFTLBR_RUNTIME_TRACE_VERIFIER_H_

#include "platform/base/attributes.h"
#include "runtime/lookahead/evaluator.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

// Keeps the evaluator's present state as the prediction.
SOFTLBR_HANDLER_SAFE void KeepPrediction(Evaluator* evaluator, PredictedState* predicted);
// Predicts nothing: every state agrees.
SOFTLBR_HANDLER_SAFE void ForgetPrediction(PredictedState* predicted);
// True if every byte and flag predicted as known equals the evaluator's, which holds the true state.
SOFTLBR_HANDLER_SAFE bool IsPredictionTrue(const PredictedState& predicted, const Evaluator& evaluator);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_VERIFIER_H_
