#include "runtime/trace/arming.h"

#include "platform/cpu_context.h"
#include "runtime/trace/restartable.h"
#include "runtime/trace/sig_data.h"
#include "runtime/trace/verifier.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

// How often the thread executes `pc` between the last true state and the hit that counts, at stop_pc. The path is a
// list of fall-through ranges, each from one branch's target to the next branch. *last_begin: where the last range
// begins, which ends at stop_pc. At most kMaxBranchesPerTrace + 1 steps.
uint32_t CountSkips(const ThreadSlot& slot, uint64_t pc, uint64_t stop_pc, uint64_t* last_begin) {
  const TraceBuffer::Entry* entries = slot.buffer->entries + slot.buffer->used + 1;
  uint32_t count = 0;
  uint64_t begin = slot.segment_pc;
  for (uint32_t i = slot.segment_branch;; ++i) {
    const bool is_last = i == slot.buffer->open_count;
    // The last range ends before stop_pc, which is not executed yet.
    const uint64_t last_pc = is_last ? stop_pc - 1 : entries[i].branch.from;
    // The thread is at segment_pc: its execution there does not hit (StepOver).
    const bool is_passed = i == slot.segment_branch && pc == begin;
    if (pc >= begin && pc <= last_pc && !is_passed) ++count;
    if (is_last) {
      *last_begin = begin;
      return count;
    }
    begin = entries[i].branch.to;
  }
}

// kNone if the breakpoint may be armed at pc now.
AbortReason CheckArming(TraceScope& scope, uint64_t pc) {
  const ThreadSlot& slot = scope.slot;
  TraceEnvironment& environment = scope.environment;
  if (slot.breakpoint.fd < 0) return AbortReason::kNoBreakpoint;
  if (environment.sampling_disabled.load(std::memory_order_relaxed) != 0) return AbortReason::kNoBreakpoint;
  if (platform::Ticks() < slot.suspended_until_ticks) return AbortReason::kTrapBlocked;
  if (slot.trace_hits >= kMaxTraceHits) return AbortReason::kRunaway;
  if (platform::DoesFrameBlockTraps(scope.trap.ucontext)) return AbortReason::kTrapBlocked;
  if (IsOwnCode(environment, pc)) return AbortReason::kForbiddenPc;
  if (!platform::IsTrapHandlerInstalled()) {
    environment.sampling_disabled.fetch_or(kDisabledHandlerReplaced, std::memory_order_relaxed);
    return AbortReason::kHandlerReplaced;
  }
  return AbortReason::kNone;
}

bool IsInCriticalSection(TraceScope& scope, uint64_t pc) {
  const CodeMap* map = scope.environment.code_map.load(std::memory_order_acquire);
  return FindCriticalSection(*map, scope.environment.learned, scope.scratch, pc, &scope.critical_section);
}

// Moves the breakpoint to pc, with a new generation.
Status MoveBreakpoint(ThreadSlot* slot, uint64_t pc) {
  ++slot->arm_generation;
  return platform::ArmBreakpoint(&slot->breakpoint, pc, MakeSigData(slot->index, slot->arm_generation));
}

// An instruction moves the stack pointer by less than this, a signal frame by more. So a hit in another frame does not
// end the step.
constexpr uint64_t kOneFrameBytes = 2048;

// No breakpoint may be armed after a load-exclusive, so the instruction that is stepped over must not be one.
[[maybe_unused]] bool OpensExclusive(TraceScope& scope) {
  constexpr uint32_t kOneInstruction = 4;
  softlbr_block* one = &scope.scratch->block;
  const auto* code = reinterpret_cast<const uint8_t*>(scope.trap.pc);
  return scope.environment.plugin->lift(scope.environment.decoder, code, kOneInstruction, scope.trap.pc, one) !=
             SOFTLBR_DECODER_OK ||
         (one->end.flags & SOFTLBR_END_FLAG_EXCLUSIVE_OPEN) != 0;
}

// Ends a step: if the hit is the one at step_pc, moves the breakpoint back to armed_pc. kNone, or why the trace ends.
[[maybe_unused]] AbortReason EndStep(TraceScope& scope) {
  ThreadSlot* slot = &scope.slot;
  if (scope.trap.pc != slot->step_pc) return AbortReason::kPcMismatch;
  if (scope.trap.sp - slot->step_sp + kOneFrameBytes >= 2 * kOneFrameBytes) return AbortReason::kStackMismatch;
  slot->step_pc = 0;
  return MoveBreakpoint(slot, slot->armed_pc) == Status::kOk ? AbortReason::kNone : AbortReason::kBreakpointFailed;
}

}  // namespace

