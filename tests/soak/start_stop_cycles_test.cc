// Sessions started and stopped thousands of times in one process leave nothing behind: no descriptor, mapping, thread,
// handler or memory; also with busy threads and with thread churn. SOFTLBR_CYCLES sets how often (README.md).
#include <malloc.h>
#include <sys/prctl.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <string>
#include <thread>

#include "tests/soak/soak_session.h"

namespace softlbr {
namespace {

// A thread that ended keeps its entry in /proc for an instant after whoever waited for it knows: on a busy CPU until it
// runs again.
void AwaitThreads(uint32_t threads) {
  for (int i = 0; i < 1000 && CountDirectory("/proc/self/task") > threads + 2; ++i) {  // with "." and ".."
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Of all threads of this process.
uint64_t CpuTimeNs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

struct Footprint {
  int is_trimmed = malloc_trim(0);  // the test itself reads a profile in each cycle: what it has freed is no leak
  uint32_t descriptors = CountDirectory("/proc/self/fd");
  uint32_t threads = 0;
  long mappings = 0;
  uint64_t resident_kb =
      FieldKb("/proc/self/smaps_rollup", "Anonymous:");  // exact, and without the pages of files, which come and go
  uint64_t virtual_kb = StatusKb("VmSize:");
  struct sigaction action = {};
  stack_t stack = {};
  sigset_t mask = {};
  // Of a process in which `app_threads` run, and no session.
  explicit Footprint(uint32_t app_threads) {
    AwaitThreads(app_threads);
    threads = CountDirectory("/proc/self/task");
    const std::string maps = ReadFile("/proc/self/maps");
    mappings = std::count(maps.begin(), maps.end(), '\n');
    sigaction(SIGTRAP, nullptr, &action);
    sigaltstack(nullptr, &stack);
    sigprocmask(SIG_BLOCK, nullptr, &mask);
  }
};

class StartStopCycles : public SoakSession {
 protected:
  // The kernel makes huge pages of small ones in its own time, and all of such a page counts as resident, touched or
  // not.
  void SetUp() override {
    SoakSession::SetUp();
    ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
  }
  void TearDown() override {
    SoakSession::TearDown();
    ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
  }

  // One cycle takes some milliseconds, most of it the wait for signals in flight.
  const uint64_t cycles_ = Setting("SOFTLBR_CYCLES", 500);
  uint64_t samples_ = 0;

  // Each session lasts until `work` has returned.
  template <typename Function>
  void RunCycles(uint64_t cycles, const Function& work) {
    for (uint64_t i = 0; i < cycles; ++i) {
      sink_.bytes.clear();
      ASSERT_EQ(Start(), SOFTLBR_OK) << i;
      work();
      ASSERT_EQ(softlbr_stop(), SOFTLBR_OK) << i;
      samples_ += Read().counters.samples;
    }
  }
  void RunCycles(uint64_t cycles) {
    RunCycles(cycles, [] { (void)Work(20000); });
  }
  static void ExpectSame(const Footprint& before, const Footprint& after) {
    EXPECT_EQ(after.descriptors, before.descriptors);
    EXPECT_EQ(after.threads, before.threads);
    EXPECT_EQ(after.mappings, before.mappings) << ReadFile("/proc/self/maps");
    EXPECT_EQ(after.action.sa_handler, before.action.sa_handler);
    EXPECT_EQ(after.action.sa_flags, before.action.sa_flags);
    EXPECT_EQ(after.stack.ss_sp, before.stack.ss_sp);
    EXPECT_EQ(std::memcmp(&after.mask, &before.mask, sizeof(sigset_t)), 0);
    EXPECT_GT(before.resident_kb, 0u);
    EXPECT_LE(after.resident_kb, before.resident_kb + 256) << "heap of the test itself, between what it has freed";
    EXPECT_LE(after.virtual_kb, before.virtual_kb + 1024);
    RecordProperty("resident_kb_before", static_cast<int>(before.resident_kb));
    RecordProperty("resident_kb_after", static_cast<int>(after.resident_kb));
  }
};

TEST_F(StartStopCycles, IdleProcessLeaksNothing) {
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  RunCycles(cycles_ / 10 + 1);  // for the libc's one-time allocations
  const Footprint before(1);
  RunCycles(cycles_);
  ExpectSame(before, Footprint(1));
  EXPECT_GT(samples_, 0u);
}

TEST_F(StartStopCycles, WithBusyThreadsLeakNothing) {
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!is_over.load()) done += Work(3000) != 0 ? 1 : 0;
    });
  }
  const uint64_t cycles = cycles_ / 4 + 1;  // fewer, because the busy threads use the CPUs too
  // This thread leaves the CPU to the busy ones until they have worked for some periods, however few CPUs there are.
  const auto await_work = [this] {
    const uint64_t end = CpuTimeNs() + 10 * options_.period;
    while (CpuTimeNs() < end) std::this_thread::sleep_for(std::chrono::microseconds(100));
  };
  RunCycles(cycles / 10 + 1, await_work);
  const Footprint before(4);
  RunCycles(cycles, await_work);
  ExpectSame(before, Footprint(4));
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(done.load(), cycles);
  EXPECT_GT(samples_, cycles) << "the busy threads were sampled";
  RecordProperty("samples", std::to_string(samples_));
}

TEST_F(StartStopCycles, WithThreadChurnLeakNothing) {
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> born{0};
  std::thread parent([&] {
    while (!is_over.load()) {
      std::thread child([&] { born += Work(2000) != 0 ? 1 : 0; });
      child.join();
    }
  });
  const uint64_t cycles = cycles_ / 4 + 1;
  RunCycles(cycles / 10 + 1);
  const Footprint before(3);
  RunCycles(cycles);
  is_over = true;
  parent.join();
  const Footprint after(1);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.action.sa_handler, before.action.sa_handler);
  EXPECT_LE(after.resident_kb, before.resident_kb + 256);
  EXPECT_EQ(after.threads, 3u) << "., .. and this thread";
  EXPECT_GT(born.load(), cycles);
}

}  // namespace
}  // namespace softlbr
