// The thread's one breakpoint: where it may be armed, which hits count, and how the thread gets past it.
//
// In the order of events:
//   1. Look-ahead stops at a pc, because a value there is UNKNOWN or a system call follows. ArmAtStop checks that a
//      breakpoint may be armed there and arms it. The handler returns with the trace open.
//   2. In a loop the path executes that pc several times before it stops there. The thread will hit each time; the
//      slot's skip count says how many hits come before the one that counts.
//   3. If the thread is at that pc now, the instruction that it is about to execute must not hit: StepOver.
//   4. The thread runs natively and hits. CheckHit checks that the hit came at the expected pc and stack pointer.
//   5. While the skip count is not 0, a hit lowers it by 1 and the thread steps over the breakpoint, which stays armed.
//   6. The hit with a skip count of 0 brings the true state; the tracer continues from there.
//   7. Disarm ends the cycle with the trace: called by the handler, or by the control thread while it owns the slot.
//
// Stepping over. x86 has the RF flag: while it is set, an instruction runs without a hit. The kernel sets it when it
//   delivers a hit, and StepOver ensures that it is set. Other CPUs (SOFTLBR_CPU_HAS_RESUME_FLAG == 0) would hit again
//   at once, for ever. There the breakpoint is moved to the next instruction, step_pc, which the evaluator knows; the
//   hit there moves it back to armed_pc. Nothing of the program's state is written: a wrong next instruction would cost
//   the trace, not the program. Cost: one more hit for each step.
//
// Stalls. A thread that has blocked SIGTRAP traps each time it executes armed_pc although the kernel delivers nothing,
//   so it runs thousands of times slower than normal. IsStalled detects this: the kernel has counted more hits than
//   were handled. The control thread checks every kControlPeriodNs, disarms and calls SuspendBreakpoint; so does the
//   handler when the signal arrives late.
//
// Context: handler of the slot's thread, unless stated otherwise. Memory: ThreadSlot.
#ifndef SOFTLBR_RUNTIME_TRACE_ARMING_H_
#define SOFTLBR_RUNTIME_TRACE_ARMING_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/config.h"
#include "platform/base/reasons.h"
#include "runtime/lookahead/evaluator.h"
#include "runtime/threads/thread_slot.h"
#include "runtime/trace/trace_scope.h"

namespace softlbr {

// Arms the breakpoint at stop_pc, where the recorded path ends. On success returns kNone and sets scope.is_armed.
// Otherwise returns the reason, and the breakpoint is unchanged or off. With kCriticalSection, scope.critical_section
// is the one that holds stop_pc. Cost: one system call, about 2 us with the look-ups, and one step for each branch
// recorded since the last true state.
SOFTLBR_HANDLER_SAFE AbortReason ArmAtStop(TraceScope& scope, uint64_t stop_pc);

// The same for a path that stops at stop_pc in a critical section: arms at exit_pc, where the thread leaves the section
// (FindCriticalSectionExit).
SOFTLBR_HANDLER_SAFE AbortReason ArmAtExit(TraceScope& scope, uint64_t exit_pc, uint64_t stop_pc);

// The thread is at armed_pc: lets it execute the instruction there without a hit. False if that is not possible.
SOFTLBR_HANDLER_SAFE bool StepOver(TraceScope& scope);

// The pc after the thread has executed instruction `first` of the block, which is at pc; 0 if not known. `end`: result
// of running the block from there.
SOFTLBR_HANDLER_SAFE inline uint64_t PcAfterFirst(const BlockView& view, uint32_t first, uint64_t pc,
                                                  const BlockExit& end) {
  if (first + 1 < view.instruction_count) return pc + view.length[first];
  return end.outcome == BlockOutcome::kNext || end.outcome == BlockOutcome::kSystemCall ? end.next_pc : 0;
}

// True while the thread steps over armed_pc: the breakpoint is armed at step_pc.
SOFTLBR_HANDLER_SAFE inline bool IsStepping(const ThreadSlot& slot) {
  return SOFTLBR_CPU_HAS_RESUME_FLAG == 0 && slot.step_pc != 0;
}

// Checks a hit of the current arming, with the trace open: kNone if it is the expected one, else why the trace ends. If
// the hit ends a step (IsStepping), moves the breakpoint back to armed_pc.
SOFTLBR_HANDLER_SAFE AbortReason CheckHit(TraceScope& scope);

// Handler, or control while it owns the slot.
SOFTLBR_HANDLER_SAFE void Disarm(ThreadSlot* slot);

// True if the thread has executed armed_pc with SIGTRAP blocked. *hits: the kernel's count. A single unhandled hit
// proves nothing: its signal may still be on the way to a preempted thread. Handler and control.
SOFTLBR_HANDLER_SAFE inline bool IsStalled(const ThreadSlot& slot, uint64_t* hits) {
  // If the app has closed the descriptor, its number may now be a file of the app, and read() would consume from that.
  return platform::IsBreakpointOurs(slot.breakpoint) &&
         platform::CountBreakpointHits(slot.breakpoint, hits) == Status::kOk &&
         *hits > slot.handled_hits.load(std::memory_order_relaxed) + 1;
}

// The thread was stalled since the breakpoint was armed: arms none for kStallSuspendFactor times as long, so that
// stalls take at most 1 / kStallSuspendFactor of its time. Handler, or control while it owns the slot.
SOFTLBR_HANDLER_SAFE inline void SuspendBreakpoint(ThreadSlot* slot, uint64_t now_ticks) {
  const uint64_t armed_at = slot->arm_ticks.load(std::memory_order_relaxed);
  if (armed_at != 0 && armed_at < now_ticks)
    slot->suspended_until_ticks = now_ticks + (now_ticks - armed_at) * kStallSuspendFactor;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_ARMING_H_
