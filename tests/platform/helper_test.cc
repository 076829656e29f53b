#include "platform/helper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "platform/file.h"
#include "platform/memory_map.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/thread_list.h"
#include "platform/trap_signal.h"
#include "tests/platform/process_end_wait.h"

namespace softlbr::platform {
namespace {

constexpr uint64_t kHelperStackBytes = 65536;

// Shared by the test, the host and its helper. The host is a child of the test in those tests in which it ends.
struct Shared {
  std::atomic<int32_t> helper;
  std::atomic<uint32_t> is_started;
  std::atomic<uint32_t> may_end;
  std::atomic<uint32_t> is_host_gone;
  std::atomic<uint32_t> ids[6];
  std::atomic<uint32_t> are_followed;
  std::atomic<int> is_dumpable;
};

Shared* g_shared;
RuntimeThread g_thread;
std::vector<int32_t> g_tids;

// Futexes of the words above are not shared between processes, so those of other processes are polled.
void AwaitWord(const std::atomic<uint32_t>& word) {
  while (word.load() == 0) WaitOnWord(&word, 0, 1000000);
}

class Helper : public ::testing::Test {
 protected:
  void SetUp() override {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    g_shared = static_cast<Shared*>(memory);
    ASSERT_EQ(pipe2(held_, O_CLOEXEC), 0);
  }
  void TearDown() override {
    g_shared->may_end = 1;
    munmap(g_shared, sizeof(Shared));
    close(held_[0]);
    close(held_[1]);
  }

  static Status Start(void (*entry)(void*)) {
    BecomeHost();
    g_thread.tid = 0;
    g_thread.is_helper = true;
    return StartRuntimeThread(&g_thread, entry, nullptr, MapMemory(kHelperStackBytes, false), kHelperStackBytes);
  }

  // A child process that starts a helper, then calls `then`.
  pid_t StartHost(void (*entry)(void*), void (*then)()) {
    const pid_t host = fork();
    if (host == 0) {
      if (Start(entry) != Status::kOk) _exit(1);
      AwaitWord(g_shared->is_started);
      then();
      _exit(2);
    }
    return host;
  }

  // Waits until nobody holds the writing end of the pipe.
  bool IsPipeClosed(int timeout_ms) {
    close(held_[1]);
    held_[1] = -1;
    pollfd wait{held_[0], POLLIN, 0};
    return poll(&wait, 1, timeout_ms) == 1 && (wait.revents & POLLHUP) != 0;
  }

