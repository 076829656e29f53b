// Going off a breakpoint where the CPU has no way to run the instruction under it (SOFTLBR_CPU_HAS_RESUME_FLAG == 0).
//
// Why: without x86's RF flag a thread that resumes at its own armed breakpoint hits again at once, for ever. So the breakpoint
//   is armed at the instruction that comes next, which the evaluator tells, and put back to its place by that hit. Nothing of
//   the program's state is written: a wrong next instruction would cost the trace, not the program.
// Context: handler of the slot's own thread. Cost: one more hit for each time round.
#ifndef SOFTLBR_RUNTIME_TRACE_STEP_OVER_H_
#define SOFTLBR_RUNTIME_TRACE_STEP_OVER_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/reasons.h"
#include "runtime/lookahead/evaluator.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

// Where the thread is after instruction `first` of the block, which stands at pc; `exit` is what running from there gave.
// 0: not known.
SOFTLBR_HANDLER_SAFE inline uint64_t PcAfterFirst(const BlockView& view, uint32_t first, uint64_t pc, const BlockExit& exit) {
  if (first + 1 < view.instruction_count) return pc + view.length[first];
  return exit.outcome == BlockOutcome::kNext || exit.outcome == BlockOutcome::kSystemCall ? exit.next_pc : 0;
}

// The thread stands at armed_pc, with stack pointer sp: arms at next_pc instead. False (state as it was) if that cannot be.
SOFTLBR_HANDLER_SAFE bool BeginStep(ThreadSlot* slot, uint64_t sp, uint64_t next_pc, uint64_t sig_data);

// A hit while step_pc was armed: arms at armed_pc again. kNone, or why the trace ends.
SOFTLBR_HANDLER_SAFE AbortReason EndStep(ThreadSlot* slot, uint64_t pc, uint64_t sp, uint64_t sig_data);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_STEP_OVER_H_
