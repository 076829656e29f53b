// Sessions whose helper has descriptors of its own: the app sees one of ours, and its handlers borrow the events.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

#include "tests/platform/breakpoint_hits.h"
#include "tests/platform/process_end_wait.h"
#include "tests/runtime/session/fault_plan.h"
#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;
using testing::Fault;
using testing::FaultTurns;

// What kcmp compares.
constexpr int kFiles = 2;   // KCMP_FILES
constexpr int kMemory = 1;  // KCMP_VM

bool Shares(pid_t other, int what) { return syscall(SYS_kcmp, getpid(), other, what, 0, 0) == 0; }

pid_t FindHelper() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t other = std::atoi(entry.path().filename().c_str());
    if (other != 0 && other != getpid() && Shares(other, kMemory)) return other;
  }
  return 0;
}

// The open descriptors; the one of the listing itself is among them, as the lowest free number.
std::set<std::string> Descriptors() {
  std::set<std::string> numbers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    numbers.insert(entry.path().filename());
  return numbers;
}

class SessionLending : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    file_ = OpenTemporary();
    options_.sink = nullptr;
    options_.sink_fd = file_;
  }
  void TearDown() override {
    testing::EndFault();
    SessionTest::TearDown();
    close(file_);
  }
  static int OpenTemporary() {
    char path[] = "/tmp/softlbr_lending_XXXXXX";
    const int file = mkstemp(path);
    unlink(path);
    return file;
  }
  static uint64_t SamplesDuring(milliseconds time) {
    const uint64_t before = Counters().samples;
    WorkForCpu(time);
    return Counters().samples - before;
  }
  // Work with many system calls. A clock takes no sample within one: between two of them this thread works for `turns`
  // branches.
  static void CallFor(milliseconds time, uint32_t turns = 20) {
    timespec now{};
    const auto now_ms = [&] {
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
      return milliseconds(now.tv_sec * 1000 + now.tv_nsec / 1000000);
    };
    for (const auto end = now_ms() + time; now_ms() < end;) {
      for (int i = 0; i < 20; ++i) {
        (void)Work(turns);
        (void)getppid();
      }
    }
  }
  // Stops the session and reads its profile from `file`.
  Profile StopAndRead(int file) {
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
    sink_.bytes.resize(static_cast<size_t>(lseek(file, 0, SEEK_END)));
    EXPECT_EQ(pread(file, sink_.bytes.data(), sink_.bytes.size(), 0), static_cast<ssize_t>(sink_.bytes.size()));
    return Read();
  }
  static uint64_t Lost(const Profile& profile, LossReason reason) {
    return profile.counters.lost[static_cast<uint32_t>(reason)];
  }

  int file_ = -1;
};

// True if this process may fetch a descriptor of another one that it might trace.
bool MayFetch() {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    close(ends[1]);
    (void)!read(ends[0], &byte, 1);
    _exit(0);
  }
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  const auto fetched = static_cast<int>(syscall(SYS_pidfd_getfd, process, ends[0], 0));
  for (const int fd : {ends[0], ends[1], process, fetched}) close(fd);
  waitpid(child, nullptr, 0);
  return fetched >= 0;
}

// "needs ...": a helper runs, and lends, only where perf_event_open and pidfd_getfd admit other processes.
#define START_LENDING_OR_SKIP(helper)                                                         \
  if (!MayFetch()) GTEST_SKIP() << "needs pidfd_getfd from another process";                  \
  START_OR_SKIP();                                                                            \
  const pid_t helper = FindHelper();                                                          \
  if (helper == 0) GTEST_SKIP() << "needs perf_event_open on the threads of another process"; \
  ASSERT_FALSE(Shares(helper, kFiles))

TEST_F(SessionLending, AppHasOneDescriptorOfOurs) {
  const std::set<std::string> before = Descriptors();
  START_LENDING_OR_SKIP(helper);
  for (int round = 0; round < 20; ++round) {
    WorkForCpu(milliseconds(5));
    for (const std::string& number : Descriptors()) {
      EXPECT_TRUE(before.count(number) == 1 || std::atoi(number.c_str()) >= 512) << number;
    }
    EXPECT_LE(Descriptors().size(), before.size() + 1);
  }
  const Profile profile = StopAndRead(file_);
  EXPECT_EQ(Descriptors(), before);
  EXPECT_GT(profile.counters.samples, 100u);
  EXPECT_GT(profile.counters.taken_branches, 10000u);
  EXPECT_EQ(Lost(profile, LossReason::kEventUnreachable), 0u);
  EXPECT_TRUE(testing::HasProcessEnded(helper));
}