  int held_[2] = {-1, -1};
};

// The entry of helpers that look for the host's end.
void WatchHost(void*) {
  g_shared->helper = CurrentProcessId();
  g_shared->is_started = 1;
  while (!IsHostGone()) SleepNs(100000);
  CloseHostDescriptors(-1);
  g_shared->is_host_gone = 1;
  AwaitWord(g_shared->may_end);
}

TEST_F(Helper, IsAProcessThatTheHostNeitherListsNorWaitsFor) {
  static std::atomic<int32_t> parent, group, session;
  ASSERT_EQ(Start([](void*) {
              parent = static_cast<int32_t>(SysCall(SYS_getppid));
              group = static_cast<int32_t>(SysCall(SYS_getpgid, 0));
              session = static_cast<int32_t>(SysCall(SYS_getsid, 0));
              g_shared->helper = CurrentProcessId();
              g_shared->is_started = 1;
              AwaitWord(g_shared->may_end);
            }),
            Status::kOk);
  AwaitWord(g_shared->is_started);
  const int32_t helper = g_shared->helper;
  EXPECT_NE(helper, getpid());
  EXPECT_NE(parent.load(), getpid());
  EXPECT_NE(parent.load(), 0) << "memory is shared";
  EXPECT_EQ(group.load(), helper);
  EXPECT_EQ(session.load(), getsid(0)) << "the scheduler shares out CPU time by sessions";
  uint32_t threads = 0;
  EXPECT_EQ(ForEachThread([](void* count, int32_t) { ++*static_cast<uint32_t*>(count); }, &threads), Status::kOk);
  EXPECT_EQ(threads, 1u);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG | __WALL), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_FALSE(HasHelperEnded(g_thread));
  g_shared->may_end = 1;
  JoinRuntimeThread(&g_thread);
  EXPECT_EQ(g_thread.tid.load(), 0);
  EXPECT_TRUE(softlbr::testing::HasProcessEnded(helper));
}

TEST_F(Helper, EndIsNoticedIfItIsKilled) {
  ASSERT_EQ(Start([](void*) {
              g_shared->is_started = 1;
              AwaitWord(g_shared->may_end);
            }),
            Status::kOk);
  AwaitWord(g_shared->is_started);
  EXPECT_FALSE(HasHelperEnded(g_thread));
  ASSERT_EQ(kill(g_thread.tid, SIGKILL), 0);
  while (!HasHelperEnded(g_thread)) SleepNs(100000);
  JoinRuntimeThread(&g_thread);  // returns at once
}

// It shares the host's descriptors, so what it had open stays open, and nobody else knows of it.
TEST_F(Helper, FilesThatItWasReadingWhenKilledAreClosed) {
  static std::atomic<int> in_helper;
  ASSERT_EQ(Start([](void*) {
              (void)BecomeHelper(-1);
              in_helper = static_cast<int>(OpenBriefly("/proc/loadavg"));
              g_shared->is_started = 1;
              AwaitWord(g_shared->may_end);
            }),
            Status::kOk);
  AwaitWord(g_shared->is_started);
  ASSERT_EQ(kill(g_thread.tid, SIGKILL), 0);
  while (!HasHelperEnded(g_thread)) SleepNs(100000);
  JoinRuntimeThread(&g_thread);
  ASSERT_GE(fcntl(in_helper, F_GETFD), 0);
  const int in_host = static_cast<int>(OpenBriefly("/proc/loadavg"));
  const int appended = open("/dev/null", O_WRONLY | O_APPEND | O_SYNC | O_NONBLOCK | O_CLOEXEC);
  CloseFilesOfKilledHelper();
  EXPECT_EQ(fcntl(in_helper, F_GETFD), -1);
  for (const int kept : {in_host, appended, held_[0], held_[1], 0, 1, 2}) EXPECT_GE(fcntl(kept, F_GETFD), 0) << kept;
  close(in_host);
  close(appended);
}

TEST_F(Helper, ListsAndTimesTheThreadsOfTheHost) {
  static std::atomic<uint64_t> main_ns, other_ns, process_ns, threads;
  static std::atomic<int32_t> other_tid;
  static std::atomic<bool> is_alive, is_gone;
  g_tids.clear();
  g_tids.reserve(16);
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    other_tid = CurrentThreadId();
    while (!is_over || ThreadCpuTimeNs(0) < 20000000) {
    }
  });
  while (other_tid == 0) SleepNs(100000);
  ASSERT_EQ(Start([](void*) {
              (void)ForEachThread([](void*, int32_t tid) { g_tids.push_back(tid); }, nullptr);
              is_alive = IsThreadAlive(other_tid);
              is_gone = !IsThreadAlive(CurrentThreadId());
              while (ThreadCpuTimeNs(other_tid) < 20000000) SleepNs(1000000);
              other_ns = ThreadCpuTimeNs(other_tid);
              main_ns = ThreadCpuTimeNs(HostProcessId());
              process_ns = ProcessCpuTimeNs();
              threads = ThreadCount();
            }),
            Status::kOk);
  JoinRuntimeThread(&g_thread);
  is_over = true;
  other.join();
  std::sort(g_tids.begin(), g_tids.end());
  EXPECT_EQ(g_tids, (std::vector<int32_t>{std::min(getpid(), other_tid.load()), std::max(getpid(), other_tid.load())}));
  EXPECT_TRUE(is_alive);
  EXPECT_TRUE(is_gone) << "the helper is no thread of the host";
  EXPECT_GT(main_ns, 0u);
  EXPECT_GE(process_ns, other_ns);
  EXPECT_EQ(threads, 2u);
}

TEST_F(Helper, NoticesThatTheHostIsKilledAndClosesItsFiles) {
  const pid_t host = StartHost(WatchHost, [] { pause(); });
  AwaitWord(g_shared->is_started);
  EXPECT_EQ(g_shared->is_host_gone, 0u);
  ASSERT_EQ(kill(host, SIGKILL), 0);
  EXPECT_TRUE(IsPipeClosed(10000)) << "while the helper still runs";
  ASSERT_EQ(waitpid(host, nullptr, 0), host);
  AwaitWord(g_shared->is_host_gone);
  g_shared->may_end = 1;
  EXPECT_TRUE(softlbr::testing::HasProcessEnded(g_shared->helper));
}

TEST_F(Helper, DoesNotKeepTheProcessAliveAfterARawExit) {
  const pid_t host = StartHost(WatchHost, [] { syscall(SYS_exit, 3); });
  int status = 0;
  ASSERT_EQ(waitpid(host, &status, 0), host);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  AwaitWord(g_shared->is_host_gone);
}

TEST_F(Helper, NoticesThatTheHostExecutesAnotherProgram) {
  const pid_t host = StartHost(WatchHost, [] { execl("/bin/sleep", "sleep", "1000", nullptr); });
  AwaitWord(g_shared->is_host_gone);
  EXPECT_TRUE(IsPipeClosed(10000)) << "the other program has not inherited it";
  kill(host, SIGKILL);
  ASSERT_EQ(waitpid(host, nullptr, 0), host);
}

