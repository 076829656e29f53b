// The control thread as a process outside this one's thread group, and in it where that is refused.
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <thread>

#include "tests/platform/process_end_wait.h"
#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

constexpr uint32_t kOneThread = 3;  // entries of /proc/self/task: ., .. and the thread

std::string FieldOf(const std::string& status, const std::string& name) {
  const size_t at = status.find("\n" + name + ":\t");
  return at == std::string::npos
             ? ""
             : status.substr(at + name.size() + 3, status.find('\n', at + 1) - at - name.size() - 3);
}

// The other process that shares the memory of this one; 0 if there is none.
pid_t FindHelper() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name[0] < '0' || name[0] > '9') continue;
    const pid_t other = std::atoi(name.c_str());
    constexpr int kMemory = 1;  // KCMP_VM
    if (other != getpid() && syscall(SYS_kcmp, getpid(), other, kMemory, 0, 0) == 0) return other;
  }
  return 0;
}

// "needs ...": a helper runs only where perf_event_open admits other processes.
#define START_WITH_HELPER_OR_SKIP(helper) \
  START_OR_SKIP();                        \
  const pid_t helper = FindHelper();      \
  if (helper == 0) GTEST_SKIP() << "needs perf_event_open on the threads of another process"

class SessionHelper : public SessionTest {};

TEST_F(SessionHelper, IsNoThreadOfTheAppAndNoChildThatItWaitsFor) {
  START_WITH_HELPER_OR_SKIP(helper);
  EXPECT_EQ(CountDirectory("/proc/self/task"), kOneThread);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  WorkForCpu(milliseconds(100));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_TRUE(testing::HasProcessEnded(helper));
  EXPECT_GT(Read().counters.samples, 100u);
}

