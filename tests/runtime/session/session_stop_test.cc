// Several threads stop a session at the same time: one of them stops it, the others wait and change nothing.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

class SessionStop : public SessionTest {};

TEST_F(SessionStop, BySeveralThreadsAtOnceHappensOnce) {
  constexpr int kRounds = 300;
  constexpr int kThreads = 4;
  for (int round = 0; round < kRounds; ++round) {
    sink_.bytes.clear();
    START_OR_SKIP();
    std::atomic<int> ready{0};
    std::atomic<int> stopped{0};
    std::atomic<int> others{0};
    std::atomic<size_t> written[kThreads] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        while (ready != kThreads) {
        }
        // Some threads come later: while the first one waits for the control thread, or unmaps the memory.
        for (int spin = 0; spin < i * round * 20; ++spin) asm volatile("");
        const int status = softlbr_stop();
        if (status == SOFTLBR_OK) ++stopped;
        if (status == SOFTLBR_WRONG_STATE) ++others;
        written[i] = sink_.bytes.size();
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(stopped, 1);
    ASSERT_EQ(others, kThreads - 1);
    ASSERT_EQ(softlbr_is_running(), 0);
    for (const auto& bytes : written)
      ASSERT_EQ(bytes, sink_.bytes.size()) << "the profile was complete when stop returned";
  }
  EXPECT_FALSE(Read().is_truncated);
}

TEST_F(SessionStop, OfAnotherSessionLeavesThisOneAlone) {
  START_OR_SKIP();
  int other = 0;
  EXPECT_EQ(softlbr_stop_session(&other), SOFTLBR_WRONG_STATE);
  EXPECT_EQ(softlbr_is_running(), 1);
  EXPECT_EQ(softlbr_stop_session(&sink_), SOFTLBR_OK);
  EXPECT_EQ(softlbr_is_running(), 0);
  EXPECT_EQ(softlbr_stop_session(&sink_), SOFTLBR_WRONG_STATE);
  EXPECT_FALSE(Read().is_truncated);
}

// As when a signal handler calls exit() while its thread is in exit() already.
constexpr int kNotAsked = -1;
pid_t g_process;
pid_t g_stopping_thread;
std::atomic<int> g_status;
std::atomic<uint64_t> g_wait_ns;

uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

TEST_F(SessionStop, InAHandlerOfTheStoppingThreadDoesNotWait) {
  g_stopping_thread = gettid();
  g_status = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    const uint64_t begin = NowNs();
    const int status = softlbr_stop();
    g_wait_ns = NowNs() - begin;
    g_status = status;
  };
  struct sigaction before;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  // The control thread sends the signal when it writes the end of the profile; the stopping thread is then waiting for
  // it.
  g_process = getpid();
  options_.sink = [](void*, const void*, size_t) {
    if (g_status == kNotAsked) syscall(SYS_tgkill, g_process, g_stopping_thread, SIGUSR1);
    return 0;
  };
  const int started = Start();
  g_status = kNotAsked;
  if (started == SOFTLBR_OK) {
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  }
  ASSERT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
  if (started == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open";
  EXPECT_EQ(g_status, SOFTLBR_WRONG_STATE);
  EXPECT_LT(g_wait_ns, 500000000u);
}

}  // namespace
}  // namespace softlbr
