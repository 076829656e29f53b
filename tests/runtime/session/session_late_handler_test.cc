// A thread is still inside our handler when the session stops: preempted on a busy machine, or frozen. Stop gives it up
// after a while. The thread then leaves the handler at any later moment; its events must be off before the program's
// own action for SIGTRAP is back.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "platform/linux/raw_syscall.h"
#include "platform/syscall_filter.h"
#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

std::atomic<int32_t> g_host{0};
std::atomic<int32_t> g_sampled{0};
std::atomic<bool> g_is_hold_wanted{false};
std::atomic<bool> g_is_held{false};
std::atomic<bool> g_is_released{false};

long Raw(long number, long a = 0, long b = 0) { return platform::RawSysCall(number, a, b, 0, 0, 0, 0); }

// Holds the sampled thread at the first call that its handler makes about an event. Meanwhile stop's waits take no
// time, until the session is withdrawn: then the sampled thread goes on.
long HoldSampled(long number, long arguments[6], bool* handled) {
  if (number == SYS_ioctl && g_is_hold_wanted && Raw(SYS_gettid) == g_sampled) {
    g_is_held = true;
    while (!g_is_released) Raw(SYS_sched_yield);
  }
  if (number == SYS_nanosleep && g_is_held && !g_is_released) {
    (void)arguments;
    if (Raw(SYS_getpid) == g_host && softlbr_is_running() == 0) {
      g_is_released = true;
      return 0;
    }
    *handled = true;
  }
  return 0;
}

class SessionLateHandler : public ::testing::Test {
 protected:
  // In a child, which may die. 0, or what went wrong.
  static int LiveThrough(bool is_lending) {
    if (softlbr_register_decoder(SOFTLBR_HOST_PLUGIN()) != SOFTLBR_OK) return 2;
    static Sink sink;
    sink.bytes.reserve(4 << 20);
    const int file = memfd_create("profile", MFD_CLOEXEC);
    softlbr_options options = {};
    options.struct_size = sizeof options;
    options.event = SOFTLBR_EVENT_TASK_CLOCK;
    options.period = kSamplePeriodNs;
    options.max_threads = 8;
    options.sink = is_lending ? nullptr : Sink::Take;
    options.sink_cookie = &sink;
    options.sink_fd = file;
    std::atomic<bool> is_done{false};
    std::thread sampled([&] {
      g_sampled = gettid();
      while (!is_done) Work(20000);
    });
    g_host = getpid();
    platform::SetSyscallFilterForTest(HoldSampled);
    const int started = softlbr_start(&options);
    if (started == SOFTLBR_PERMISSION_DENIED || started == SOFTLBR_UNSUPPORTED) _exit(77);
    if (started != SOFTLBR_OK) return 3;
    g_is_hold_wanted = true;
    while (!g_is_held) std::this_thread::sleep_for(milliseconds(1));
    const int stopped = softlbr_stop();
    g_is_hold_wanted = false;
    const bool was_given_up = g_is_released;
    g_is_released = true;
    WorkForCpu(milliseconds(50));  // the sampled thread runs as long, or longer
    std::this_thread::sleep_for(milliseconds(50));
    is_done = true;
    sampled.join();
    platform::SetSyscallFilterForTest(nullptr);
    if (!was_given_up) return 4;
    if (stopped != SOFTLBR_OK) return 5;
    if (is_lending) {
      sink.bytes.resize(4 << 20);
      const ssize_t bytes = pread(file, sink.bytes.data(), sink.bytes.size(), 0);
      sink.bytes.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    }
    const auto read = toolchain::ReadProfile({sink.bytes.data(), sink.bytes.size()}, "late");
    const auto* profile = std::get_if<Profile>(&read);
    if (profile == nullptr) return 6;
    return profile->counters.lost[static_cast<uint32_t>(LossReason::kLateSample)] != 0 ? 0 : 7;
  }

  static void TryInChild(bool is_lending) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(LiveThrough(is_lending));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs perf_event_open";
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
};

TEST_F(SessionLateHandler, LeavesNoEventOnAfterStop) { TryInChild(false); }

TEST_F(SessionLateHandler, LeavesNoEventOnAfterStopOfALendingHelper) { TryInChild(true); }

}  // namespace
}  // namespace softlbr
