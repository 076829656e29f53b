// Whole sessions through the C API, in this process.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

TEST_F(SessionTest, RecordsTheCallingThread) {
  START_OR_SKIP();
  WorkFor(std::chrono::milliseconds(300));
  softlbr_counters counters{};
  counters.struct_size = sizeof(counters);
  ASSERT_EQ(softlbr_get_counters(&counters), SOFTLBR_OK);
  EXPECT_GT(counters.samples, 100u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_FALSE(profile.is_truncated);
  EXPECT_GE(profile.counters.samples, counters.samples);
  EXPECT_EQ(profile.counters.threads_traced, 1u);
  EXPECT_EQ(SumOfBranches(profile), profile.counters.taken_branches);
  EXPECT_GT(profile.counters.taken_branches, 10 * profile.counters.samples);
}

TEST_F(SessionTest, EveryTraceHoldsTheBranchesAskedFor) {
  for (const uint32_t branches : {1u, 16u, 257u, 1024u}) {
    sink_.bytes.clear();
    options_.branches_per_trace = branches;
    options_.flags = SOFTLBR_KEEP_TRACES;
    START_OR_SKIP();
    WorkFor(std::chrono::milliseconds(100));
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
    const Profile profile = Read();
    ASSERT_FALSE(profile.traces.empty());
    uint64_t complete = 0;
    for (const auto& trace : profile.traces) {
      if (trace.reason == AbortReason::kNone) {
        ++complete;
        EXPECT_EQ(trace.branches.size(), branches);
      } else {
        EXPECT_LT(trace.branches.size(), branches);
      }
    }
    EXPECT_GT(complete, 2u);
  }
}

// Every thread is found. The delay is the median, because a busy machine may keep the control thread waiting for a CPU.
TEST_F(SessionTest, FindsThreadsBornLaterWithin50Ms) {
  START_OR_SKIP();
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::duration> waits;
  for (uint32_t round = 0; round < 11; ++round) {
    softlbr_counters before{};
    before.struct_size = sizeof(before);
    ASSERT_EQ(softlbr_get_counters(&before), SOFTLBR_OK);
    std::atomic<bool> is_done{false};
    const Clock::time_point birth = Clock::now();
    std::thread thread([&is_done] {
      while (!is_done) (void)Work(1000);
    });
    softlbr_counters after = before;
    while (after.threads_traced == before.threads_traced && Clock::now() < birth + std::chrono::seconds(5)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ASSERT_EQ(softlbr_get_counters(&after), SOFTLBR_OK);
    }
    waits.push_back(Clock::now() - birth);
    EXPECT_EQ(after.threads_traced, before.threads_traced + 1);
    is_done = true;
    thread.join();
  }
  std::sort(waits.begin(), waits.end());
  EXPECT_LE(waits[waits.size() / 2], std::chrono::milliseconds(50));
}

TEST_F(SessionTest, KeepsTheTracesOfEndedThreads) {
  START_OR_SKIP();
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i) threads.emplace_back([] { WorkFor(std::chrono::milliseconds(150)); });
  for (auto& thread : threads) thread.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a scan has closed their slots by now
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_EQ(profile.counters.threads_traced, 5u);
  EXPECT_EQ(SumOfBranches(profile), profile.counters.taken_branches);
  EXPECT_GT(profile.counters.taken_branches, 2000u);
}

