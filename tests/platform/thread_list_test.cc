#include "platform/thread_list.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "platform/linux/signals/pending_signals.h"
#include "platform/thread.h"

namespace softlbr::platform {
namespace {

std::multiset<int32_t> Threads() {
  std::multiset<int32_t> tids;
  EXPECT_EQ(ForEachThread([](void* cookie, int32_t tid) { static_cast<std::multiset<int32_t>*>(cookie)->insert(tid); },
                          &tids),
            Status::kOk);
  return tids;
}

// Threads that store their ids and wait.
class Crowd {
 public:
  explicit Crowd(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        started_.fetch_add(1);
        while (!stop_.load()) WaitOnWord(&word_, 0, 50000000);
      });
    }
    while (started_.load() != count) SleepNs(100000);
  }
  ~Crowd() { Stop(); }
  void Stop() {
    stop_.store(true);
    word_.store(1);
    WakeWord(&word_);
    for (auto& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  std::vector<std::thread> threads_;
  std::atomic<int> started_{0};
  std::atomic<bool> stop_{false};
  std::atomic<uint32_t> word_{0};
};

TEST(ThreadList, VisitsEveryThreadOnce) {
  EXPECT_EQ(Threads(), std::multiset<int32_t>{CurrentThreadId()});
  Crowd crowd(150);  // more than one buffer of directory entries
  const auto tids = Threads();
  EXPECT_EQ(tids.size(), 151u);
  EXPECT_EQ(std::set<int32_t>(tids.begin(), tids.end()).size(), 151u);
  EXPECT_EQ(tids.count(CurrentThreadId()), 1u);
  for (const int32_t tid : tids) EXPECT_TRUE(IsThreadAlive(tid));
}

TEST(ThreadList, ThreadThatHasEndedIsNotAlive) {
  int32_t tid = 0;
  std::thread([&] { tid = CurrentThreadId(); }).join();
  // join returns slightly before the kernel removes the thread.
  for (int i = 0; i < 5000 && IsThreadAlive(tid); ++i) SleepNs(1000000);
  EXPECT_FALSE(IsThreadAlive(tid));
  EXPECT_EQ(ThreadCpuTimeNs(tid), 0u);
}

TEST(ThreadList, ThreadOfAnotherProcessIsNotOurs) { EXPECT_FALSE(IsThreadAlive(1)); }

TEST(ThreadList, CpuTimeIsTheThreadsOwn) {
  const uint64_t before = ThreadCpuTimeNs(0);
  volatile uint64_t work = 0;
  while (ThreadCpuTimeNs(0) - before < 20000000) work = work + 1;
  const uint64_t by_thread = ThreadCpuTimeNs(0);
  EXPECT_GE(ProcessCpuTimeNs(), by_thread);
  const uint64_t by_tid = ThreadCpuTimeNs(CurrentThreadId());
  EXPECT_GE(by_tid, before + 20000000);
  std::atomic<int32_t> idle_tid{0};
  std::atomic<bool> stop{false};
  std::thread idle([&] {
    idle_tid.store(CurrentThreadId());
    while (!stop.load()) SleepNs(1000000);
  });
  while (idle_tid.load() == 0) SleepNs(100000);
  EXPECT_GT(ThreadCpuTimeNs(idle_tid.load()), 0u);
  EXPECT_LT(ThreadCpuTimeNs(idle_tid.load()), 20000000u);
  stop.store(true);
  idle.join();
}

TEST(ThreadList, CountsTheSwitchesOfAThread) {
  uint64_t before = 0;
  (void)ThreadCpuTimeNs(CurrentThreadId(), &before);
  if (before == 0) GTEST_SKIP() << "needs CONFIG_SCHED_INFO";
  constexpr uint64_t kSleeps = 20;
  for (uint64_t i = 0; i < kSleeps; ++i) SleepNs(2000000);  // long enough that none is over before it begins
  uint64_t after = 0;
  EXPECT_GT(ThreadCpuTimeNs(CurrentThreadId(), &after), 0u);
  EXPECT_GE(after, before + kSleeps);
  uint64_t unchanged = 7;
  EXPECT_EQ(ThreadCpuTimeNs(1, &unchanged), 0u) << "not a thread of ours";
  EXPECT_EQ(unchanged, 7u);
}

TEST(ThreadList, DetectsADebugger) {
  EXPECT_FALSE(IsDebuggerAttached());
  const pid_t child = fork();
  if (child == 0) {
    if (IsDebuggerAttached()) _exit(1);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    _exit(IsDebuggerAttached() ? 0 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ThreadList, FindsASignalThatIsPendingOnAnyThread) {
  const uint64_t usr1 = uint64_t{1} << (SIGUSR1 - 1);
  const uint64_t usr2 = uint64_t{1} << (SIGUSR2 - 1);
  EXPECT_FALSE(IsSignalPendingAnywhere(usr1 | usr2));
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGUSR1);
  sigaddset(&both, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &both, nullptr);
  {
    std::atomic<bool> raised{false};
    std::atomic<bool> stop{false};
    int32_t tid = 0;
    std::thread other([&] {
      tid = CurrentThreadId();
      raise(SIGUSR1);
      raised.store(true);
      while (!stop.load()) SleepNs(1000000);
    });
    while (!raised.load()) SleepNs(100000);
    EXPECT_TRUE(IsSignalPendingAnywhere(usr1));
    EXPECT_FALSE(IsSignalPendingAnywhere(usr2));
    stop.store(true);
    other.join();
    for (int i = 0; i < 5000 && IsThreadAlive(tid); ++i) SleepNs(1000000);
  }
  EXPECT_FALSE(IsSignalPendingAnywhere(usr1)) << "went with its thread";
  kill(getpid(), SIGUSR2);
  EXPECT_TRUE(IsSignalPendingAnywhere(usr2)) << "pending on the process";
  int taken = 0;
  sigwait(&both, &taken);
  EXPECT_EQ(taken, SIGUSR2);
  pthread_sigmask(SIG_UNBLOCK, &both, nullptr);
}

}  // namespace
}  // namespace softlbr::platform
