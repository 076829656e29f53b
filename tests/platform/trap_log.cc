#include "tests/platform/trap_log.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

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
  if (trap.kind == TrapKind::kBreakpoint && !trap.is_asynchronous && !kCanRearmAtHit) SetResumePc(trap.ucontext, trap.pc + 4);
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

// By the kernel's own count of the hits, without anything of ours that the tests are about.
bool HasBreakpointHits() {
  static const bool has_them = [] {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_BREAKPOINT;
    attributes.size = sizeof attributes;
    attributes.bp_type = HW_BREAKPOINT_X;
    attributes.bp_addr = TargetA();
#ifdef __aarch64__
    attributes.bp_len = HW_BREAKPOINT_LEN_4;
#else
    attributes.bp_len = sizeof(long);
#endif
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return false;
    softlbr_test_target_a();
    uint64_t hits = 0;
    const bool is_counted = read(static_cast<int>(fd), &hits, sizeof hits) == sizeof hits;
    close(static_cast<int>(fd));
    return is_counted && hits == 1;
  }();
  return has_them;
}

void BurnCpu(uint64_t ns) {
  const uint64_t end = ThreadCpuTimeNs(0) + ns;
  volatile uint64_t work = 0;
  while (ThreadCpuTimeNs(0) < end) {
    for (int i = 0; i < 20000; ++i) work = work + 1;
  }
}

}  // namespace softlbr::platform::testing
