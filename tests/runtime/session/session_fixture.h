// For tests of sessions in this process, through the C API: work to sample, a sink in memory, a start that skips the
// test.
#ifndef SOFTLBR_TESTS_RUNTIME_SESSION_SESSION_FIXTURE_H_
#define SOFTLBR_TESTS_RUNTIME_SESSION_SESSION_FIXTURE_H_

#include <dirent.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <variant>
#include <vector>

#include "runtime/include/softlbr/softlbr.h"
#include "toolchain/profile/profile_reader.h"

extern "C" const softlbr_decoder_plugin* SOFTLBR_HOST_PLUGIN(void);

namespace softlbr {

using toolchain::Profile;

constexpr uint64_t kSamplePeriodNs = 200003;

// Branches that depend on data, for long enough to be sampled. Not inlined, so that a profile shows its counts.
__attribute__((noinline)) inline uint64_t Work(uint64_t rounds) {
  uint64_t state = 88172645463325252ull;
  uint64_t odd = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if ((state & 3) != 0) odd += state % 7;
  }
  asm volatile("" ::"r"(odd) : "memory");  // the compiler would drop a call whose result is unused
  return odd;
}

inline void WorkFor(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  static std::atomic<uint64_t> sink;
  while (std::chrono::steady_clock::now() < end) sink += Work(2000);
}

// The same in CPU time of the calling thread: on a busy machine it takes longer, but the number of samples is the same.
inline void WorkForCpu(std::chrono::microseconds time) {
  auto now_ns = [] {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const auto end = now_ns() + time;
  while (now_ns() < end) (void)Work(2000);
}

struct Sink {
  std::vector<uint8_t> bytes;
  static int Take(void* cookie, const void* data, size_t size) {
    auto* sink = static_cast<Sink*>(cookie);
    // The control thread has no libc state and must not allocate, so SetUp has reserved the vector's memory.
    if (sink->bytes.size() + size > sink->bytes.capacity()) return 1;
    const size_t at = sink->bytes.size();
    sink->bytes.resize(at + size);
    std::memcpy(sink->bytes.data() + at, data, size);
    return 0;
  }
};

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    sink_.bytes.reserve(16 << 20);
    options_ = {};
    options_.struct_size = sizeof(options_);
    options_.sink = Sink::Take;
    options_.sink_cookie = &sink_;
    options_.event = SOFTLBR_EVENT_TASK_CLOCK;  // on every CPU: the tests count samples by time
    options_.period = kSamplePeriodNs;
    ASSERT_EQ(softlbr_register_decoder(SOFTLBR_HOST_PLUGIN()), SOFTLBR_OK);
  }
  void TearDown() override {
    if (softlbr_is_running() != 0) (void)softlbr_stop();
  }
  int Start() {
    const int status = softlbr_start(&options_);
    return status;
  }
  Profile Read() {
    auto read = toolchain::ReadProfile(sink_.bytes, "session");
    if (!std::holds_alternative<Profile>(read)) {
      ADD_FAILURE() << std::get<toolchain::ReadError>(read).message;
      return Profile{};
    }
    return std::get<Profile>(read);
  }
  // The session's totals so far.
  static softlbr_counters Counters() {
    softlbr_counters counters{};
    counters.struct_size = sizeof counters;
    EXPECT_EQ(softlbr_get_counters(&counters), SOFTLBR_OK);
    return counters;
  }
  Sink sink_;
  softlbr_options options_;
};

#define START_OR_SKIP()                                                                     \
  do {                                                                                      \
    const int start_status = Start();                                                       \
    if (start_status == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open"; \
    ASSERT_EQ(start_status, SOFTLBR_OK);                                                    \
  } while (false)

// Executions of the rows, and of what was recorded in our own code and taken out.
inline uint64_t SumOfBranches(const Profile& profile) {
  uint64_t sum = profile.counters.lost[static_cast<uint32_t>(LossReason::kOwnCode)];
  for (const auto& branch : profile.branches) sum += branch.count;
  return sum;
}

inline uint32_t CountDirectory(const char* path) {
  DIR* directory = opendir(path);
  uint32_t count = 0;
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

inline std::string ReadFile(const char* path) {
  std::string text;
  FILE* file = fopen(path, "r");
  char buffer[4096];
  for (size_t size; (size = fread(buffer, 1, sizeof(buffer), file)) > 0;) text.append(buffer, size);
  fclose(file);
  return text;
}

}  // namespace softlbr

#endif  // SOFTLBR_TESTS_RUNTIME_SESSION_SESSION_FIXTURE_H_
