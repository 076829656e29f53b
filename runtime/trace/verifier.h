// Is the state that look-ahead predicted for a place the true one?
//
// Every hit is held against it: one that comes from another frame, another round of a loop or behind a siglongjmp has other
// registers, and the trace ends there instead of joining two paths.
// Self-measured fidelity: one full trace in verify_every is not closed at once; the breakpoint is armed at its end. Both the
// path (a wrong one does not come by, or comes by otherwise) and the values are checked by it.
// The place may lie on the path itself, in a loop: CountSkips says how many hits must be let through first.
// Context: handler. Memory: ThreadSlot::predicted.
#ifndef SOFTLBR_RUNTIME_TRACE_VERIFIER_H_
#define SOFTLBR_RUNTIME_TRACE_VERIFIER_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

// How often the recorded path passes end_pc after the true state was last known, its arrival at the end not counted.
// At most kMaxBranchesPerTrace steps.
SOFTLBR_HANDLER_SAFE uint32_t CountSkips(const ThreadSlot& slot, uint64_t end_pc);
// Keeps what the evaluator holds now.
SOFTLBR_HANDLER_SAFE void KeepPrediction(ThreadSlot* slot);
// Claims nothing of the state at the next hit.
SOFTLBR_HANDLER_SAFE void ForgetPrediction(ThreadSlot* slot);
// True if every byte and flag that was predicted known equals the evaluator's context, which holds the true state.
SOFTLBR_HANDLER_SAFE bool IsPredictionTrue(const ThreadSlot& slot);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_VERIFIER_H_
