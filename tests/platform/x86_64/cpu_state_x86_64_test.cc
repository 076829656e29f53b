// A handler does not run with the program's alignment checks, and the program's next handler does.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>

#include "platform/cpu_context.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

constexpr uint64_t kAlignmentCheck = 1u << 18;
uint64_t g_flags_in_handler;
uint64_t g_word[2] = {0x8877665544332211, 0x99};
uint64_t g_unaligned;

uint64_t Flags() { return __builtin_ia32_readeflags_u64(); }

void NoteFlags(const Trap&) {
  g_flags_in_handler = Flags();
  if ((g_flags_in_handler & kAlignmentCheck) != 0) return;
  asm volatile("movq 1+%1, %0" : "=r"(g_unaligned) : "m"(g_word));
}
void NoteFlagsOfApp(int) { g_flags_in_handler = Flags(); }

// Traps while alignment is checked. Result: the flags afterwards. One statement, because the compiler's own code, too,
// may read unaligned words.
uint64_t TrapWithAlignmentChecks() {
  uint64_t flags = 0;
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n"  // not into the red zone
      "pushfq\n orl %1, (%%rsp)\n popfq\n"
      "int3\n"
      "pushfq\n popq %0\n"
      "pushfq\n andl %2, (%%rsp)\n popfq\n"
      "leaq 128(%%rsp), %%rsp"
      : "=&r"(flags)
      : "i"(kAlignmentCheck), "i"(~static_cast<uint32_t>(kAlignmentCheck))
      : "memory", "cc");
  return flags;
}

class TrapSignalCpuState : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetTrapLog();
    g_flags_in_handler = ~uint64_t{0};
    g_unaligned = 0;
    sigaction(SIGTRAP, nullptr, &before_);
  }
  void TearDown() override {
    RestoreTrapHandler();
    sigaction(SIGTRAP, &before_, nullptr);
  }
  struct sigaction before_;
};

TEST_F(TrapSignalCpuState, HandlerReadsUnalignedWordsOfAProgramThatChecksAlignment) {
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  g_log.takes_foreign = true;
  g_log.action = NoteFlags;
  EXPECT_NE(TrapWithAlignmentChecks() & kAlignmentCheck, 0u) << "the program's own flags come back";
  EXPECT_EQ(g_flags_in_handler & kAlignmentCheck, 0u);
  EXPECT_EQ(g_unaligned, 0x9988776655443322u);
}

TEST_F(TrapSignalCpuState, NextHandlerGetsTheProgramsAlignmentChecks) {
  struct sigaction action = {};
  action.sa_handler = NoteFlagsOfApp;
  ASSERT_EQ(sigaction(SIGTRAP, &action, nullptr), 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  EXPECT_NE(TrapWithAlignmentChecks() & kAlignmentCheck, 0u);
  EXPECT_NE(g_flags_in_handler & kAlignmentCheck, 0u) << "as the kernel delivers it";
}

}  // namespace
}  // namespace softlbr::platform::testing
