// A whole session, start to stop, with several threads traced: nothing in the process uses the heap.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <sstream>
#include <string>

#include "runtime/include/softlbr/softlbr.h"
#include "tests/checks/heap_guard.h"
#include "tests/platform/breakpoint_hits.h"

extern "C" const softlbr_decoder_plugin* SOFTLBR_HOST_PLUGIN(void);

namespace softlbr::checks {
namespace {

constexpr int kThreads = 3;
constexpr uint64_t kWantedTraces = 300;
constexpr uint64_t kMostRounds = 4000;

std::atomic<bool> g_may_work, g_may_end;
std::atomic<uint64_t> g_sink_bytes, g_result;

// Branches of every kind, no call into libc.
[[gnu::noinline]] uint64_t Work(uint64_t seed) {
  uint64_t sum = seed;
  for (int i = 0; i < 20000; ++i) {
    if (sum & 1) {
      sum = sum * 3 + 1;
    } else {
      sum >>= 1;
    }
    switch (sum % 5) {
      case 0: sum += 7; break;
      case 1: sum ^= seed << 7; break;
      case 2: sum -= static_cast<uint64_t>(i); break;
      default: break;
    }
  }
  return sum;
}

void* ThreadBody(void*) {
  uint64_t seed = 1;
  while (!g_may_end.load()) {
    if (g_may_work.load()) seed += Work(seed);
  }
  g_result += seed;
  return nullptr;
}

int TakeBytes(void*, const void*, size_t bytes) {
  g_sink_bytes += bytes;
  return 0;
}

// "libc.so.6+0x3fdbd (qsort_r)"
std::string NameOf(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0) return "somewhere";
  std::ostringstream text;
  text << info.dli_fname << "+0x" << std::hex
       << static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase);
  if (info.dli_sname != nullptr) text << " (" << info.dli_sname << ")";
  return text.str();
}

class NoHeap : public ::testing::TestWithParam<softlbr_resolve> {};

TEST_P(NoHeap, WholeSessionAllocatesNothing) {
  // The static policy completes no trace without them.
  if (GetParam() == SOFTLBR_RESOLVE_STATIC && !platform::testing::HasBreakpointHits()) {
    GTEST_SKIP() << "needs hardware breakpoints that are hit";
  }
  const int registered = softlbr_register_decoder(SOFTLBR_HOST_PLUGIN());
  ASSERT_TRUE(registered == SOFTLBR_OK || registered == SOFTLBR_WRONG_STATE) << registered;
  g_may_work = g_may_end = false;
  g_sink_bytes = 0;
  pthread_t threads[kThreads];
  for (pthread_t& thread : threads) ASSERT_EQ(pthread_create(&thread, nullptr, ThreadBody, nullptr), 0);
  softlbr_options options{};
  options.struct_size = sizeof options;
  options.event = SOFTLBR_EVENT_TASK_CLOCK;
  options.period = 200000;
  options.resolve_plus_one = 1u + GetParam();
  options.flags = SOFTLBR_KEEP_TRACES;
  options.sink = TakeBytes;
  softlbr_counters counters{};
  counters.struct_size = sizeof counters;

  StartHeapGuard();
  const int started = softlbr_start(&options);
  uint64_t sum = 1;
  g_may_work = true;
  for (uint64_t round = 0; started == SOFTLBR_OK && round < kMostRounds && counters.traces_complete < kWantedTraces;
       ++round) {
    sum += Work(sum + round);
    softlbr_get_counters(&counters);
  }
  const int stopped = started == SOFTLBR_OK ? softlbr_stop() : SOFTLBR_OK;
  const HeapUse use = StopHeapGuard();

  g_may_end = true;
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  g_result += sum;
  if (started == SOFTLBR_PERMISSION_DENIED || started == SOFTLBR_UNSUPPORTED) {
    GTEST_SKIP() << "needs perf task-clock with sigtrap (softlbr_start: " << started << ")";
  }
  ASSERT_EQ(started, SOFTLBR_OK);
  EXPECT_EQ(stopped, SOFTLBR_OK);
  EXPECT_GE(counters.traces_complete, kWantedTraces) << "the session has to have worked for this to mean anything";
  EXPECT_GE(counters.threads_traced, static_cast<uint64_t>(kThreads));
  EXPECT_GT(g_sink_bytes.load(), 0u) << "the writer has to have worked";
  EXPECT_EQ(use.calls, 0u) << use.first_function << " called from " << NameOf(use.first_caller);
}

INSTANTIATE_TEST_SUITE_P(Policies, NoHeap, ::testing::Values(SOFTLBR_RESOLVE_LOOKAHEAD, SOFTLBR_RESOLVE_STATIC),
                         [](const auto& policy) {
                           return policy.param == SOFTLBR_RESOLVE_STATIC ? "Static" : "Lookahead";
                         });

TEST(HeapGuard, NoticesEachWayToAllocate) {
  const auto count = [](auto use) {
    StartHeapGuard();
    use();
    return StopHeapGuard().calls;
  };
  EXPECT_EQ(count([] {}), 0u);
  void* volatile memory = nullptr;
  EXPECT_EQ(count([&] { memory = malloc(10); }), 1u);
  EXPECT_EQ(count([&] { memory = realloc(memory, 20); }), 1u);
  EXPECT_EQ(count([&] { free(memory); }), 1u);
  EXPECT_EQ(count([&] { memory = calloc(2, 3); }), 1u);
  free(memory);
  EXPECT_EQ(count([&] { memory = aligned_alloc(64, 64); }), 1u);
  free(memory);
  EXPECT_EQ(count([&] { memory = ::operator new(30); }), 1u);
  EXPECT_EQ(count([&] { ::operator delete(memory); }), 1u);
}

}  // namespace
}  // namespace softlbr::checks