AbortReason ArmAtStop(TraceScope& scope, uint64_t stop_pc) {
  if (IsInCriticalSection(scope, stop_pc)) return AbortReason::kCriticalSection;
  return ArmAtExit(scope, stop_pc, stop_pc);
}

AbortReason ArmAtExit(TraceScope& scope, uint64_t exit_pc, uint64_t stop_pc) {
  const ScopedTimer timer(&scope.watch.arming);
  const AbortReason reason = CheckArming(scope, exit_pc);
  if (reason != AbortReason::kNone) return reason;
  ThreadSlot* slot = &scope.slot;
  uint64_t last_begin = 0;
  slot->skip_count = CountSkips(*slot, exit_pc, stop_pc, &last_begin);
  if (slot->skip_count > kMaxSkips) return AbortReason::kRunaway;
  Evaluator* evaluator = &scope.scratch->evaluator;
  const uint16_t sp_slot = scope.environment.plugin->stack_pointer_slot;
  slot->is_sp_expected = evaluator->context.known[sp_slot] == kAllKnown;
  slot->expected_sp = evaluator->context.regs[sp_slot];
  slot->armed_pc = exit_pc;
  slot->is_armed_inside = exit_pc == stop_pc && last_begin < stop_pc;
  if (scope.environment.resolve == ResolvePolicy::kLookahead) KeepPrediction(evaluator, &slot->predicted);
  slot->arm_ticks.store(platform::Ticks() | 1, std::memory_order_relaxed);
  if (MoveBreakpoint(slot, exit_pc) != Status::kOk) {
    slot->arm_ticks.store(0, std::memory_order_relaxed);
    return AbortReason::kBreakpointFailed;
  }
  scope.is_armed = true;
  std::atomic<uint32_t>& is_resting = scope.environment.is_control_resting;
  if (is_resting.load(std::memory_order_relaxed) != 0) {
    is_resting.store(0, std::memory_order_relaxed);
    WakeControlThread(&scope.environment);
  }
  return AbortReason::kNone;
}

bool StepOver(TraceScope& scope) {
  if constexpr (SOFTLBR_CPU_HAS_RESUME_FLAG != 0) return platform::PassBreakpointOnce(scope.trap.ucontext);
  ThreadSlot* slot = &scope.slot;
  const uint64_t next_pc = scope.second_pc;
  if (next_pc == 0 || next_pc == slot->armed_pc) return false;  // a jump to itself has no next instruction
  if (slot->trace_hits >= kMaxTraceHits || OpensExclusive(scope)) return false;
  scope.scratch->evaluator.exclusive_left = 0;  // the hit itself has closed an exclusive region opened earlier
  if (IsInCriticalSection(scope, next_pc) || MoveBreakpoint(slot, next_pc) != Status::kOk) return false;
  slot->step_pc = next_pc;
  slot->step_sp = scope.trap.sp;
  return true;
}

AbortReason CheckHit(TraceScope& scope) {
  ThreadSlot* slot = &scope.slot;
  const platform::Trap& trap = scope.trap;
  if (trap.is_asynchronous) {  // delivered late: the thread has executed other code since
    uint64_t hits = 0;
    if (IsStalled(*slot, &hits)) {
      SuspendBreakpoint(slot, scope.watch.begin);
      slot->handled_hits.store(hits, std::memory_order_relaxed);
    }
    return AbortReason::kAsynchronousHit;
  }
  if constexpr (SOFTLBR_CPU_HAS_RESUME_FLAG == 0) {
    if (IsStepping(*slot)) return EndStep(scope);
  }
  if (trap.pc != slot->armed_pc) {
    const bool is_abort = LearnFromAbort(&scope.environment.learned, slot->armed_pc, trap.pc);
    return is_abort ? AbortReason::kCriticalSection : AbortReason::kPcMismatch;
  }
  if (slot->skip_count == 0 && slot->is_sp_expected && trap.sp != slot->expected_sp) return AbortReason::kStackMismatch;
  return AbortReason::kNone;
}

void Disarm(ThreadSlot* slot) {
  slot->step_pc = 0;
  if (slot->breakpoint.is_armed && platform::DisarmBreakpoint(&slot->breakpoint) != Status::kOk) {
    slot->requests.fetch_or(kEndTraceForMe, std::memory_order_relaxed);
    return;  // arm_ticks stays set, so the control thread goes on trying
  }
  slot->arm_ticks.store(0, std::memory_order_relaxed);
}

}  // namespace softlbr
