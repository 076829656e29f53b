// A breakpoint armed in a handler at the instruction where the thread resumes.
#include <gtest/gtest.h>

#include "platform/breakpoint.h"
#include "platform/cpu_context.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"
#include "tests/platform/breakpoint_hits.h"
#include "tests/platform/trap_log.h"
#include "tests/platform/x86_64/state_trap_x86_64.h"

namespace softlbr::platform::testing {
namespace {

Breakpoint g_breakpoint;
bool g_passes_once = false;

// At the int3 only: arms the breakpoint where the thread resumes.
void ArmWhereItResumes(const Trap& trap) {
  if (trap.kind != TrapKind::kUnmarked) return;
  if (ArmBreakpoint(&g_breakpoint, trap.pc, 9) != Status::kOk) return;
  if (g_passes_once) PassBreakpointOnce(trap.ucontext);
}

class BreakpointResume : public ::testing::Test {
 protected:
  void SetUp() override {
    SOFTLBR_NEEDS_BREAKPOINT_HITS();
    ResetTrapLog();
    g_log.takes_foreign.store(true);
    g_log.action.store(ArmWhereItResumes);
    ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
    ASSERT_EQ(OpenBreakpoint(CurrentThreadId(), &g_breakpoint), Status::kOk);
  }
  void TearDown() override {
    if (g_breakpoint.fd >= 0) CloseBreakpoint(&g_breakpoint);
    RestoreTrapHandler();
  }
  void RunTwice() {
    TrapState state = {};
    state.eflags = 0x202;
    state.mxcsr = 0x1f80;
    softlbr_test_state_trap(&state);
    softlbr_test_state_trap(&state);
  }
};

TEST_F(BreakpointResume, HitsAtOnceWithoutPassBreakpointOnce) {
  g_passes_once = false;
  RunTwice();
  ASSERT_EQ(g_log.count.load(), 4u);  // int3, hit, int3, hit
  EXPECT_EQ(g_log.traps[1].kind, TrapKind::kBreakpoint);
  EXPECT_EQ(g_log.traps[1].pc, reinterpret_cast<uint64_t>(softlbr_test_state_trap_pc));
}

TEST_F(BreakpointResume, PassesOnceThenHits) {
  g_passes_once = true;
  TrapState state = {};
  state.eflags = 0x202;
  state.mxcsr = 0x1f80;
  softlbr_test_state_trap(&state);
  EXPECT_EQ(g_log.count.load(), 1u) << "the int3 only";
  g_passes_once = false;
  softlbr_test_state_trap(&state);
  EXPECT_EQ(g_log.count.load(), 3u) << "int3, then the hit";
  uint64_t hits = 0;
  ASSERT_EQ(CountBreakpointHits(g_breakpoint, &hits), Status::kOk);
  EXPECT_EQ(hits, 1u);
}

}  // namespace
}  // namespace softlbr::platform::testing
