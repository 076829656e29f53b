#include "platform/thread.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "platform/linux/kernel_abi.h"
#include "platform/memory_map.h"
#include "platform/syscall.h"
#include "platform/syscall_filter.h"
#include "platform/thread_list.h"
#include "tests/platform/stack_protected.h"

namespace softlbr::platform {
namespace {

constexpr uint64_t kStackBytes = 65536;

class RuntimeThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    stack_ = MapMemory(kStackBytes, false);
    ASSERT_NE(stack_, nullptr);
  }
  void TearDown() override {
    SetSyscallFilterForTest(nullptr);
    UnmapMemory(stack_, kStackBytes);
  }
  Status Start(void (*entry)(void*), void* argument) {
    return StartRuntimeThread(&thread_, entry, argument, stack_, kStackBytes);
  }
  RuntimeThread thread_;
  void* stack_ = nullptr;
};

uint64_t MappedBytes() {
  uint64_t bytes = 0;
  const auto visit = [](void* cookie, const Mapping& mapping) {
    *static_cast<uint64_t*>(cookie) += mapping.end - mapping.begin;
    return true;
  };
  EXPECT_EQ(ForEachMapping(visit, &bytes), Status::kOk);
  return bytes;
}

int CountThreads() {
  int count = 0;
  EXPECT_EQ(ForEachThread([](void* cookie, int32_t) { ++*static_cast<int*>(cookie); }, &count), Status::kOk);
  return count;
}

void Increment(void* cookie) { static_cast<std::atomic<int>*>(cookie)->fetch_add(1); }

TEST_F(RuntimeThreads, StartsAndEndsAThousandTimesWithoutALeak) {
  std::atomic<int> runs{0};
  ASSERT_EQ(Start(Increment, &runs), Status::kOk);
  JoinRuntimeThread(&thread_);
  const uint64_t bytes = MappedBytes();
  for (int i = 0; i < 1000; ++i) {
    void* stack = MapMemory(kStackBytes, false);
    ASSERT_EQ(StartRuntimeThread(&thread_, Increment, &runs, stack, kStackBytes), Status::kOk);
    JoinRuntimeThread(&thread_);
    ASSERT_EQ(thread_.tid.load(), 0);
    UnmapMemory(stack, kStackBytes);  // at once: the thread must no longer use it
  }
  EXPECT_EQ(runs.load(), 1001);
  EXPECT_EQ(MappedBytes(), bytes);
  // The last thread's stack is free before its entry in /proc disappears.
  for (int i = 0; i < 1000 && CountThreads() != 1; ++i) SleepNs(1000000);
  EXPECT_EQ(CountThreads(), 1);
}

struct Inside {
  char name[16];
  uint64_t mask;
  int32_t tid;
  int32_t pid;
  uint64_t stack_pointer;
  uint64_t alignment;
};

void LookAround(void* cookie) {
  auto* inside = static_cast<Inside*>(cookie);
  SysCall(SYS_prctl, PR_GET_NAME, reinterpret_cast<long>(inside->name));
  SysCall(SYS_rt_sigprocmask, kSigBlock, 0, reinterpret_cast<long>(&inside->mask), kSignalSetBytes);
  inside->tid = CurrentThreadId();
  inside->pid = CurrentProcessId();
  inside->stack_pointer = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  alignas(16) volatile char aligned[16] = {};
  inside->alignment = reinterpret_cast<uint64_t>(&aligned[0]) % 16;
}

TEST_F(RuntimeThreads, RunsNamedWithEverySignalBlockedOnItsOwnStack) {
  sigset_t usr1, before, after;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Inside inside = {};
  ASSERT_EQ(Start(LookAround, &inside), Status::kOk);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  JoinRuntimeThread(&thread_);
  EXPECT_STREQ(inside.name, "softlbr");
  const uint64_t unblockable = uint64_t{1} << (SIGKILL - 1) | uint64_t{1} << (SIGSTOP - 1);
  EXPECT_EQ(inside.mask | unblockable, ~uint64_t{0});
  EXPECT_NE(inside.tid, CurrentThreadId());
  EXPECT_EQ(inside.pid, getpid());
  EXPECT_EQ(inside.alignment, 0u);
  const auto base = reinterpret_cast<uint64_t>(stack_);
  EXPECT_GT(inside.stack_pointer, base);
  EXPECT_LT(inside.stack_pointer, base + kStackBytes);
  for (int signal = 1; signal < 65; ++signal)
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
  pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
}

TEST_F(RuntimeThreads, SupportsStackProtectors) {
  static std::atomic<int> length;
  length.store(0);
  ASSERT_EQ(Start([](void*) { length.store(CopyUnderGuard("thirteen char")); }, nullptr), Status::kOk);
  JoinRuntimeThread(&thread_);
  EXPECT_EQ(length.load(), 13);
}

