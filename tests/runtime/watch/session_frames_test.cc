// A loop of frames with a pool of threads: little CPU time, many context switches. Its samples must come, within the
// limit, and no call of it may end early.
#include <unistd.h>

#include <barrier>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <thread>
#include <vector>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

constexpr uint32_t kLimitPpm = 10000;

class SessionFrames : public SessionTest {
 protected:
  static constexpr uint32_t kWorkers = 12;

  void SetUp() override {
    SessionTest::SetUp();
    options_.period = 0;
    options_.max_overhead_ppm = kLimitPpm;
    // A helper that shares the app's descriptors for a sink function looks more often.
    file_ = tmpfile();
    options_.sink = nullptr;
    options_.sink_fd = fileno(file_);
    for (uint32_t i = 0; i < kWorkers; ++i) {
      workers_.emplace_back([this] {
        for (;;) {
          begin_.arrive_and_wait();
          if (is_over_) return;
          (void)Work(4000);
          end_.arrive_and_wait();
        }
      });
    }
  }
  void TearDown() override {
    is_over_ = true;
    begin_.arrive_and_wait();
    for (std::thread& worker : workers_) worker.join();
    SessionTest::TearDown();
    (void)fclose(file_);
  }
  // 60 frames a second: 4 ms of work, of which the pool does a part, and a wait. Counts the waits that ended early.
  void PlayFor(std::chrono::seconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      begin_.arrive_and_wait();
      WorkForCpu(std::chrono::milliseconds(4));
      end_.arrive_and_wait();
      timespec wait = {0, 12000000};
      if (nanosleep(&wait, nullptr) != 0) ++interrupted_;
    }
  }
  SessionCounters StopAndCount() {
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
    sink_.bytes.resize(static_cast<size_t>(lseek(options_.sink_fd, 0, SEEK_END)));
    EXPECT_EQ(pread(options_.sink_fd, sink_.bytes.data(), sink_.bytes.size(), 0),
              static_cast<ssize_t>(sink_.bytes.size()));
    return Read().counters;
  }
  // CPU timers that this process has; -1 if the kernel does not list them.
  static int TimerCount() {
    if (access("/proc/self/timers", R_OK) != 0) return -1;
    const std::string text = ReadFile("/proc/self/timers");
    int count = 0;
    for (size_t at = 0; (at = text.find("notify:", at)) != std::string::npos; ++at) ++count;
    return count;
  }

  struct Spent {
    double overhead_ns;
    double cpu_ns;
    double samples;
  };
  static Spent SpentSoFar() {
    const softlbr_counters counters = Counters();
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return {static_cast<double>(counters.overhead_ns),
            static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec),
            static_cast<double>(counters.samples)};
  }

  FILE* file_ = nullptr;
  std::barrier<> begin_{kWorkers + 1};
  std::barrier<> end_{kWorkers + 1};
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> workers_;
  int interrupted_ = 0;
};

TEST_F(SessionFrames, AreSampledWithinTheLimit) {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  const double start_cpu_ns = static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
  START_OR_SKIP();
  PlayFor(std::chrono::seconds(5));
  const Spent begin = SpentSoFar();
  PlayFor(std::chrono::seconds(10));
  const Spent end = SpentSoFar();
  const int timers = TimerCount();
  const SessionCounters counters = StopAndCount();
  if (counters.timer_cpu_ns == 0)
    GTEST_SKIP() << "needs timers that end no call (Linux 5.19), and events of the kernel";
  EXPECT_EQ(interrupted_, 0) << "calls that ended with EINTR";
  EXPECT_EQ(counters.threads_traced, kWorkers + 1);
  EXPECT_EQ(counters.threads_untraced, 0u);
  // Switches cost nothing from the start on.
  EXPECT_GT(counters.timer_cpu_ns, counters.app_cpu_ns / 4 * 3);
  EXPECT_EQ(counters.overhead_switching_ns, 0u);
  EXPECT_EQ(counters.paused_cpu_ns, 0u);
  if (timers >= 0) {
    EXPECT_EQ(timers, static_cast<int>(kWorkers) + 1);
    EXPECT_EQ(TimerCount(), 0);
  }
  const double told = (end.overhead_ns - begin.overhead_ns) / (end.cpu_ns - begin.cpu_ns);
  const double samples = end.samples - begin.samples;
  const double cpu_ns = end.cpu_ns - begin.cpu_ns;
  const double traces_ns =
      static_cast<double>(counters.overhead_total_ns - counters.overhead_control_ns - counters.overhead_switching_ns);
  ASSERT_GT(counters.samples, 0u);
  const double limit = kLimitPpm / 1e6;
  const double paid = cpu_ns * limit / (traces_ns / static_cast<double>(counters.samples));
  const double asked = cpu_ns / 17200052;
  std::printf("%.0f samples of %.0f that the period asks for and %.0f that the limit pays for; told %.2f %%\n", samples,
              asked, paid, 100 * told);
  EXPECT_GE(samples, std::min(asked, paid) / 2);
  EXPECT_LE(begin.overhead_ns / (begin.cpu_ns - start_cpu_ns), limit * 1.1) << "of the first seconds, with the start";
  EXPECT_LE(told, limit * 1.1);  // the last account may be two seconds old
}

// Threads that are born later get timers, too, and what they leave is gone at the end.
TEST_F(SessionFrames, ThreadsBornLaterAreSampledToo) {
  START_OR_SKIP();
  PlayFor(std::chrono::seconds(2));
  std::atomic<bool> is_done{false};
  std::thread late([&is_done] {
    while (!is_done) {
      WorkForCpu(std::chrono::milliseconds(8));
      usleep(8000);
    }
  });
  PlayFor(std::chrono::seconds(6));
  is_done = true;
  late.join();
  const SessionCounters counters = StopAndCount();
  if (counters.timer_cpu_ns == 0)
    GTEST_SKIP() << "needs timers that end no call (Linux 5.19), and events of the kernel";
  EXPECT_EQ(counters.threads_traced, kWorkers + 2);
  EXPECT_EQ(counters.threads_untraced, 0u);
  EXPECT_EQ(interrupted_, 0);
  EXPECT_LE(TimerCount(), 0);
}

}  // namespace
}  // namespace softlbr
