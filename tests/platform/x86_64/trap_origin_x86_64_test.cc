// Which traps the program raises itself: int3, icebp, stepping by EFLAGS.TF.
#include <gtest/gtest.h>
#include <signal.h>
#include <ucontext.h>

#include "platform/trap_signal.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

class TrapOrigin : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetTrapLog();
    g_log.takes_foreign = true;
    ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  }
  void TearDown() override { RestoreTrapHandler(); }
};

TEST_F(TrapOrigin, TrapInstructionsAreTheProgramsOwn) {
  __asm__ volatile("int3" ::: "memory");
  __asm__ volatile(".byte 0xcd, 3" ::: "memory");  // the long form of int3
  ASSERT_EQ(g_log.count, 2u);
  EXPECT_EQ(g_log.traps[0].raised_by_program, RaisedByProgram::kYes);
  EXPECT_EQ(g_log.traps[1].raised_by_program, RaisedByProgram::kYes);
}

// Some virtual machines raise the trap of icebp before the instruction, which a program would then execute again and
// again.
bool g_is_icebp_raised_before = false;
void SkipIcebp(int, siginfo_t*, void* context) {
  greg_t* pc = &static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  g_is_icebp_raised_before = *reinterpret_cast<const uint8_t*>(*pc) == 0xf1;
  if (g_is_icebp_raised_before) ++*pc;
}

bool IsIcebpRaisedBehind() {
  struct sigaction probe {};
  struct sigaction previous {};
  probe.sa_sigaction = SkipIcebp;
  probe.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &probe, &previous);
  __asm__ volatile(".byte 0xf1" ::: "memory");
  sigaction(SIGTRAP, &previous, nullptr);
  return !g_is_icebp_raised_before;
}

// Its byte also ends other instructions: only the path tells.
TEST_F(TrapOrigin, IcebpMayBeTheProgramsOwn) {
  if (!IsIcebpRaisedBehind()) GTEST_SKIP() << "missing: a machine that raises the trap of icebp behind it";
  uint64_t behind = 0;
  __asm__ volatile("lea 1f(%%rip), %0\n.byte 0xf1\n1:" : "=r"(behind)::"memory");
  ASSERT_EQ(g_log.count, 1u);
  EXPECT_EQ(g_log.traps[0].kind, TrapKind::kUnmarked);
  EXPECT_EQ(g_log.traps[0].raised_by_program, RaisedByProgram::kPerhaps);
  EXPECT_EQ(g_log.traps[0].raised_pc, behind);
}

// The last step comes after the popf that clears the flag.
TEST_F(TrapOrigin, EachStepIsTheProgramsOwn) {
  __asm__ volatile(
      "sub $128, %%rsp\n"
      "pushf\n pushf\n orl $0x100, (%%rsp)\n popf\n"
      "nop\n nop\n"
      "popf\n"
      "nop\n"
      "add $128, %%rsp\n" ::
          : "memory", "cc");
  ASSERT_EQ(g_log.count, 3u);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(g_log.traps[i].raised_by_program, RaisedByProgram::kYes) << i;
}

}  // namespace
}  // namespace softlbr::platform::testing