// The kernel makes a process of several threads wait for a grace period, 10 to 20 ms, before its table of descriptors
// grows.
TEST_F(SessionLending, StartAmongThreadsLeavesTheTableOfDescriptorsAsItIs) {
  const auto table = [] {
    const std::string status = ReadFile("/proc/self/status");
    return std::atoi(status.c_str() + status.find("FDSize:") + 7);
  };
  const int before = table();
  if (before >= 1024) GTEST_SKIP() << "needs a process of its own";
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&is_over] { is_over.wait(false); });
  const int status = Start();
  if (status == SOFTLBR_OK) {
    WorkForCpu(milliseconds(20));
    EXPECT_EQ(table(), before);
    EXPECT_GT(Counters().samples, 5u);
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  }
  is_over = true;
  is_over.notify_all();
  for (std::thread& thread : threads) thread.join();
  if (status == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open";
  EXPECT_EQ(status, SOFTLBR_OK);
  EXPECT_EQ(table(), before);
}

// It is opened again; the file that has its number then is left alone.
TEST_F(SessionLending, AppMayCloseItAndUseTheNumberAgain) {
  const std::set<std::string> before = Descriptors();
  START_LENDING_OR_SKIP(helper);
  EXPECT_NE(helper, 0);
  for (int round = 0; round < 3; ++round) {
    WorkForCpu(milliseconds(20));
    std::vector<int> ours;
    for (const std::string& number : Descriptors()) {
      if (before.count(number) == 0) ours.push_back(std::atoi(number.c_str()));
    }
    ASSERT_EQ(ours.size(), 1u);
    const int own = OpenTemporary();
    ASSERT_EQ(dup2(own, ours[0]), ours[0]);
    close(own);
    WorkForCpu(milliseconds(20));
    EXPECT_GT(SamplesDuring(milliseconds(100)), 100u);  // 500 are asked for; one takes 0.2 ms on some virtual machines
    EXPECT_EQ(write(ours[0], "x", 1), 1) << "the app's file is still open";
    EXPECT_EQ(close(ours[0]), 0);
  }
  EXPECT_EQ(Lost(StopAndRead(file_), LossReason::kEventUnreachable), 0u);
  EXPECT_EQ(Descriptors(), before);
}

// A single thread's handlers have closed what they borrowed before it goes on.
TEST_F(SessionLending, LowestDescriptorIsAlwaysTheApps) {
  START_LENDING_OR_SKIP(helper);
  EXPECT_NE(helper, 0);
  const int expected = open("/dev/null", O_RDONLY);
  ASSERT_GE(expected, 0);
  ASSERT_EQ(close(expected), 0);
  uint64_t missed = 0;
  for (int i = 0; i < 200000; ++i) {
    const int got = open("/dev/null", O_RDONLY);
    if (got != expected) ++missed;
    close(got);
    if (i % 100 == 0) (void)Work(2000);
  }
  EXPECT_EQ(missed, 0u);
  EXPECT_GT(StopAndRead(file_).counters.samples, 100u);
}

// Breakpoints need the borrowed descriptors, too: look-ahead stops at each system call.
TEST_F(SessionLending, HandlersArmBorrowedBreakpoints) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  options_.verify_every = 1;
  START_LENDING_OR_SKIP(helper);
  EXPECT_NE(helper, 0);
  CallFor(milliseconds(200));
  const Profile profile = StopAndRead(file_);
  EXPECT_GT(profile.counters.breakpoint_hits, 500u);
  EXPECT_GT(profile.counters.traces_complete, 50u);
  EXPECT_GT(profile.counters.verify_traces, 10u);
  EXPECT_EQ(profile.counters.verify_mismatches, 0u);
}

TEST_F(SessionLending, ProfileGoesOnWhereTheAppUsesTheNumberAgain) {
  START_LENDING_OR_SKIP(helper);
  EXPECT_NE(helper, 0);
  WorkForCpu(milliseconds(50));
  const int copy = dup(file_);
  const int other = OpenTemporary();
  ASSERT_EQ(dup2(other, file_), file_);
  WorkForCpu(milliseconds(100));
  EXPECT_GT(StopAndRead(copy).counters.samples, 100u);
  EXPECT_EQ(lseek(other, 0, SEEK_END), 0) << "the app's own file";
  close(copy);
  close(other);
}

