// What a session costs threads that hand a turn to each other, at a context switch each: only CPU time for each turn is
// compared, without a session, with a budget and without one, in turns.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

class SessionSwitch : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    options_.period = 0;
    for (uint32_t i = 0; i < 2; ++i) players_[i] = std::thread([this, i] { Play(i); });
  }
  void TearDown() override {
    is_over_ = true;
    for (std::thread& player : players_) player.join();
    SessionTest::TearDown();
  }
  // CPU time of a turn, over 100 ms of it.
  double TurnNs() const {
    const uint64_t begin_ns = CpuNs();
    const uint64_t first = turns_;
    while (CpuNs() < begin_ns + 100000000) usleep(5000);
    const auto used_ns = static_cast<double>(CpuNs() - begin_ns);
    return used_ns / static_cast<double>(turns_ - first + 1);
  }
  // The same with a session, after its first 100 ms.
  double TurnNsWith(uint32_t max_overhead_ppm) {
    options_.max_overhead_ppm = max_overhead_ppm;
    sink_.bytes.clear();
    start_status_ = Start();
    if (start_status_ != SOFTLBR_OK) return 0;
    (void)TurnNs();
    const double turn_ns = TurnNs();
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
    return turn_ns;
  }
  int start_status_ = SOFTLBR_OK;

 private:
  static uint64_t CpuNs() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
  }
  void Play(uint32_t self) {
    cpu_set_t first_cpu;
    CPU_ZERO(&first_cpu);
    CPU_SET(FirstCpu(), &first_cpu);  // on one CPU each turn is a switch
    (void)sched_setaffinity(0, sizeof first_cpu, &first_cpu);
    while (!is_over_) {
      const timespec timeout = {0, 10000000};
      while (turn_ != self && !is_over_) syscall(SYS_futex, &turn_, FUTEX_WAIT_PRIVATE, 1 - self, &timeout, nullptr, 0);
      ++turns_;
      turn_ = 1 - self;
      syscall(SYS_futex, &turn_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
  }
  static int FirstCpu() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    (void)sched_getaffinity(getpid(), sizeof allowed, &allowed);
    int cpu = 0;
    while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &allowed)) ++cpu;
    return cpu;
  }
  std::atomic<bool> is_over_{false};
  std::atomic<uint32_t> turn_{0};
  std::atomic<uint64_t> turns_{0};
  std::thread players_[2];
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST_F(SessionSwitch, BudgetRemovesMostOfTheCostOfSwitches) {
  constexpr uint32_t kNoLimit = 1000000;
  std::vector<double> with_budget;
  std::vector<double> without_budget;
  uint64_t without_events_ns = 0;
  uint64_t app_ns = 0;
  for (int round = 0; round < 7; ++round) {
    const double alone_ns = TurnNs();
    with_budget.push_back(TurnNsWith(0) / alone_ns - 1);
    if (start_status_ == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open";
    ASSERT_EQ(start_status_, SOFTLBR_OK);
    const SessionCounters counters = Read().counters;
    if (counters.overhead_switching_ns == 0) GTEST_SKIP() << "needs CONFIG_SCHED_INFO and events of the kernel";
    without_events_ns += counters.paused_cpu_ns + counters.timer_cpu_ns;  // without events
    app_ns += counters.app_cpu_ns;
    EXPECT_LE(counters.paused_cpu_ns + counters.timer_cpu_ns, counters.app_cpu_ns);
    without_budget.push_back(TurnNsWith(kNoLimit) / alone_ns - 1);
    EXPECT_EQ(Read().counters.paused_cpu_ns, 0u);
  }
  EXPECT_GT(without_events_ns, app_ns / 4);
  // Each switch becomes 60 to 140 % more expensive without a budget. What remains with it is the kernel's look at the
  // threads that have had events.
  std::printf("CPU time of a turn: %+.0f %% with the budget, %+.0f %% without\n", 100 * Median(with_budget),
              100 * Median(without_budget));
  EXPECT_LT(Median(with_budget), Median(without_budget) / 2);
}

}  // namespace
}  // namespace softlbr
