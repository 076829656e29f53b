#include "tests/platform/trap_log.h"

#include "platform/breakpoint.h"
#include "platform/thread.h"
#include "platform/thread_list.h"
#include "tests/platform/trap_instruction.h"

namespace softlbr::platform::testing {

TrapLog g_log;

// `nop` and `ret` have the same names on every CPU.
__asm__(
    ".text\n"
    ".balign 64\n"
    ".globl softlbr_test_target_a\n"
    ".type softlbr_test_target_a,%function\n"
    "softlbr_test_target_a:\n  nop\n  ret\n"
    ".balign 64\n"
    ".globl softlbr_test_target_b\n"
    ".type softlbr_test_target_b,%function\n"
    "softlbr_test_target_b:\n  nop\n  ret\n");

bool LogTrap(const Trap& trap) {
  // A hit without its mark: the thread hits again.
  const bool is_at_target = trap.raised_pc == TargetA() || trap.raised_pc == TargetB();
  if (trap.kind == TrapKind::kUnmarked && is_at_target && trap.raised_by_program == RaisedByProgram::kNo) return true;
  const uint32_t index = g_log.count.fetch_add(1);
  if (index < TrapLog::kCapacity) {
    g_log.traps[index] = trap;
    g_log.tids[index] = CurrentThreadId();
  }
  if (const auto action = g_log.action.load()) action(trap);
  // Without a resume flag, returning to the armed pc would hit again forever, so this skips the target's nop.
  if (trap.kind == TrapKind::kBreakpoint && !trap.is_asynchronous && !kCanRearmAtHit)
    SetResumePc(trap.ucontext, trap.pc + 4);
  const bool is_foreign = trap.kind == TrapKind::kForeign || trap.kind == TrapKind::kUnmarked;
  return !is_foreign || g_log.takes_foreign.load();
}

void ResetTrapLog() {
  g_log.action.store(nullptr);
  g_log.takes_foreign.store(false);
  g_log.count.store(0);
}

bool WaitUntilGone(int32_t tid) {
  for (int i = 0; i < 5000 && IsThreadAlive(tid); ++i) SleepNs(1000000);
  return !IsThreadAlive(tid);
}

bool HasBreakpoints() {
  Breakpoint breakpoint;
  if (OpenBreakpoint(CurrentThreadId(), &breakpoint) != Status::kOk) return false;
  CloseBreakpoint(&breakpoint);
  return true;
}

void BurnCpu(uint64_t ns) {
  const uint64_t end = ThreadCpuTimeNs(0) + ns;
  volatile uint64_t work = 0;
  while (ThreadCpuTimeNs(0) < end) {
    for (int i = 0; i < 20000; ++i) work = work + 1;
  }
}

}  // namespace softlbr::platform::testing