// What the host has left can be unmounted.
TEST_F(Helper, StaysInNoFolderOfTheHost) {
  char before[4096];
  ASSERT_NE(getcwd(before, sizeof before), nullptr);
  ASSERT_EQ(chdir("/proc"), 0);
  const pid_t host = StartHost(
      [](void*) {
        char folder[4096] = {};
        const long length = SysCall(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/thread-self/cwd"),
                                    reinterpret_cast<long>(folder), sizeof folder - 1);
        g_shared->is_host_gone = length == 1 && folder[0] == '/' ? 2 : 1;
        g_shared->is_started = 1;
      },
      [] { _exit(0); });
  EXPECT_EQ(chdir(before), 0);
  ASSERT_EQ(waitpid(host, nullptr, 0), host);
  AwaitWord(g_shared->is_host_gone);
  EXPECT_EQ(g_shared->is_host_gone, 2u);
}

TEST_F(Helper, KeepsTheNamedDescriptorAlone) {
  static std::atomic<int> kept;
  kept = held_[1];
  const pid_t host = StartHost(
      [](void*) {
        g_shared->is_started = 1;
        while (!IsHostGone()) SleepNs(100000);
        CloseHostDescriptors(kept);
        const char letter = 'x';
        SysCall(SYS_write, kept, reinterpret_cast<long>(&letter), 1);
        g_shared->is_host_gone =
            SysCall(SYS_fcntl, 0, F_GETFD) == -EBADF && SysCall(SYS_fcntl, kept + 1, F_GETFD) == -EBADF ? 2 : 1;
      },
      [] {
        dup2(kept, kept + 1);
        dup2(kept, 0);
        kill(getpid(), SIGKILL);
      });
  ASSERT_EQ(waitpid(host, nullptr, 0), host);
  AwaitWord(g_shared->is_host_gone);
  EXPECT_EQ(g_shared->is_host_gone, 2u);
  char letter = 0;
  EXPECT_EQ(read(held_[0], &letter, 1), 1);
  EXPECT_EQ(letter, 'x');
}

TEST_F(Helper, TellsTheEndOfTheMainThreadFromThatOfTheHost) {
  const pid_t host = StartHost(
      [](void*) {
        g_shared->is_started = 1;
        // The memory of a thread that has ended cannot be read.
        uint64_t word = 0;
        const iovec here{&word, sizeof word};
        while (SysCall(SYS_process_vm_readv, HostProcessId(), reinterpret_cast<long>(&here), 1,
                       reinterpret_cast<long>(&here), 1, 0) != -ESRCH) {
        }
        g_shared->is_host_gone = IsHostGone() ? 2 : 1;
        while (!IsHostGone()) SleepNs(100000);
        g_shared->may_end = 1;
      },
      [] {
        static std::atomic<bool> is_running;
        std::thread other([] {
          is_running = true;
          pause();
        });
        other.detach();
        while (!is_running) SleepNs(100000);
        syscall(SYS_exit, 0);
      });
  AwaitWord(g_shared->is_host_gone);
  EXPECT_EQ(g_shared->is_host_gone, 1u) << "another thread of the host still runs";
  kill(host, SIGKILL);
  AwaitWord(g_shared->may_end);
  ASSERT_EQ(waitpid(host, nullptr, 0), host);
}

TEST_F(Helper, IsNotStartedByASubreaper) {
  const pid_t host = fork();
  if (host == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const bool is_refused = Start([](void*) {}) == Status::kPermissionDenied;
    _exit(is_refused && waitpid(-1, nullptr, WNOHANG | __WALL) == -1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(host, &status, 0), host);
  EXPECT_EQ(status, 0);
}

TEST_F(Helper, TakesOverTheIdsOfTheHost) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const pid_t host = StartHost(
      [](void*) {
        g_shared->is_started = 1;
        AwaitWord(g_shared->are_followed);
        FollowHostCredentials();
        uint32_t ids[6] = {};
        SysCall(SYS_getresuid, reinterpret_cast<long>(&ids[0]), reinterpret_cast<long>(&ids[1]),
                reinterpret_cast<long>(&ids[2]));
        SysCall(SYS_getresgid, reinterpret_cast<long>(&ids[3]), reinterpret_cast<long>(&ids[4]),
                reinterpret_cast<long>(&ids[5]));
        for (int i = 0; i < 6; ++i) g_shared->ids[i] = ids[i];
        g_shared->is_dumpable = static_cast<int>(SysCall(SYS_prctl, PR_GET_DUMPABLE));
        g_shared->is_host_gone = 1;
      },
      [] {
        if (setresgid(1001, 1002, 1003) != 0 || setresuid(2001, 2002, 2003) != 0) _exit(4);
        prctl(PR_SET_DUMPABLE, 1);
        g_shared->are_followed = 1;
        pause();
      });
  AwaitWord(g_shared->is_host_gone);
  const uint32_t wanted[6] = {2001, 2002, 2003, 1001, 1002, 1003};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(g_shared->ids[i], wanted[i]) << i;
  EXPECT_EQ(g_shared->is_dumpable, 1) << "the host has set it";
  kill(host, SIGKILL);
  ASSERT_EQ(waitpid(host, nullptr, 0), host);
}

}  // namespace
}  // namespace softlbr::platform
