// State of the CPU that a program may change for itself, and that our handlers meet.
#include <sys/prctl.h>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

class SessionCpuState : public SessionTest {
 protected:
  // Works until 100 samples were taken, or in vain; the number of samples.
  template <typename Function>
  static uint64_t SamplesWhile(Function work) {
    const uint64_t before = Counters().samples;
    uint64_t taken = 0;
    for (int i = 0; i < 1000 && taken < 100; ++i) {
      work();
      taken = Counters().samples - before;
    }
    return taken;
  }
};

#if defined(__x86_64__)
// Nothing but Work runs meanwhile, which accesses no memory but its aligned stack: libc may read unaligned words.
void WorkWithAlignmentChecks() {
  constexpr uint64_t kAlignmentCheck = 1u << 18;
  const uint64_t flags = __builtin_ia32_readeflags_u64();
  __builtin_ia32_writeeflags_u64(flags | kAlignmentCheck);
  (void)Work(500000);
  __builtin_ia32_writeeflags_u64(flags);
}

TEST_F(SessionCpuState, ThreadThatChecksAlignmentIsSampled) {
  START_OR_SKIP();
  EXPECT_GE(SamplesWhile(WorkWithAlignmentChecks), 100u);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GT(SumOfBranches(Read()), 1000u);
}
#endif

// From now on, reading the tick counter raises SIGSEGV in this thread. Work does not read it.
bool ForbidTickCounter() { return prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0; }
int TickCounterMode() {
  int mode = 0;
  EXPECT_EQ(prctl(PR_GET_TSC, &mode), 0);
  return mode;
}

TEST_F(SessionCpuState, ThreadThatForbidsTheTickCounterIsSampled) {
  START_OR_SKIP();
  if (!ForbidTickCounter()) GTEST_SKIP() << "needs PR_SET_TSC";
  const uint64_t before = Counters().samples;
  (void)Work(20000000);
  const uint64_t samples = Counters().samples - before;
  const int mode = TickCounterMode();
  (void)prctl(PR_SET_TSC, PR_TSC_ENABLE);  // gtest reads the clock
  EXPECT_EQ(mode, PR_TSC_SIGSEGV) << "the thread's own setting is back after each handler";
  EXPECT_GT(samples, 100u);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_GT(SumOfBranches(profile), 1000u);
  EXPECT_GT(profile.counters.overhead_evaluating_ns, 0u) << "the handlers have read it all the same";
}

TEST_F(SessionCpuState, SessionIsStartedByAThreadThatForbidsTheTickCounter) {
  if (!ForbidTickCounter()) GTEST_SKIP() << "needs PR_SET_TSC";
  const int status = Start();
  const int mode = TickCounterMode();
  (void)prctl(PR_SET_TSC, PR_TSC_ENABLE);
  if (status == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open";
  ASSERT_EQ(status, SOFTLBR_OK);
  EXPECT_EQ(mode, PR_TSC_SIGSEGV);
  WorkForCpu(std::chrono::milliseconds(50));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GT(SumOfBranches(Read()), 1000u);
}

}  // namespace
}  // namespace softlbr
