// Samplers on the real kernel.
#include <asm/unistd.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <vector>

#include "platform/sampler.h"
#include "platform/syscall_filter.h"
#include "platform/thread.h"
#include "platform/thread_list.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

bool HasEvent(SampleEvent event) {
  SampleEvent chosen = SampleEvent::kBest;
  int error = 0;
  return ChooseSampleEvent(event, &chosen, &error) == Status::kOk;
}

class SamplerSignal : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetTrapLog();
    ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  }
  void TearDown() override {
    SetSyscallFilterForTest(nullptr);
    CloseSampler(&sampler_);
    RestoreTrapHandler();
  }
  // Expects cpu_ns / period samples. If the host takes the (virtual) CPU away, CPU time passes without ticks: one good
  // round of five satisfies the lower bound. The upper bound must always hold.
  void ExpectRate(uint64_t cpu_ns, uint64_t period, uint64_t least_percent) {
    bool is_enough = false;
    for (int round = 0; round < 5 && !is_enough; ++round) {
      g_log.count.store(0);
      ASSERT_EQ(EnableSampler(sampler_), Status::kOk);
      const uint64_t before = ThreadCpuTimeNs(0);
      BurnCpu(cpu_ns);
      ASSERT_EQ(DisableSampler(sampler_), Status::kOk);
      const uint64_t asked = (ThreadCpuTimeNs(0) - before) / period;
      const uint32_t count = g_log.count.load();
      is_enough = count >= asked * least_percent / 100;
      EXPECT_LE(count, asked * 12 / 10 + 2);
      BurnCpu(3 * period);
      EXPECT_EQ(g_log.count.load(), count) << "fired while disabled";
    }
    EXPECT_TRUE(is_enough) << g_log.count.load();
  }
  Sampler sampler_;
};

TEST_F(SamplerSignal, TaskClockFiresAtTheRequestedRate) {
  if (!HasEvent(SampleEvent::kTaskClock)) GTEST_SKIP() << "needs perf_event_open task-clock with sigtrap";
  ASSERT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kTaskClock, 1000000, 0xabcdef0123456789, &sampler_),
            Status::kOk);
  BurnCpu(5000000);
  EXPECT_EQ(g_log.count.load(), 0u) << "fired before it was enabled";
  ExpectRate(200000000, 1000000, 70);
  for (uint32_t i = 0; i < g_log.count.load() && i < TrapLog::kCapacity; ++i) {
    ASSERT_EQ(g_log.traps[i].kind, TrapKind::kSample);
    ASSERT_EQ(g_log.traps[i].sig_data, 0xabcdef0123456789u);
    ASSERT_NE(g_log.traps[i].pc, 0u);
    ASSERT_EQ(g_log.tids[i], CurrentThreadId());
  }
}

TEST_F(SamplerSignal, PeriodCanBeChangedWhileItRuns) {
  if (!HasEvent(SampleEvent::kTaskClock)) GTEST_SKIP() << "needs perf_event_open task-clock with sigtrap";
  ASSERT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kTaskClock, 10000000, 0, &sampler_), Status::kOk);
  ASSERT_EQ(EnableSampler(sampler_), Status::kOk);
  ASSERT_EQ(SetSamplerPeriod(&sampler_, 500000), Status::kOk);
  ExpectRate(100000000, 500000, 70);
  EXPECT_EQ(SetSamplerPeriod(&sampler_, 0), Status::kInvalidArgument);
}

TEST_F(SamplerSignal, TaskClockNeverInterruptsABlockingCall) {
  if (!HasEvent(SampleEvent::kTaskClock)) GTEST_SKIP() << "needs perf_event_open task-clock with sigtrap";
  ASSERT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kTaskClock, 200000, 0, &sampler_), Status::kOk);
  ASSERT_EQ(EnableSampler(sampler_), Status::kOk);
  int interrupted = 0;
  for (int i = 0; i < 100; ++i) {
    timespec wait = {0, 500000};
    if (nanosleep(&wait, nullptr) != 0) ++interrupted;  // never restarted by SA_RESTART
    BurnCpu(100000);
  }
  ASSERT_EQ(DisableSampler(sampler_), Status::kOk);
  EXPECT_EQ(interrupted, 0);
  EXPECT_GT(g_log.count.load(), 10u);
}