TEST_F(RuntimeThreads, UsesTheWholeStackButNoMore) {
  // A canary below the stack and one above its end.
  auto* around = static_cast<char*>(MapMemory(kStackBytes + 8192, false));
  std::memset(around, 'c', 4096);
  std::memset(around + 4096 + kStackBytes, 'c', 4096);
  static std::atomic<bool> done;
  done.store(false);
  const auto fill = [](void*) {
    volatile char most[kStackBytes - 16384];
    for (uint64_t i = 0; i < sizeof(most); i += 64) most[i] = 1;
    done.store(most[0] == 1);
  };
  ASSERT_EQ(StartRuntimeThread(&thread_, fill, nullptr, around + 4096, kStackBytes), Status::kOk);
  JoinRuntimeThread(&thread_);
  EXPECT_TRUE(done.load());
  for (int i = 0; i < 4096; ++i) {
    ASSERT_EQ(around[i], 'c');
    ASSERT_EQ(around[4096 + kStackBytes + i], 'c');
  }
  UnmapMemory(around, kStackBytes + 8192);
}

TEST_F(RuntimeThreads, RejectsATooSmallStack) {
  EXPECT_EQ(StartRuntimeThread(&thread_, Increment, nullptr, stack_, 16383), Status::kInvalidArgument);
  EXPECT_EQ(thread_.tid.load(), 0);
}

long RefuseClone(long number, long*, bool* handled) {
  *handled = number == SYS_rt_sigprocmask;
  return -EPERM;
}

TEST_F(RuntimeThreads, RefusalLeavesNothingBehind) {
  SetSyscallFilterForTest(RefuseClone);
  std::atomic<int> runs{0};
  EXPECT_EQ(Start(Increment, &runs), Status::kSystemError);
  SetSyscallFilterForTest(nullptr);
  JoinRuntimeThread(&thread_);
  EXPECT_EQ(runs.load(), 0);
}

TEST_F(RuntimeThreads, JoinReturnsInAForkedChild) {
  static std::atomic<bool> stop;
  stop.store(false);
  ASSERT_EQ(Start(
                [](void*) {
                  while (!stop.load()) SleepNs(1000000);
                },
                nullptr),
            Status::kOk);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    JoinRuntimeThread(&thread_);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  stop.store(true);
  JoinRuntimeThread(&thread_);
}

TEST(Waiting, ReturnsAtOnceIfTheWordHasChanged) {
  const std::atomic<uint32_t> word{1};
  const uint64_t before = MonotonicNs();
  WaitOnWord(&word, 0, 5000000000);
  EXPECT_LT(MonotonicNs() - before, 2000000000u);
}

TEST(Waiting, TimesOut) {
  const std::atomic<uint32_t> word{0};
  const uint64_t before = MonotonicNs();
  WaitOnWord(&word, 0, 20000000);
  EXPECT_GE(MonotonicNs() - before, 19000000u);
}

TEST(Waiting, WakeEndsAWaitWithoutTimeout) {
  std::atomic<uint32_t> word{0};
  std::atomic<int> woken{0};
  auto wait = [&] {
    while (word.load() == 0) WaitOnWord(&word, 0, ~uint64_t{0});
    ++woken;
  };
  std::thread first(wait);
  std::thread second(wait);
  SleepNs(10000000);
  EXPECT_EQ(woken.load(), 0);
  word.store(1);
  WakeWord(&word);
  first.join();
  second.join();
  EXPECT_EQ(woken.load(), 2);
}

TEST(Clocks, SleepLastsAndSurvivesSignals) {
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, &old);
  ualarm(5000, 5000);
  const uint64_t before = MonotonicNs();
  SleepNs(50000000);
  EXPECT_GE(MonotonicNs() - before, 50000000u);
  ualarm(0, 0);
  sigaction(SIGALRM, &old, nullptr);
}

TEST(Clocks, AgreeWithLibc) {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const uint64_t libc_ns = static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
  const uint64_t ours = MonotonicNs();
  EXPECT_GE(ours, libc_ns);
  EXPECT_LT(ours - libc_ns, 1000000000u);
  const auto now = static_cast<uint64_t>(::time(nullptr));
  EXPECT_GE(UnixSeconds(), now);
  EXPECT_LE(UnixSeconds(), now + 2);
}

TEST(Clocks, TicksConvertToNanoseconds) {
  CalibrateTicks();
  const uint64_t ns_before = MonotonicNs();
  const uint64_t ticks_before = Ticks();
  SleepNs(100000000);
  const uint64_t by_ticks = TicksToNs(Ticks() - ticks_before);
  const uint64_t by_clock = MonotonicNs() - ns_before;
  EXPECT_GT(by_ticks, by_clock * 98 / 100);
  EXPECT_LT(by_ticks, by_clock * 102 / 100);
  EXPECT_EQ(TicksToNs(0), 0u);
}

long RefuseSleep(long number, long[6], bool* handled) {
  *handled = number == SYS_nanosleep;
  return *handled ? -EPERM : 0;
}

TEST(Sleep, TakesItsTimeWhereASandboxRefusesTheCall) {
  constexpr uint64_t kNs = 20000000;
  const uint64_t begin = MonotonicNs();
  SetSyscallFilterForTest(RefuseSleep);
  SleepNs(kNs);
  SetSyscallFilterForTest(nullptr);
  EXPECT_GE(MonotonicNs() - begin, kNs);
}

}  // namespace
}  // namespace softlbr::platform