TEST_F(SessionTest, TracesFourHundredThreads) {
  options_.period = 2000003;
  START_OR_SKIP();
  constexpr uint32_t kThreads = 400;
  std::atomic<bool> is_done{false};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&is_done] {
      while (!is_done) {
        (void)Work(20000);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // 400 busy threads would starve the machine
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  is_done = true;
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_EQ(profile.counters.threads_traced, kThreads + 1);
  EXPECT_EQ(profile.counters.threads_untraced, 0u);
  EXPECT_EQ(SumOfBranches(profile), profile.counters.taken_branches);
  EXPECT_GT(profile.counters.taken_branches, 2000u);
}

TEST_F(SessionTest, CountsThreadsBeyondItsSlotsAsUntraced) {
  options_.max_threads = 3;
  START_OR_SKIP();
  std::atomic<bool> is_done{false};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 8; ++i) {
    threads.emplace_back([&is_done] {
      while (!is_done) (void)Work(1000);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  is_done = true;
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_EQ(profile.counters.threads_traced, 3u);
  EXPECT_EQ(profile.counters.threads_untraced, 6u);
}

TEST_F(SessionTest, LeavesNothingBehind) {
  // One session first, so that the libc's one-time allocations are done.
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const uint32_t descriptors = CountDirectory("/proc/self/fd");
  const std::string maps = ReadFile("/proc/self/maps");
  struct sigaction before;
  ASSERT_EQ(sigaction(SIGTRAP, nullptr, &before), 0);
  for (uint32_t i = 0; i < 100; ++i) {
    sink_.bytes.clear();
    ASSERT_EQ(Start(), SOFTLBR_OK);
    (void)Work(20000);
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  }
  EXPECT_EQ(CountDirectory("/proc/self/fd"), descriptors);
  EXPECT_EQ(CountDirectory("/proc/self/task"), 3u) << "., .. and this thread";
  struct sigaction after;
  ASSERT_EQ(sigaction(SIGTRAP, nullptr, &after), 0);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  // The heap may have grown through this test's own strings, but there must be no new mappings, except for those that a sanitizer's
  // allocator makes, one for each size class.
  const std::string maps_after = ReadFile("/proc/self/maps");
#if defined(__SANITIZE_ADDRESS__)
  constexpr long kMoreMappings = 16;
#elif defined(__has_feature)
  constexpr long kMoreMappings = __has_feature(address_sanitizer) ? 16 : 0;
#else
  constexpr long kMoreMappings = 0;
#endif
  EXPECT_LE(std::count(maps_after.begin(), maps_after.end(), '\n'), std::count(maps.begin(), maps.end(), '\n') + kMoreMappings)
      << maps_after;
}

TEST_F(SessionTest, KeepsErrno) {
  START_OR_SKIP();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  uint64_t wrong = 0;
  while (std::chrono::steady_clock::now() < end) {
    errno = 4242;
    (void)Work(2000);
    if (errno != 4242) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GT(Read().counters.samples, 100u);
}

TEST_F(SessionTest, IsInertInAForkedChild) {
  START_OR_SKIP();
  WorkFor(std::chrono::milliseconds(50));
  const size_t bytes = sink_.bytes.size();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_running = softlbr_is_running() != 0;
    const int stopped = softlbr_stop();
    WorkFor(std::chrono::milliseconds(50));
    _exit(!is_running && stopped == SOFTLBR_WRONG_STATE && sink_.bytes.size() == bytes ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(softlbr_is_running(), 1);
  WorkFor(std::chrono::milliseconds(50));
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GT(Read().counters.samples, 100u);
}

TEST_F(SessionTest, ForkedChildMayProfileItself) {
  START_OR_SKIP();
  const pid_t child = fork();
  if (child == 0) {
    sink_.bytes.clear();
    if (Start() != SOFTLBR_OK) _exit(1);
    WorkFor(std::chrono::milliseconds(100));
    if (softlbr_stop() != SOFTLBR_OK) _exit(2);
    _exit(Read().counters.samples > 50 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

TEST_F(SessionTest, HoldsItsMemoryBudget) {
  // Bytes per thread are the difference that one more thread makes.
  options_.max_threads = 1024;
  const size_t many = softlbr_region_bytes(&options_);
  options_.max_threads = 512;
  const size_t few = softlbr_region_bytes(&options_);
  EXPECT_LE((many - few) / 512, 48u * 1024);
  EXPECT_LE(few - (many - few), 4u << 20) << "the part that does not depend on the number of threads";
}

TEST_F(SessionTest, RefusesOptionsOutOfRange) {
  auto refused = [this](auto change) {
    softlbr_options options = options_;
    change(&options);
    return softlbr_start(&options) == SOFTLBR_INVALID_ARGUMENT && softlbr_region_bytes(&options) == 0;
  };
  EXPECT_TRUE(refused([](softlbr_options* o) { o->struct_size = 4; }));
  EXPECT_TRUE(refused([](softlbr_options* o) { o->branches_per_trace = 1025; }));
  EXPECT_TRUE(refused([](softlbr_options* o) { o->max_threads = 4097; }));
  EXPECT_TRUE(refused([](softlbr_options* o) { o->event = 7; }));
  EXPECT_TRUE(refused([](softlbr_options* o) { o->resolve_plus_one = 3; }));
  EXPECT_TRUE(refused([](softlbr_options* o) { o->frequency_hz = 1000; }));  // together with a period
  EXPECT_EQ(softlbr_start(nullptr), SOFTLBR_INVALID_ARGUMENT);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_WRONG_STATE);
}

TEST_F(SessionTest, RefusesToStartTwice) {
  START_OR_SKIP();
  EXPECT_EQ(softlbr_start(&options_), SOFTLBR_WRONG_STATE);
  EXPECT_EQ(softlbr_register_decoder(SOFTLBR_HOST_PLUGIN()), SOFTLBR_WRONG_STATE);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

TEST_F(SessionTest, CountsFramesThatTheSinkRefuses) {
  options_.sink = [](void*, const void*, size_t) { return 1; };
  START_OR_SKIP();
  WorkFor(std::chrono::milliseconds(50));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_SYSTEM_ERROR);
}

TEST_F(SessionTest, WorksOnLookaheadAlone) {
  options_.flags = SOFTLBR_NO_BREAKPOINTS;
  START_OR_SKIP();
  WorkFor(std::chrono::milliseconds(200));
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  ASSERT_EQ(profile.sessions.size(), 1u);
  EXPECT_EQ(profile.sessions[0].has_breakpoints, 0u);
  EXPECT_EQ(profile.counters.breakpoint_hits, 0u);
  EXPECT_GT(profile.counters.samples, 100u);
}

TEST_F(SessionTest, StaticPolicyStopsAtEveryConditionalBranch) {
  options_.resolve_plus_one = 1 + SOFTLBR_RESOLVE_STATIC;
  START_OR_SKIP();
  WorkFor(std::chrono::milliseconds(300));
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_GT(profile.counters.traces_complete, 10u);
  // Work has no unconditional branch, so there is about one hit, or more, for each taken branch recorded.
  EXPECT_GE(profile.counters.breakpoint_hits, profile.counters.taken_branches * 9 / 10);
}

}  // namespace
}  // namespace softlbr