TEST_F(SessionHelper, LetsTheAppEnterNamespaces) {
  START_WITH_HELPER_OR_SKIP(helper);
  ASSERT_NE(helper, 0);
  // the namespace would be this process's for ever; what is tested holds for a session of the child's
  const pid_t child = fork();
  if (child == 0) {
    sink_.bytes.clear();
    if (Start() != SOFTLBR_OK) _exit(1);
    if (unshare(CLONE_NEWUSER) != 0)
      _exit(errno == EINVAL ? 2 : 77);  // EINVAL: of several threads, or of several users of its directory
    WorkForCpu(milliseconds(50));
    _exit(softlbr_stop() == SOFTLBR_OK ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs user namespaces";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// A helper that is killed takes nobody along: stop closes the samplers, so that none of them fires without a handler.
TEST_F(SessionHelper, MayBeKilled) {
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const uint32_t descriptors = CountDirectory("/proc/self/fd");
  sink_.bytes.clear();
  START_WITH_HELPER_OR_SKIP(helper);
  WorkForCpu(milliseconds(20));
  ASSERT_EQ(kill(helper, SIGKILL), 0);
  WorkForCpu(milliseconds(50));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_SINK_FAILED) << "the end of the profile was never written";
  EXPECT_EQ(CountDirectory("/proc/self/fd"), descriptors);
  WorkForCpu(milliseconds(50));  // a sample would end the process now: SIGTRAP has its default action
  EXPECT_EQ(waitpid(-1, nullptr, __WALL | WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// Whoever stops all processes of a program may let only the program go on.
TEST_F(SessionHelper, ThatIsStoppedGoesOnAtStop) {
  START_WITH_HELPER_OR_SKIP(helper);
  WorkForCpu(milliseconds(20));
  ASSERT_EQ(kill(helper, SIGSTOP), 0);
  WorkForCpu(milliseconds(20));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GT(Read().counters.samples, 10u);
}

// In a child process, which may give up its rights.
TEST_F(SessionHelper, IsAThreadWhereTheAppIsNotDumpable) {
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const pid_t child = fork();
  if (child == 0) {
    sink_.bytes.clear();
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) _exit(1);
    prctl(PR_SET_DUMPABLE, 0);
    const int started = Start();
    if (started == SOFTLBR_PERMISSION_DENIED) _exit(77);
    if (started != SOFTLBR_OK) _exit(2);
    WorkForCpu(milliseconds(100));
    // /proc/self belongs to root now; the number of threads is readable all the same.
    const std::string status = ReadFile("/proc/self/status");
    if (FieldOf(status, "Threads") != "2") _exit(3);
    if (softlbr_stop() != SOFTLBR_OK) _exit(4);
    _exit(Read().counters.samples > 100 ? 0 : 5);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs perf_event_open for users without capabilities";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(SessionHelper, IsAThreadWithTheThreadTimer) {
  options_.event = SOFTLBR_EVENT_THREAD_TIMER;
  START_OR_SKIP();
  EXPECT_EQ(FindHelper(), 0);
  EXPECT_EQ(CountDirectory("/proc/self/task"), kOneThread + 1);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

uint64_t Switches(pid_t process) {
  return std::strtoull(
      FieldOf(ReadFile(("/proc/" + std::to_string(process) + "/status").c_str()), "voluntary_ctxt_switches").c_str(),
      nullptr, 10);
}

TEST_F(SessionHelper, SleepsWhileTheAppDoes) {
  START_WITH_HELPER_OR_SKIP(helper);
  poll(nullptr, 0, 1000);  // the period has reached its longest
  const uint64_t before = Switches(helper);
  poll(nullptr, 0, 2000);
  const uint64_t idle = Switches(helper) - before;
  EXPECT_LE(idle, 40u) << "8 in two seconds, and some locks; without a longer period 250";
  WorkForCpu(milliseconds(300));
  EXPECT_GT(Switches(helper) - before - idle, 5u) << "a sample has woken it";
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

// By the number of threads that sleep beside the one that works.
class SessionHelperRounds : public SessionHelper, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    SessionHelper::SetUp();
    for (int i = 0; i < GetParam(); ++i) {
      threads_.emplace_back([this] {
        std::unique_lock<std::mutex> lock(mutex_);
        is_over_changed_.wait(lock, [this] { return is_over_; });
      });
    }
  }
  void TearDown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over_ = true;
    }
    is_over_changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    SessionHelper::TearDown();
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_over_changed_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

// A round costs as much whether the app has used a millisecond since the last one or sixteen.
TEST_P(SessionHelperRounds, AreRarerWhileTheAppUsesLittleCpuTime) {
  options_.flags = SOFTLBR_NO_BREAKPOINTS;  // whoever arms one wakes it
  START_WITH_HELPER_OR_SKIP(helper);
  const auto work_and_sleep = [] {
    for (int i = 0; i < 100; ++i) {
      WorkForCpu(std::chrono::microseconds(500));
      poll(nullptr, 0, 16);
    }
  };
  work_and_sleep();
  const uint64_t before = Switches(helper);
  const uint64_t samples = Counters().samples;
  const auto begin = std::chrono::steady_clock::now();
  work_and_sleep();
  const uint64_t rounds = Switches(helper) - before;
  const auto periods = static_cast<uint64_t>((std::chrono::steady_clock::now() - begin) / milliseconds(16));
  RecordProperty("rounds", static_cast<int>(rounds));
  RecordProperty("periods", static_cast<int>(periods));
  EXPECT_LE(rounds, periods * 3 / 4) << "half as many; at a period of 16 ms all, and some locks";
  EXPECT_GT(Counters().samples, samples) << "sampled all the same";
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

INSTANTIATE_TEST_SUITE_P(SleepingThreads, SessionHelperRounds, ::testing::Values(0, 3));

// The session's memory is not in a core dump ("dd" in VmFlags).
TEST_F(SessionHelper, MemoryIsLeftOutOfCoreDumps) {
  START_OR_SKIP();
  const std::string maps = ReadFile("/proc/self/smaps");
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const uint64_t region_kib = softlbr_region_bytes(&options_) / 1024;
  uint64_t size_kib = 0;
  std::string flags;
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    std::sscanf(line.c_str(), "Size: %lu kB", &size_kib);
    if (line.rfind("VmFlags:", 0) == 0 && size_kib == region_kib) flags = line;
  }
  EXPECT_NE(flags.find(" dd"), std::string::npos) << flags;
}

}  // namespace
}  // namespace softlbr
