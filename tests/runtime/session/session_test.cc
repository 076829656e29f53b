// Whole sessions through the C API, in this process.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/platform/breakpoint_hits.h"
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

TEST_F(SessionTest, CountsHundredsOfUntracedThreadsOnceEach) {
  options_.max_threads = 1;
  START_OR_SKIP();
  constexpr uint32_t kWaiting = 300;
  std::atomic<bool> is_done{false};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kWaiting; ++i) {
    threads.emplace_back([&is_done] { is_done.wait(false); });
  }
  // Each birth makes the control thread look at all threads again.
  for (uint32_t i = 0; i < 20; ++i) {
    std::thread([] { std::this_thread::sleep_for(std::chrono::milliseconds(15)); }).join();
  }
  const uint64_t untraced = Counters().threads_untraced;
  is_done = true;
  is_done.notify_all();
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GE(untraced, kWaiting);
  EXPECT_LE(untraced, kWaiting + 20);
}

// A session that finds no thread would record nothing, and say nothing of it.
TEST_F(SessionTest, RefusesToStartWithoutProc) {
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || mount("none", "/proc", "tmpfs", 0, nullptr) != 0) _exit(77);
    _exit(softlbr_start(&options_));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs a mount of its own over /proc";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == SOFTLBR_SYSTEM_ERROR) << status;
}

// Not even the thread timer, which needs none itself, records then.
TEST_F(SessionTest, RefusesToStartWithoutADescriptor) {
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  rlimit all = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &all), 0);
  const rlimit none = {0, all.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const int started = softlbr_start(&options_);
  options_.event = SOFTLBR_EVENT_BEST;
  const int started_by_any_event = softlbr_start(&options_);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &all), 0);
  EXPECT_EQ(started, SOFTLBR_NO_DESCRIPTOR);
  EXPECT_EQ(started_by_any_event, SOFTLBR_NO_DESCRIPTOR);
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
  // The heap may have grown through this test's own strings, but there must be no new mappings, except for those that a
  // sanitizer's allocator makes, one for each size class.
  const std::string maps_after = ReadFile("/proc/self/maps");
#if defined(__SANITIZE_ADDRESS__)
  constexpr long kMoreMappings = 16;
#elif defined(__has_feature)
  constexpr long kMoreMappings = __has_feature(address_sanitizer) ? 16 : 0;
#else
  constexpr long kMoreMappings = 0;
#endif
  EXPECT_LE(std::count(maps_after.begin(), maps_after.end(), '\n'),
            std::count(maps.begin(), maps.end(), '\n') + kMoreMappings)
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
  EXPECT_TRUE(refused([](softlbr_options* o) { o->flags = 1u << 6; }));
  EXPECT_TRUE(refused([](softlbr_options* o) { o->reserved = 1; }));
  EXPECT_TRUE(refused([](softlbr_options* o) { o->max_overhead_ppm = 1000001; }));
  EXPECT_EQ(softlbr_start(nullptr), SOFTLBR_INVALID_ARGUMENT);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_WRONG_STATE);
}

// Without a limit, it cost a short session of Python 36 % of its CPU time.
TEST_F(SessionTest, FrequencyHasALimitByDefault) {
  options_.period = 0;
  options_.frequency_hz = 997;
  START_OR_SKIP();
  softlbr_options effective{};
  effective.struct_size = sizeof effective;
  ASSERT_EQ(softlbr_get_options(&effective), SOFTLBR_OK);
  EXPECT_EQ(effective.max_overhead_ppm, 100000u);
}

