// A handler does not run with the program's floating-point control, and the program's next handler does.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>

#include "tests/platform/trap_instruction.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

constexpr uint64_t kFlushAndRoundUp = 1u << 24 | 1u << 22;
uint64_t g_control_in_handler;

uint64_t Control() {
  uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
void SetControl(uint64_t control) { asm volatile("msr fpcr, %0" ::"r"(control)); }

void NoteControl(const Trap& trap) {
  g_control_in_handler = Control();
  SkipTrapInstruction(trap.ucontext);
}
void NoteControlOfApp(int, siginfo_t*, void* context) {
  g_control_in_handler = Control();
  SkipTrapInstruction(context);
}

class TrapSignalCpuState : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetTrapLog();
    g_control_in_handler = ~uint64_t{0};
    sigaction(SIGTRAP, nullptr, &before_);
  }
  void TearDown() override {
    SetControl(0);
    RestoreTrapHandler();
    sigaction(SIGTRAP, &before_, nullptr);
  }
  struct sigaction before_;
};

TEST_F(TrapSignalCpuState, HandlerComputesWithDefaultFloatingPointControl) {
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  g_log.takes_foreign = true;
  g_log.action = NoteControl;
  SetControl(kFlushAndRoundUp);
  ExecuteTrapInstruction();
  EXPECT_EQ(Control(), kFlushAndRoundUp) << "the program's own control comes back";
  EXPECT_EQ(g_control_in_handler, 0u);
}

TEST_F(TrapSignalCpuState, NextHandlerGetsTheProgramsFloatingPointControl) {
  struct sigaction action = {};
  action.sa_sigaction = NoteControlOfApp;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, nullptr), 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  SetControl(kFlushAndRoundUp);
  ExecuteTrapInstruction();
  EXPECT_EQ(Control(), kFlushAndRoundUp);
  EXPECT_EQ(g_control_in_handler, kFlushAndRoundUp) << "as the kernel delivers it";
}

}  // namespace
}  // namespace softlbr::platform::testing