// A signal raised in the kernel could end a call early, or restart a long fork forever.
TEST_F(SamplerSignal, TaskClockRaisesNoSignalForKernelTime) {
  if (!HasEvent(SampleEvent::kTaskClock)) GTEST_SKIP() << "needs perf_event_open task-clock with sigtrap";
  // 10 to 100 us of kernel time a read: much more than the way there and back, which is 1 to 2 us, and less than a
  // period.
  std::vector<char> pages(1048576);
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(zero, 0);
  ASSERT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kTaskClock, 500000, 0, &sampler_), Status::kOk);
  ASSERT_EQ(EnableSampler(sampler_), Status::kOk);
  const uint64_t begin = ThreadCpuTimeNs(0);
  while (ThreadCpuTimeNs(0) < begin + 150000000) {
    ASSERT_EQ(read(zero, pages.data(), pages.size()), static_cast<ssize_t>(pages.size()));
  }
  const uint32_t in_kernel = g_log.count.load();
  BurnCpu(150000000);
  ASSERT_EQ(DisableSampler(sampler_), Status::kOk);
  const uint32_t in_program = g_log.count.load() - in_kernel;
  close(zero);
  EXPECT_GT(in_program, 50u) << "of 300 periods";
  EXPECT_LT(in_kernel, in_program / 3) << "of as many";
}

TEST_F(SamplerSignal, ThreadTimerFiresWithoutPerfEvents) {
  ASSERT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kThreadTimer, 20000000, 0x8000000000000001, &sampler_),
            Status::kOk);
  EXPECT_EQ(sampler_.fd, -1);
  EXPECT_TRUE(IsSamplerOurs(sampler_));
  // The kernel checks the timer only at scheduler ticks. On a busy machine it is late and skips periods: half the rate
  // is usual at load 18.
  ExpectRate(400000000, 20000000, 30);
  ASSERT_GT(g_log.count.load(), 0u);
  EXPECT_EQ(g_log.traps[0].kind, TrapKind::kSample);
  EXPECT_EQ(g_log.traps[0].sig_data, 0x8000000000000001u);
}

// The tick finds the thread in the kernel most of the time: the signal must wait until the call has ended by itself.
TEST_F(SamplerSignal, ThreadTimerNeverInterruptsABlockingCall) {
  if (!MayTimersSample()) GTEST_SKIP() << "needs Linux 5.19";
  std::vector<char> pages(1 << 20);  // some 100 us of kernel time a read
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(zero, 0);
  ASSERT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kThreadTimer, 1000000, 0, &sampler_), Status::kOk);
  ASSERT_EQ(EnableSampler(sampler_), Status::kOk);
  int interrupted = 0;
  const uint64_t begin = ThreadCpuTimeNs(0);
  // Longer if few ticks find the thread in its own code, as on a busy machine.
  for (uint64_t used = 0; used < 400000000 || (g_log.count.load() <= 5 && used < 4000000000);
       used = ThreadCpuTimeNs(0) - begin) {
    ASSERT_EQ(read(zero, pages.data(), pages.size()), static_cast<ssize_t>(pages.size()));
    timespec wait = {0, 100000};
    if (nanosleep(&wait, nullptr) != 0) ++interrupted;  // never restarted by SA_RESTART
    for (int i = 0; i < 50; ++i) {
      wait = {0, 1000};
      if (nanosleep(&wait, nullptr) != 0) ++interrupted;
    }
  }
  ASSERT_EQ(DisableSampler(sampler_), Status::kOk);
  close(zero);
  EXPECT_EQ(interrupted, 0);
  EXPECT_GT(g_log.count.load(), 5u);
}

TEST_F(SamplerSignal, SingleTimerFiresOnceEachTimeThatItIsEnabled) {
  ASSERT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kThreadTimer, 1000000, 0, &sampler_), Status::kOk);
  sampler_.is_single = true;
  for (uint32_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(EnableSampler(sampler_), Status::kOk);
    for (int rounds = 0; rounds < 100 && g_log.count.load() < i; ++rounds) BurnCpu(10000000);
    BurnCpu(50000000);
    EXPECT_EQ(g_log.count.load(), i);
  }
}

