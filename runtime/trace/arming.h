// The thread's one breakpoint: where it may be armed, which hits count, and how the thread gets past it.
//
// In the order of events:
//   1. Look-ahead stops at a pc, because a value there is UNKNOWN or the kernel takes over. ArmAtStop checks that a breakpoint
//      may be armed there and arms it. The handler returns with the trace open.
//   2. Often the path itself comes by that pc before it stops there: the thread starts behind, in a loop. The slot's skip count
//      says how many hits belong to those rounds.
//   3. If look-ahead came round to the very pc where the thread stands, its execution there comes first and must not hit:
//      StepOver lets it pass.
//   4. The thread runs natively and hits. CheckHit tells whether the hit belongs to this arming and this place.
//   5. While the skip count is not 0 a hit lowers it and the thread steps over the breakpoint, which stays armed.
//   6. The hit with a skip count of 0 brings the true state; the tracer goes on from there.
//   7. Disarm, when the trace ends: by the handler, or by the control thread while it owns the slot.
//
// Stepping over. x86 has the RF flag: the instruction under the breakpoint runs without a hit, and where a hit has just been
//   delivered the kernel has set it. CPUs without such a flag (SOFTLBR_CPU_HAS_RESUME_FLAG == 0) would hit again at once, for
//   ever. There the breakpoint is armed at the next instruction instead, which the evaluator tells, and put back to armed_pc by
//   the hit at step_pc. Nothing of the program's state is written: a wrong next instruction would cost the trace, not the
//   program. Cost: one more hit for each step.
//
// Stalls. A thread that blocks SIGTRAP traps at every pass of its breakpoint, the kernel delivers nothing, and the thread runs a
//   thousand times slower. IsStalled notices it: the kernel has counted more hits than were handled. The control thread looks
//   every kControlPeriodNs, disarms and calls SuspendBreakpoint; so does the handler, when the signal arrives late.
//
// Context: handler of the slot's thread, where nothing else is said. Memory: ThreadSlot.
#ifndef SOFTLBR_RUNTIME_TRACE_ARMING_H_
#define SOFTLBR_RUNTIME_TRACE_ARMING_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/reasons.h"
#include "platform/config.h"
#include "runtime/lookahead/evaluator.h"
#include "runtime/threads/thread_slot.h"
#include "runtime/trace/trace_scope.h"

namespace softlbr {

// Arms the breakpoint at stop_pc, where the recorded path ends. kNone: scope.is_armed. Else why not, and the breakpoint is as it
// was or off; with kRestartable scope.critical_section is what stop_pc lies in.
// Cost: one system call, about 2 us with the look-ups, and one step for each branch recorded since the last true state.
SOFTLBR_HANDLER_SAFE AbortReason ArmAtStop(TraceScope& scope, uint64_t stop_pc);

// The same for a path that is lost at stop_pc: arms at exit_pc, where the thread leaves the critical section around it. The
// caller has made sure that exit_pc lies in none.
SOFTLBR_HANDLER_SAFE AbortReason ArmAtExit(TraceScope& scope, uint64_t exit_pc, uint64_t stop_pc);

// The thread stands at armed_pc: lets it execute the instruction there without a hit. False if it would hit.
SOFTLBR_HANDLER_SAFE bool StepOver(TraceScope& scope);

// Where the thread is after instruction `first` of the block, which is at pc. `end`: what running the block from there gave.
// 0: not known.
SOFTLBR_HANDLER_SAFE inline uint64_t PcAfterFirst(const BlockView& view, uint32_t first, uint64_t pc, const BlockExit& end) {
  if (first + 1 < view.instruction_count) return pc + view.length[first];
  return end.outcome == BlockOutcome::kNext || end.outcome == BlockOutcome::kSystemCall ? end.next_pc : 0;
}

// The breakpoint is armed at step_pc for the moment, to get the thread off armed_pc.
SOFTLBR_HANDLER_SAFE inline bool IsStepping(const ThreadSlot& slot) {
  return SOFTLBR_CPU_HAS_RESUME_FLAG == 0 && slot.step_pc != 0;
}

// Does the hit, of the current arming of an open trace, come where and how it was expected? kNone, or why the trace ends. A hit
// that ended a step has put the breakpoint back to armed_pc.
SOFTLBR_HANDLER_SAFE AbortReason CheckHit(TraceScope& scope);

// Handler, or control while it owns the slot.
SOFTLBR_HANDLER_SAFE void Disarm(ThreadSlot* slot);

// True if the thread has passed its breakpoint with SIGTRAP blocked. *hits: counted by the kernel. One hit more than handled is
// no sign of that: its signal may be on the way to a thread that has been preempted. Handler and control.
SOFTLBR_HANDLER_SAFE inline bool IsStalled(const ThreadSlot& slot, uint64_t* hits) {
  // If the app has closed the descriptor, its number may be a file of the app's by now, and read() would take from that.
  return platform::IsBreakpointOurs(slot.breakpoint) && platform::CountBreakpointHits(slot.breakpoint, hits) == Status::kOk &&
         *hits > slot.handled_hits.load(std::memory_order_relaxed) + 1;
}

// The thread was stalled since the breakpoint was armed. It gets none for kStallSuspendFactor times that time, so that stalls
// cost it 1 / kStallSuspendFactor of its time at most. Handler, or control while it owns the slot.
SOFTLBR_HANDLER_SAFE inline void SuspendBreakpoint(ThreadSlot* slot, uint64_t now_ticks) {
  const uint64_t armed_at = slot->arm_ticks.load(std::memory_order_relaxed);
  if (armed_at != 0 && armed_at < now_ticks) slot->suspended_until_ticks = now_ticks + (now_ticks - armed_at) * kStallSuspendFactor;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_ARMING_H_
