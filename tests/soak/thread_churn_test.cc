// Threads that come and go while a session runs (hazard 25). A thread born during a session is sampled in that session.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/soak/soak_session.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;

class ThreadChurn : public SoakSession {};

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The control thread looks every kControlPeriodNs (8 ms); the rest of the time is the machine's.
TEST_F(ThreadChurn, ThreadBornMidSessionIsTracedWithinMilliseconds) {
  START_OR_SKIP();
  std::vector<double> delays;
  for (int i = 0; i < 40; ++i) {
    const uint64_t before = Counters().threads_traced;
    std::atomic<bool> is_over{false};
    const auto begin = std::chrono::steady_clock::now();
    std::thread born([&] {
      while (!is_over.load()) (void)Work(1000);
    });
    while (Counters().threads_traced == before && SecondsSince(begin) < 5) usleep(200);
    delays.push_back(SecondsSince(begin));
    is_over = true;
    born.join();
    WorkFor(milliseconds(i % 7));  // out of step with the control thread
  }
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  std::sort(delays.begin(), delays.end());
  RecordProperty("median_us", static_cast<int>(delays[delays.size() / 2] * 1e6));
  RecordProperty("longest_us", static_cast<int>(delays.back() * 1e6));
  EXPECT_LT(delays[delays.size() / 2], 0.05);
  EXPECT_LT(delays.back(), 2.0);
}

TEST_F(ThreadChurn, SurvivesThousandsOfThreadsASecond) {
  START_OR_SKIP();
  const uint32_t descriptors = CountDirectory("/proc/self/fd");
  constexpr double kSeconds = 3;
  std::atomic<uint64_t> born{0};
  std::atomic<uint64_t> sum{0};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> parents;
  for (int p = 0; p < 2; ++p) {
    parents.emplace_back([&] {
      while (SecondsSince(begin) < kSeconds) {
        std::thread children[4];
        for (int c = 0; c < 4; ++c) {
          // One in a hundred lives long enough to be found.
          children[c] = std::thread([&] { sum += Work(born.fetch_add(1) % 100 == 0 ? 3000000 : 500) != 0 ? 1 : 0; });
        }
        for (std::thread& child : children) child.join();
      }
    });
  }
  for (std::thread& parent : parents) parent.join();
  const double seconds = SecondsSince(begin);
  EXPECT_EQ(sum.load(), born.load());
  EXPECT_GT(static_cast<double>(born.load()) / seconds, 300) << "an otherwise idle machine makes thousands";
  EXPECT_GT(Counters().threads_traced, 20u);
  RecordProperty("threads_per_second", static_cast<int>(static_cast<double>(born.load()) / seconds));
  RecordProperty("threads_traced", static_cast<int>(Counters().threads_traced));
  WorkFor(milliseconds(500));  // threads that have ended are looked for every 200 ms
  EXPECT_LE(CountDirectory("/proc/self/fd"), descriptors + 2) << "descriptors of threads that have ended";
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  ExpectEverySampleAccounted(profile.counters);
  EXPECT_GT(profile.counters.traces_complete, 1000u);
  EXPECT_EQ(profile.counters.threads_untraced, 0u) << "a thread that ends before its sampler is open does not count";
}

}  // namespace
}  // namespace softlbr