TEST_F(SessionLending, WithoutAFreeNumberThreadsAreSampledByLookAheadAlone) {
  options_.period = 2000003;
  START_LENDING_OR_SKIP(helper);
  EXPECT_NE(helper, 0);
  CallFor(milliseconds(50));
  rlimit all = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &all), 0);
  const rlimit none = {0, all.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  CallFor(milliseconds(100));  // until an armed breakpoint is disarmed
  const softlbr_counters before = Counters();
  constexpr uint32_t kTurns = 500;  // far more user code than system calls, on any machine
  CallFor(milliseconds(300), kTurns);
  const softlbr_counters during = Counters();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &all), 0);
  EXPECT_GT(during.samples - before.samples, 60u);
  EXPECT_GT(during.taken_branches - before.taken_branches, 5000u);
  EXPECT_EQ(during.breakpoint_hits, before.breakpoint_hits);
  CallFor(milliseconds(600));
  const softlbr_counters after = Counters();
  EXPECT_GT(after.samples - during.samples, 30u);
  if (platform::testing::HasBreakpointHits()) {
    EXPECT_GT(after.breakpoint_hits - during.breakpoint_hits, 100u);
  }
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
}

// A short period, for which the sampler must be turned off: the control thread makes it longer.
TEST_F(SessionLending, RefusedBorrowingCostsFewSamples) {
  START_LENDING_OR_SKIP(helper);
  EXPECT_NE(helper, 0);
  WorkForCpu(milliseconds(50));
  static const Fault fault = {"pidfd_getfd", SYS_pidfd_getfd, EPERM};
  testing::BeginFault(fault, FaultTurns{});
  WorkForCpu(milliseconds(200));  // until the control thread's next round, samples are dropped, or the sampler is off
  EXPECT_GT(SamplesDuring(milliseconds(300)), 100u);
  EXPECT_GT(testing::FailedCalls(), 100u);
  testing::EndFault();
  WorkForCpu(milliseconds(50));
  EXPECT_GT(SamplesDuring(milliseconds(100)), 250u) << "at the rate asked for";
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
}

// A breakpoint that its thread cannot disarm is disarmed by the control thread: the app soon runs at full speed again.
TEST_F(SessionLending, RefusedBorrowingLeavesNoBreakpointArmed) {
  options_.verify_every = 1;
  START_LENDING_OR_SKIP(helper);
  EXPECT_NE(helper, 0);
  static const Fault fault = {"pidfd_getfd", SYS_pidfd_getfd, EMFILE};
  for (uint32_t first = 1; first <= 40; ++first) {
    const uint64_t samples = Counters().samples;
    for (int tries = 0; tries < 100 && Counters().samples < samples + 3; ++tries) CallFor(milliseconds(2));
    ASSERT_GE(Counters().samples, samples + 3) << "sampling goes on after " << first - 1;
    testing::BeginFault(fault, FaultTurns{first, 1});
    CallFor(milliseconds(40));
    const softlbr_counters before = Counters();
    CallFor(milliseconds(5));
    EXPECT_EQ(Counters().breakpoint_hits, before.breakpoint_hits) << first;
    testing::EndFault();
  }
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
}

TEST_F(SessionLending, HelperMayBeKilled) {
  const std::set<std::string> descriptors = Descriptors();
  START_LENDING_OR_SKIP(helper);
  WorkForCpu(milliseconds(20));
  ASSERT_EQ(kill(helper, SIGKILL), 0);
  WorkForCpu(milliseconds(50));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_SINK_FAILED) << "the end of the profile was never written";
  EXPECT_EQ(Descriptors(), descriptors);
  WorkForCpu(milliseconds(50));  // a sample would end the process now: SIGTRAP has its default action
}

// The kernel closes its many events only a moment after its end.
TEST_F(SessionLending, HelperOfManyThreadsMayBeKilledJustBeforeTheStop) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 200; ++i) {
    threads.emplace_back([&] {
      while (!is_over) (void)Work(20000);
    });
  }
  const auto end_threads = [&] {
    is_over = true;
    for (std::thread& thread : threads) thread.join();
  };
  const int started = Start();
  const pid_t helper = started == SOFTLBR_OK ? FindHelper() : 0;
  if (helper == 0) {
    end_threads();
    GTEST_SKIP() << "needs perf_event_open on the threads of another process";
  }
  WorkForCpu(milliseconds(20));
  EXPECT_EQ(kill(helper, SIGKILL), 0);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_SINK_FAILED);
  WorkForCpu(milliseconds(50));  // a sample would end the process now
  end_threads();
}

