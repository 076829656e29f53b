// What a session may cost: the budget of the default period, and what counts as overhead.
#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "tests/runtime/session/session_fixture.h"
#include "tests/runtime/watch/blocked_loop.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

class SessionPacing : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    options_.period = 0;
  }
  // A program of the most expensive kind: a system call, and so a breakpoint hit, every few branches.
  static void CallKernelFor(milliseconds time) {
    const uint64_t end = testing::ClockNs(CLOCK_PROCESS_CPUTIME_ID) + static_cast<uint64_t>(time.count()) * 1000000;
    uint64_t sum = 0;
    while (testing::ClockNs(CLOCK_PROCESS_CPUTIME_ID) < end) {
      for (int i = 0; i < 1000; ++i) {
        if ((testing::CallKernel(SYS_getppid) + i) % 3 == 0) ++sum;
      }
    }
    asm volatile("" ::"r"(sum));
  }
  struct Spent {
    uint64_t overhead_ns;
    uint64_t cpu_ns;
    uint64_t samples;
  };
  static Spent SpentSoFar() {
    const softlbr_counters counters = Counters();
    return Spent{counters.overhead_ns, testing::ClockNs(CLOCK_PROCESS_CPUTIME_ID), counters.samples};
  }
  struct Shares {
    double traces;   // of the CPU time, in traces and hits
    double control;  // in the control thread
  };
  // What a session costs the program in four seconds of its CPU time, or in up to 24 until three traces have begun:
  // where traps are slow, one takes 20 ms, and the budget leaves one in 2 s; beside another test, only two came in
  // twelve. Everything is CPU time, of the program or of the session, so the traces' share is the same on a busy
  // machine. That of the control thread, which wakes up by the wall clock, is not.
  Shares SharesOfRun(bool* has_cpu) {
    const uint64_t began = testing::ClockNs(CLOCK_MONOTONIC);
    constexpr milliseconds kRun{4000};
    uint64_t runs = 0;
    do {
      CallKernelFor(kRun);
    } while (++runs < 6 && Counters().samples < 3);
    // The program has a CPU for itself most of the time.
    *has_cpu = testing::ClockNs(CLOCK_MONOTONIC) - began < runs * 4000000 * static_cast<uint64_t>(kRun.count()) / 3;
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
    const SessionCounters counters = Read().counters;
    EXPECT_GT(counters.samples, 2u) << "the budget leaves some";
    const auto cpu_ns = static_cast<double>(counters.app_cpu_ns);
    return Shares{static_cast<double>(counters.overhead_total_ns - counters.overhead_control_ns) / cpu_ns,
                  static_cast<double>(counters.overhead_control_ns) / cpu_ns};
  }
};

// So many hits a trace that without a budget the program pays well over the bound, on machines of cheap traps too.
constexpr uint32_t kBranchesOfManyHits = 512;

TEST_F(SessionPacing, ProgramOfManyHitsPaysTwoPercent) {
  options_.branches_per_trace = kBranchesOfManyHits;
  START_OR_SKIP();
  bool has_cpu = false;
  const Shares shares = SharesOfRun(&has_cpu);
  EXPECT_LE(shares.traces, 0.025);
  EXPECT_LE(has_cpu ? shares.traces + shares.control : 0, 0.025);
  if (Read().sessions.at(0).has_breakpoints == 0) GTEST_SKIP() << "needs breakpoints";
}

// The same program without a budget: else the test above would show nothing.
TEST_F(SessionPacing, ProgramOfManyHitsPaysMoreWithoutBudget) {
  options_.branches_per_trace = kBranchesOfManyHits;
  options_.max_overhead_ppm = 1000000;
  START_OR_SKIP();
  bool has_cpu = false;
  const Shares shares = SharesOfRun(&has_cpu);
  if (Read().sessions.at(0).has_breakpoints == 0) GTEST_SKIP() << "needs breakpoints";
  EXPECT_GT(shares.traces, 0.03);
}

TEST_F(SessionPacing, ThreadsShorterThanThePeriodGetTheirShareOfSamples) {
  options_.period = 50000017;
  START_OR_SKIP();
  constexpr uint32_t kThreads = 80;
  std::atomic<bool> may_work{false};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&may_work] {
      while (!may_work) std::this_thread::sleep_for(milliseconds(2));
      WorkForCpu(milliseconds(15));
    });
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (Counters().threads_traced <= kThreads && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(2));
  }
  may_work = true;
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_EQ(Read().counters.threads_traced, kThreads + 1);
  // 24 on average. If each thread waited for a whole period, none would come.
  EXPECT_GE(Read().counters.samples, 6u);
  EXPECT_LE(Read().counters.samples, 50u);
}

TEST_F(SessionPacing, GivenPeriodHasNoBudget) {
  options_.period = 2000003;
  START_OR_SKIP();
  WorkForCpu(milliseconds(200));
  const Spent spent = SpentSoFar();
  EXPECT_GE(spent.samples, 60u);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
}

TEST_F(SessionPacing, OverheadIncludesTheControlThread) {
  START_OR_SKIP();
  WorkForCpu(milliseconds(100));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  const SessionCounters counters = Read().counters;
  EXPECT_GT(counters.overhead_control_ns, 0u);
  EXPECT_EQ(counters.overhead_total_ns, counters.overhead_sampling_ns + counters.overhead_evaluating_ns +
                                            counters.overhead_lifting_ns + counters.overhead_breakpoints_ns +
                                            counters.overhead_control_ns + counters.overhead_switching_ns);
}

}  // namespace
}  // namespace softlbr
