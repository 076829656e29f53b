// Which traps the program raises itself: int3, icebp, stepping by EFLAGS.TF.
#include <gtest/gtest.h>
#include <signal.h>

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

// Its byte also ends other instructions: only the path tells.
TEST_F(TrapOrigin, IcebpMayBeTheProgramsOwn) {
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