TEST_F(SessionTest, HasTheIdThatTheAppIsTold) {
  uint64_t id = 0;
  const pid_t child = fork();  // no session of its own yet, whatever this process had
  if (child == 0) _exit(softlbr_get_session_id(&id) == SOFTLBR_WRONG_STATE ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  START_OR_SKIP();
  ASSERT_EQ(softlbr_get_session_id(&id), SOFTLBR_OK);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  ASSERT_EQ(Read().sessions.size(), 1u);
  EXPECT_EQ(Read().sessions[0].session_id, id);
  uint64_t after = 0;
  EXPECT_EQ(softlbr_get_session_id(&after), SOFTLBR_OK) << "of the last one";
  EXPECT_EQ(after, id);
  softlbr_options wrong = options_;
  wrong.region = &wrong;
  wrong.region_bytes = 1;
  EXPECT_NE(softlbr_start(&wrong), SOFTLBR_OK);
  EXPECT_EQ(softlbr_get_session_id(&after), SOFTLBR_OK);
  EXPECT_EQ(after, id) << "of a session, not of one that did not start";
  EXPECT_EQ(softlbr_get_session_id(nullptr), SOFTLBR_INVALID_ARGUMENT);
}

TEST_F(SessionTest, HasTheLabelsOfTheApp) {
  EXPECT_EQ(softlbr_set_label("arm", "A"), SOFTLBR_OK);
  EXPECT_EQ(softlbr_set_label("app_version", "1.2"), SOFTLBR_OK);
  EXPECT_EQ(softlbr_set_label(nullptr, "x"), SOFTLBR_INVALID_ARGUMENT);
  EXPECT_EQ(softlbr_set_label("a person", "x"), SOFTLBR_INVALID_ARGUMENT);
  START_OR_SKIP();
  WorkFor(std::chrono::milliseconds(50));
  EXPECT_EQ(softlbr_set_label("arm", "B"), SOFTLBR_OK);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_EQ(Read().sessions.at(0).labels, (toolchain::Labels{{"app_version", "1.2"}, {"arm", "B"}}));
  sink_.bytes.clear();
  EXPECT_EQ(softlbr_set_label("arm", nullptr), SOFTLBR_OK);
  ASSERT_EQ(Start(), SOFTLBR_OK);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_EQ(Read().sessions.at(0).labels, (toolchain::Labels{{"app_version", "1.2"}}))
      << "later sessions have them, too";
  for (int i = 1; i < SOFTLBR_MOST_LABELS; ++i) {
    ASSERT_EQ(softlbr_set_label(("key" + std::to_string(i)).c_str(), "x"), SOFTLBR_OK);
  }
  EXPECT_EQ(softlbr_set_label("another", "x"), SOFTLBR_TOO_MANY_LABELS);
  EXPECT_EQ(softlbr_set_label("app_version", nullptr), SOFTLBR_OK);
  for (int i = 1; i < SOFTLBR_MOST_LABELS; ++i) {
    EXPECT_EQ(softlbr_set_label(("key" + std::to_string(i)).c_str(), nullptr), SOFTLBR_OK);
  }
}

TEST_F(SessionTest, RefusesASinkThatCannotBeWritten) {
  softlbr_options options = options_;
  options.sink = nullptr;
  const int read_only = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int path_only = open("/dev/null", O_PATH | O_CLOEXEC);
  ASSERT_GE(path_only, 0);
  for (const int descriptor : {-1, 9999, read_only, path_only}) {
    options.sink_fd = descriptor;
    EXPECT_EQ(softlbr_start(&options), SOFTLBR_INVALID_ARGUMENT) << descriptor;
  }
  close(read_only);
  close(path_only);
}

// The app was built against a version of softlbr.h with fewer or more fields.
TEST_F(SessionTest, TakesOptionsOfOlderAndNewerVersions) {
  struct {
    softlbr_options known;
    uint64_t unknown;
  } newer = {options_, 0};
  newer.known.struct_size = sizeof newer;
  EXPECT_EQ(softlbr_region_bytes(&newer.known), softlbr_region_bytes(&options_));
  newer.unknown = 1;
  EXPECT_EQ(softlbr_region_bytes(&newer.known), 0u);

  softlbr_options older = options_;
  older.struct_size = offsetof(softlbr_options, region);
  older.region = this;  // the app's own data, behind its structure
  older.region_bytes = 1;
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_EQ(softlbr_start(&older), SOFTLBR_OK);

  softlbr_counters counters{};
  counters.struct_size = offsetof(softlbr_counters, lost);
  counters.lost = 7;
  EXPECT_EQ(softlbr_get_counters(&counters), SOFTLBR_OK);
  EXPECT_EQ(counters.lost, 7u);
  EXPECT_EQ(counters.struct_size, offsetof(softlbr_counters, lost));
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

TEST_F(SessionTest, RefusesToStartTwice) {
  START_OR_SKIP();
  EXPECT_EQ(softlbr_start(&options_), SOFTLBR_WRONG_STATE);
  EXPECT_EQ(softlbr_register_decoder(SOFTLBR_HOST_PLUGIN()), SOFTLBR_WRONG_STATE);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

TEST_F(SessionTest, ThreadsThatStartAndStopAtOnceGetWrongState) {
  START_OR_SKIP();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const int sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
  softlbr_options options = options_;
  options.sink = nullptr;
  options.sink_fd = sink;
  std::atomic<int> started{0}, stopped{0}, others{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, random = thread + 1]() mutable {
      for (int round = 0; round < 100; ++round) {
        random = random * 1103515245 + 12345;
        const unsigned choice = random >> 16 & 3;
        softlbr_counters counters{};
        counters.struct_size = sizeof counters;
        const int status = choice == 0   ? softlbr_start(&options)
                           : choice == 1 ? softlbr_stop()
                           : choice == 2 ? softlbr_get_counters(&counters)
                                         : softlbr_register_decoder(SOFTLBR_HOST_PLUGIN());
        if (status != SOFTLBR_OK && status != SOFTLBR_WRONG_STATE) ++others;
        if (status == SOFTLBR_OK && choice == 0) ++started;
        if (status == SOFTLBR_OK && choice == 1) ++stopped;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (softlbr_stop() == SOFTLBR_OK) ++stopped;
  EXPECT_GT(started, 0);
  EXPECT_EQ(started, stopped);
  EXPECT_EQ(others, 0);
  close(sink);
}

// A start opens the events of one thread after the other; samples of the first ones can be seen before it has reached
// the last.
TEST_F(SessionTest, CountersCanBeReadWhileAStartGoesOn) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> sleepers;
  constexpr uint64_t kSleepers = 60;
  for (uint64_t i = 0; i < kSleepers; ++i) sleepers.emplace_back([&] { is_over.wait(false); });
  std::atomic<bool> was_read{false};
  std::thread reader([&] {
    while (!is_over) {
      softlbr_counters counters{};
      counters.struct_size = sizeof counters;
      if (softlbr_get_counters(&counters) == SOFTLBR_OK && counters.threads_traced < kSleepers) was_read = true;
      std::this_thread::yield();
    }
  });
  int status = SOFTLBR_OK;
  // The reader needs a CPU meanwhile: not in every round where others compete for it.
  for (int round = 0; round < 500 && status == SOFTLBR_OK && !was_read; ++round) {
    status = Start();
    if (status == SOFTLBR_OK) {
      EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
    }
  }
  is_over = true;
  is_over.notify_all();
  for (std::thread& sleeper : sleepers) sleeper.join();
  reader.join();
  if (status == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open";
  EXPECT_EQ(status, SOFTLBR_OK);
  EXPECT_TRUE(was_read);
}

TEST_F(SessionTest, TellsWithWhatOptionsItWorks) {
  softlbr_options effective{};
  effective.struct_size = sizeof effective;
  EXPECT_EQ(softlbr_get_options(&effective), SOFTLBR_WRONG_STATE);
  EXPECT_EQ(softlbr_get_options(nullptr), SOFTLBR_INVALID_ARGUMENT);
  options_.period = 0;
  options_.event = SOFTLBR_EVENT_BEST;
  options_.flags = SOFTLBR_NO_BREAKPOINTS | SOFTLBR_KEEP_PATHS;
  START_OR_SKIP();
  ASSERT_EQ(softlbr_get_options(&effective), SOFTLBR_OK);
  EXPECT_EQ(effective.struct_size, sizeof effective);
  EXPECT_NE(effective.event, static_cast<uint32_t>(SOFTLBR_EVENT_BEST));
  EXPECT_GT(effective.period, 0u);
  EXPECT_EQ(effective.flags, options_.flags);
  EXPECT_EQ(effective.resolve_plus_one, 1u + SOFTLBR_RESOLVE_LOOKAHEAD);
  EXPECT_EQ(effective.branches_per_trace, 1024u);
  EXPECT_EQ(effective.max_threads, 512u);
  EXPECT_EQ(effective.verify_every, 1024u);
  EXPECT_EQ(effective.max_overhead_ppm, 12500u);
  EXPECT_EQ(effective.sink, options_.sink);
  softlbr_options first_version{};
  first_version.struct_size = offsetof(softlbr_options, region);
  first_version.region_bytes = 5;
  ASSERT_EQ(softlbr_get_options(&first_version), SOFTLBR_OK);
  EXPECT_EQ(first_version.period, effective.period);
  EXPECT_EQ(first_version.region_bytes, 5u) << "beyond its size";
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
}

TEST_F(SessionTest, CountsFramesThatTheSinkRefuses) {
  options_.sink = [](void*, const void*, size_t) { return 1; };
  START_OR_SKIP();
  WorkFor(std::chrono::milliseconds(50));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_SINK_FAILED);
}

TEST_F(SessionTest, DoesNotWaitForeverForAFullPipe) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const std::vector<char> filling(65536);
  while (write(ends[1], filling.data(), filling.size()) > 0) continue;
  ASSERT_EQ(fcntl(ends[1], F_SETFL, 0), 0);  // blocking
  options_.sink = nullptr;
  options_.sink_fd = ends[1];
  START_OR_SKIP();
  EXPECT_EQ(softlbr_stop(), SOFTLBR_SINK_FAILED);
  close(ends[0]);
  close(ends[1]);
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
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  options_.resolve_plus_one = 1 + SOFTLBR_RESOLVE_STATIC;
  START_OR_SKIP();
  WorkFor(std::chrono::milliseconds(300));
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  // Work has no unconditional branch: a hit, or more, for each recorded one
  EXPECT_GT(profile.counters.traces_complete, 10u);
  EXPECT_GE(profile.counters.breakpoint_hits, profile.counters.taken_branches * 9 / 10);
}

}  // namespace
}  // namespace softlbr