TEST_F(SamplerSignal, SamplesAnotherThread) {
  int tried = 0;
  for (const SampleEvent event : {SampleEvent::kTaskClock, SampleEvent::kThreadTimer}) {
    if (!HasEvent(event)) continue;
    ++tried;
    ResetTrapLog();
    std::atomic<int32_t> tid{0};
    std::atomic<bool> is_enabled{false};
    std::thread other([&] {
      tid.store(CurrentThreadId());
      while (!is_enabled.load()) sched_yield();
      BurnCpu(200000000);
    });
    while (tid.load() == 0) sched_yield();
    Sampler remote;
    ASSERT_EQ(OpenSampler(tid.load(), event, 10000000, 5, &remote), Status::kOk);
    ASSERT_EQ(EnableSampler(remote), Status::kOk);
    is_enabled.store(true);
    other.join();
    ASSERT_GE(g_log.count.load(), 2u);
    for (uint32_t i = 0; i < g_log.count.load(); ++i) EXPECT_EQ(g_log.tids[i], tid.load());
    ASSERT_TRUE(WaitUntilGone(tid.load()));
    EXPECT_EQ(OpenSampler(tid.load(), event, 10000000, 5, &sampler_), Status::kNoSuchThread);
    CloseSampler(&remote);
  }
  if (tried == 0) GTEST_SKIP() << "needs perf_event_open task-clock with sigtrap, or timers on a thread's CPU clock";
}

TEST_F(SamplerSignal, DetectsAReusedDescriptor) {
  if (!HasEvent(SampleEvent::kTaskClock)) GTEST_SKIP() << "needs perf_event_open task-clock with sigtrap";
  ASSERT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kTaskClock, 1000000, 0, &sampler_), Status::kOk);
  EXPECT_TRUE(IsSamplerOurs(sampler_));
  const int number = sampler_.fd;
  const int other = open("/dev/null", O_RDWR | O_CLOEXEC);
  ASSERT_EQ(dup2(other, number), number);
  EXPECT_FALSE(IsSamplerOurs(sampler_));
  EXPECT_EQ(EnableSampler(sampler_), Status::kStaleDescriptor);
  CloseSampler(&sampler_);
  EXPECT_GE(fcntl(number, F_GETFD), 0) << "the app's file was closed";
  close(number);
  close(other);
}

long g_open_answer = 0;

long RefusePerfOpen(long number, long*, bool* handled) {
  *handled = number == __NR_perf_event_open;
  return g_open_answer;
}

TEST_F(SamplerSignal, FallsBackToTheTimerIfPerfIsRefused) {
  g_open_answer = -EACCES;
  SetSyscallFilterForTest(RefusePerfOpen);
  SampleEvent chosen = SampleEvent::kBest;
  int error = 0;
  EXPECT_EQ(ChooseSampleEvent(SampleEvent::kBest, &chosen, &error), Status::kOk);
  EXPECT_EQ(chosen, SampleEvent::kThreadTimer);
  EXPECT_NE(error, 0);
  EXPECT_EQ(ChooseSampleEvent(SampleEvent::kTaskClock, &chosen, &error), Status::kPermissionDenied);
  EXPECT_EQ(error, EACCES);
}

TEST_F(SamplerSignal, ChosenEventOpens) {
  SampleEvent chosen = SampleEvent::kBest;
  int error = 0;
  ASSERT_EQ(ChooseSampleEvent(SampleEvent::kBest, &chosen, &error), Status::kOk);
  ASSERT_NE(chosen, SampleEvent::kBest);
  RecordProperty("chosen", static_cast<int>(chosen));
  RecordProperty("first_error", error);
  ASSERT_EQ(OpenSampler(CurrentThreadId(), chosen, 10000000, 0, &sampler_), Status::kOk);
}

TEST_F(SamplerSignal, RejectsInvalidEvents) {
  EXPECT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kBest, 1000, 0, &sampler_), Status::kInvalidArgument);
  EXPECT_EQ(OpenSampler(CurrentThreadId(), SampleEvent::kTaskClock, 0, 0, &sampler_), Status::kInvalidArgument);
}

}  // namespace
}  // namespace softlbr::platform::testing
