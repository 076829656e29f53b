// Algorithm 1 of the paper: from a sample, follow the program forward and record its taken branches.
//
// In the order of events:
//   1. OnSample turns the sampler off, unless it may stay on, opens a trace (both: open_trace.h) and takes a scratch
//   state.
//   2. The true state is loaded from the signal frame into the evaluator.
//   3. The block at the pc is found in the cache or lifted.
//   4. The block runs on the shadow context. A taken branch is recorded. Step 3 follows, at the next pc.
//   5. At an UNKNOWN value or a system call the breakpoint is armed (arming.h) and the handler returns with the trace
//      open. OnHit checks the hit, compares predicted and true state (verifier.h) and continues with step 2.
//   6. A trace that is full, or cannot continue for a reason in platform/base/reasons.def, is committed; the sampler
//   begins another period.
//
// Who calls: OnSample and OnHit, the SIGTRAP handler of the slot's thread, which owns the slot (SlotOwner::kHandler).
//   AbandonTrace: the control thread while it owns the slot (SlotOwner::kControl).
// Memory: the environment, the slot, a scratch state and a trace buffer, all in the session's region.
// Full: without a free buffer no trace is begun (no_free_buffer is counted); without a free scratch state the trace
// ends.
// Cost: a few ns for each instruction evaluated, 1 to 2 us of system calls for each sample, and a breakpoint hit for
//   each stop (10 us and more in a guest).
#ifndef SOFTLBR_RUNTIME_TRACE_TRACER_H_
#define SOFTLBR_RUNTIME_TRACE_TRACER_H_

#include "platform/base/attributes.h"
#include "platform/base/reasons.h"
#include "platform/trap_signal.h"
#include "runtime/threads/thread_slot.h"
#include "runtime/trace/sig_data.h"
#include "runtime/trace/trace_environment.h"

namespace softlbr {

SOFTLBR_HANDLER_SAFE void OnSample(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap);
SOFTLBR_HANDLER_SAFE void OnHit(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap);

// Disarms the slot's breakpoint, ends its open trace, if any, and enables its sampler again if resume_sampling (false
// when the thread has ended or the session stops).
SOFTLBR_HANDLER_SAFE void AbandonTrace(TraceEnvironment* environment, ThreadSlot* slot, AbortReason reason,
                                       bool resume_sampling);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_TRACER_H_
