#include "runtime/trace/step_over.h"

#include "platform/config.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {

#if !SOFTLBR_CPU_HAS_RESUME_FLAG

namespace {

// An instruction moves the stack pointer by less, a signal's frame by more: another frame is not the step that was waited for.
constexpr uint64_t kOneFrameBytes = 2048;

}  // namespace

bool BeginStep(ThreadSlot* slot, uint64_t sp, uint64_t next_pc, uint64_t sig_data) {
  if (next_pc == 0 || next_pc == slot->armed_pc) return false;  // a jump to itself has no next instruction
  if (slot->trace_hits >= kMaxTraceHits) return false;
  if (platform::ArmBreakpoint(&slot->breakpoint, next_pc, sig_data) != Status::kOk) return false;
  ++slot->arm_generation;
  slot->step_pc = next_pc;
  slot->step_sp = sp;
  return true;
}

AbortReason EndStep(ThreadSlot* slot, uint64_t pc, uint64_t sp, uint64_t sig_data) {
  if (pc != slot->step_pc) return AbortReason::kPcMismatch;
  if (sp - slot->step_sp + kOneFrameBytes >= 2 * kOneFrameBytes) return AbortReason::kStackMismatch;
  slot->step_pc = 0;
  ++slot->arm_generation;
  return platform::ArmBreakpoint(&slot->breakpoint, slot->armed_pc, sig_data) == Status::kOk ? AbortReason::kNone
                                                                                             : AbortReason::kBreakpointFailed;
}

#endif

}  // namespace softlbr
