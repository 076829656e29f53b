// What a session of default options takes of memory: resident at most 1.5 MiB and 16 KiB for each thread
// (docs/design.md) while it lasts, and nothing after stop. Of addresses it takes what softlbr.h says, whatever the
// number of threads. Prints both.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/soak/soak_session.h"

namespace softlbr {
namespace {

// The session's region is left out of core dumps ("dd" in VmFlags), as no mapping of the test is; the kernel's own are
// subtracted.
struct RegionMemory {
  uint64_t size_kb = 0;
  uint64_t resident_kb = 0;
  RegionMemory() {
    std::istringstream lines(ReadFile("/proc/self/smaps"));
    uint64_t size = 0;
    uint64_t resident = 0;
    for (std::string line; std::getline(lines, line);) {
      std::sscanf(line.c_str(), "Size: %lu kB", &size);
      std::sscanf(line.c_str(), "Rss: %lu kB", &resident);
      if (line.rfind("VmFlags:", 0) == 0 && line.find(" dd") != std::string::npos) {
        size_kb += size;
        resident_kb += resident;
      }
    }
  }
};

// Threads that work one after another, so that the test takes as long on a busy machine, and then wait.
class SessionMemory : public SoakSession, public ::testing::WithParamInterface<uint32_t> {
 protected:
  void SetUp() override {
    SoakSession::SetUp();
    options_.event = SOFTLBR_EVENT_BEST;
    options_.period = 0;
    options_.max_overhead_ppm = 1000000;  // each thread is sampled, whatever a sample costs here
    turn_.lock();
    for (uint32_t i = 1; i < GetParam(); ++i) threads_.emplace_back([this] { WorkOnce(); });
  }
  void TearDown() override {
    is_over_ = true;
    is_over_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    SoakSession::TearDown();
  }
  void WorkOnce() {
    {
      const std::lock_guard lock(turn_);
      WorkForCpu(std::chrono::milliseconds(28));  // one or two samples, 17 ms apart
    }
    ++done_;
    done_.notify_one();
    is_over_.wait(false);
  }
  std::mutex turn_;
  std::atomic<uint32_t> done_{0};
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

TEST_P(SessionMemory, StaysWithinTheBudgetAndIsGivenBack) {
  (void)RegionMemory();
  const RegionMemory before;
  const int status = Start();
  WorkForCpu(std::chrono::milliseconds(200));
  turn_.unlock();
  for (uint32_t done = 0; done + 1 < GetParam(); done = done_) done_.wait(done);
  if (status == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open";
  ASSERT_EQ(status, SOFTLBR_OK);
  WorkForCpu(std::chrono::milliseconds(200));
  const RegionMemory during;
  const softlbr_counters counters = Counters();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const uint64_t resident_kb = during.resident_kb - before.resident_kb;
  EXPECT_GE(counters.samples, 10 + GetParam());
  EXPECT_GE(resident_kb, 64u) << "the region was not found";
  EXPECT_LE(resident_kb, 1536 + 16 * GetParam());
  const uint64_t mapped_kb = during.size_kb - before.size_kb;
  EXPECT_LE(mapped_kb, 22500u) << "softlbr.h says some 22 MB";
  EXPECT_EQ(RegionMemory().size_kb, before.size_kb);
  std::printf("%u threads: %lu KiB resident of %lu KiB mapped, %lu samples\n", GetParam(), resident_kb, mapped_kb,
              counters.samples);
  RecordProperty("resident_kb", static_cast<int>(resident_kb));
  RecordProperty("mapped_kb", static_cast<int>(mapped_kb));
  RecordProperty("samples", static_cast<int>(counters.samples));
}

INSTANTIATE_TEST_SUITE_P(Threads, SessionMemory, ::testing::Values(1u, 100u, 400u));

}  // namespace
}  // namespace softlbr