TEST_F(SessionLending, SharesDescriptorsWhereBorrowingIsRefused) {
  static const Fault fault = {"pidfd_getfd", SYS_pidfd_getfd, EPERM};
  testing::BeginFault(fault, FaultTurns{});
  START_OR_SKIP();
  const pid_t helper = FindHelper();
  if (helper == 0) GTEST_SKIP() << "needs perf_event_open on the threads of another process";
  EXPECT_TRUE(Shares(helper, kFiles));
  WorkForCpu(milliseconds(100));
  EXPECT_GT(StopAndRead(file_).counters.samples, 100u);
}

TEST_F(SessionLending, SharesDescriptorsIfAskedAndWithASinkFunction) {
  options_.flags = SOFTLBR_SHARE_DESCRIPTORS;
  START_OR_SKIP();
  if (const pid_t helper = FindHelper(); helper != 0) {
    EXPECT_TRUE(Shares(helper, kFiles));
  }
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  options_.flags = 0;
  options_.sink = Sink::Take;
  START_OR_SKIP();
  const pid_t helper = FindHelper();
  if (helper == 0) GTEST_SKIP() << "needs perf_event_open on the threads of another process";
  EXPECT_TRUE(Shares(helper, kFiles));
}

// The first event on a machine takes the kernel 10 ms and more. Where there are several threads, the app does not wait
// for any.
TEST_F(SessionLending, StartAmongSeveralThreadsWaitsForNoEvent) {
  if (!MayFetch()) GTEST_SKIP() << "needs pidfd_getfd from another process";
  options_.event = SOFTLBR_EVENT_TASK_CLOCK;
  options_.period = 0;
  options_.max_overhead_ppm = 20000;
  std::atomic<bool> is_done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&is_done] {
      while (!is_done) {
        (void)Work(20000);
        std::this_thread::sleep_for(milliseconds(4));
      }
    });
  }
  Fault held{"EventHeld", SYS_perf_event_open, 0, testing::FaultMatch::kThreadsEvent};
  held.answer = testing::FaultAnswer::kHeld;
  testing::BeginFault(held, FaultTurns{});
  const auto status = Start();
  const uint32_t ended = testing::FailedCalls();
  const bool has_helper = status == SOFTLBR_OK && FindHelper() != 0;
  WorkForCpu(milliseconds(300));
  const uint64_t samples = status == SOFTLBR_OK ? Counters().samples : 0;
  testing::EndFault();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (status == SOFTLBR_OK && Counters().samples < samples + 5 && std::chrono::steady_clock::now() < end)
    WorkFor(milliseconds(50));
  is_done = true;
  for (std::thread& thread : threads) thread.join();
  if (status != SOFTLBR_OK) GTEST_SKIP() << "needs perf_event_open";
  const Profile profile = StopAndRead(file_);
  if (!has_helper) GTEST_SKIP() << "needs perf_event_open on the threads of another process";
  if (profile.counters.timer_cpu_ns == 0) GTEST_SKIP() << "needs timers that end no call: Linux 5.19";
  EXPECT_EQ(ended, 0u) << "events that the start has waited for";
  EXPECT_GT(samples, 0u) << "while the kernel is still busy with the first event";
  EXPECT_GE(profile.counters.samples, samples + 5);
  EXPECT_EQ(profile.counters.threads_traced, 9u);
}

// Who gives up root is not dumpable afterwards, so that nothing can be borrowed any more.
TEST_F(SessionLending, GoesOnWhereTheAppGivesUpRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give up";
  const bool has_hits = platform::testing::HasBreakpointHits();
  const pid_t child = fork();
  if (child == 0) {
    if (Start() != SOFTLBR_OK) _exit(77);
    CallFor(milliseconds(50));
    const pid_t helper = FindHelper();
    if (helper != 0 && Shares(helper, kFiles)) _exit(4);
    if (has_hits && Counters().breakpoint_hits == 0) _exit(5);
    constexpr uid_t kNobody = 65534;
    if (setresuid(kNobody, kNobody, kNobody) != 0) _exit(1);
    WorkForCpu(milliseconds(200));
    const uint64_t hits = Counters().breakpoint_hits;
    if (SamplesDuring(milliseconds(300)) < 100) _exit(2);
    if (helper != 0 && Counters().breakpoint_hits != hits) _exit(6);
    _exit(softlbr_stop() == SOFTLBR_OK ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs perf_event_open";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace softlbr
