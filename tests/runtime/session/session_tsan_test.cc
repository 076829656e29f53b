// Whole sessions under ThreadSanitizer, over a fake platform (tests/fake/session_platform_fake.h): handlers in several
// threads, the control thread, threads that are born and end, sessions started and stopped by several threads in turn,
// counters read by others. The sanitizer reports data races between them.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "platform/thread_list.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/session/session.h"
#include "tests/fake/session_platform_fake.h"

extern "C" const softlbr_decoder_plugin* SOFTLBR_HOST_PLUGIN(void);

// Paths: jumps only, which fill a trace; a branch on an UNKNOWN value, where a breakpoint is armed; a call and its
// return.
asm(R"(
  .pushsection .text
  .globl softlbr_tsan_jumps, softlbr_tsan_unknown, softlbr_tsan_calls
softlbr_tsan_jumps:
  jmp 2f
1: jmp softlbr_tsan_jumps
2: jmp 1b
softlbr_tsan_unknown:
  movq %xmm0, %rax
  testq %rax, %rax
  jz softlbr_tsan_jumps
  jmp softlbr_tsan_unknown
softlbr_tsan_calls:
  call 3f
  jmp softlbr_tsan_calls
3: addq $1, %rcx
  ret
  .popsection
)");
extern "C" const char softlbr_tsan_jumps[], softlbr_tsan_unknown[], softlbr_tsan_calls[];

namespace softlbr {
namespace {

using std::chrono::milliseconds;

uint64_t Place(uint32_t number) {
  const char* const places[] = {softlbr_tsan_jumps, softlbr_tsan_unknown, softlbr_tsan_calls};
  return reinterpret_cast<uint64_t>(places[number % 3]);
}

class SessionTsan : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.struct_size = sizeof options_;
    options_.period = 1000003;
    options_.max_threads = 32;
    options_.branches_per_trace = 64;
    options_.verify_every = 5;
    options_.flags = SOFTLBR_KEEP_TRACES;
    options_.sink_cookie = this;
    options_.sink = [](void* self, const void*, size_t size) {
      static_cast<SessionTsan*>(self)->written_ += size;
      return 0;
    };
    ASSERT_EQ(softlbr_register_decoder(SOFTLBR_HOST_PLUGIN()), SOFTLBR_OK);
  }
  // Starts three threads that run until Finish, one that starts short-lived ones, and one that reads the counters.
  void Populate() {
    for (uint32_t i = 0; i < 3; ++i) {
      threads_.emplace_back([this, i] {
        fake::TestThread self;
        for (uint32_t at = i; !is_over_; ++at) traps_ += self.Run(Place(at), 3);
      });
    }
    threads_.emplace_back([this] {
      while (!is_over_) {
        std::thread child([this] {
          fake::TestThread self;
          const auto end = std::chrono::steady_clock::now() + milliseconds(15);
          for (uint32_t at = 0; !is_over_ && std::chrono::steady_clock::now() < end; ++at)
            short_traps_ += self.Run(Place(at), 2);
        });
        child.join();
      }
    });
    threads_.emplace_back([this] {
      while (!is_over_) {
        const std::lock_guard lock(api_);
        softlbr_counters counters = {};
        counters.struct_size = sizeof counters;
        if (softlbr_is_running() != 0 && softlbr_get_counters(&counters) == SOFTLBR_OK) seen_ = counters.samples;
      }
    });
  }
  void Finish() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
    EXPECT_EQ(fake::OpenEvents(), 0u);
  }

  softlbr_options options_ = {};
  std::mutex api_;
  std::atomic<bool> is_over_{false};
  std::atomic<uint64_t> traps_{0}, short_traps_{0}, seen_{0}, written_{0};
  std::vector<std::thread> threads_;
};

TEST_F(SessionTsan, OneLongSession) {
  Populate();
  {
    const std::lock_guard lock(api_);
    ASSERT_EQ(softlbr_start(&options_), SOFTLBR_OK);
  }
  // Four seconds, or more where other programs keep the CPUs busy.
  softlbr_counters counters = {};
  counters.struct_size = sizeof counters;
  const auto has_enough = [&] {
    return counters.traces_complete > 100 && counters.breakpoint_hits > 100 && counters.threads_traced > 4 &&
           short_traps_ > 10;
  };
  for (int second = 0; second < 4 || (second < 60 && !has_enough()); ++second) {
    std::this_thread::sleep_for(milliseconds(1000));
    const std::lock_guard lock(api_);
    ASSERT_EQ(softlbr_get_counters(&counters), SOFTLBR_OK);
  }
  {
    const std::lock_guard lock(api_);
    EXPECT_GT(counters.traces_complete, 100u);
    EXPECT_GT(counters.breakpoint_hits, 100u);
    EXPECT_GT(counters.threads_traced, 4u);
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  }
  Finish();
  EXPECT_GT(traps_.load(), 100u);
  EXPECT_GT(short_traps_.load(), 10u);
  EXPECT_GT(seen_.load(), 0u);
  EXPECT_GT(written_.load(), 1000u);
}

// While threads run into traps, their events are closed for the cost of the switches, and opened again.
TEST_F(SessionTsan, EventsAreClosedUntilTheSwitchesArePaid) {
  options_.period = 0;
  options_.max_overhead_ppm = 900000;  // paid soon
  Populate();
  const auto use_cpu_until = [](bool are_open) {
    const uint64_t end_ns = platform::ProcessCpuTimeNs() + 40000000000;
    while ((fake::OpenEvents() != 0) != are_open && platform::ProcessCpuTimeNs() < end_ns) continue;
    EXPECT_EQ(fake::OpenEvents() != 0, are_open);
  };
  {
    const std::lock_guard lock(api_);
    ASSERT_EQ(softlbr_start(&options_), SOFTLBR_OK);
  }
  for (int round = 0; round < 2; ++round) {
    use_cpu_until(true);
    fake::g_switches += 700000;  // 1 us each, for each thread
    use_cpu_until(false);
  }
  use_cpu_until(true);
  {
    const std::lock_guard lock(api_);
    softlbr_counters counters = {};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(softlbr_get_counters(&counters), SOFTLBR_OK);
    EXPECT_GE(counters.overhead_ns, 1400000000u);
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  }
  Finish();
  EXPECT_GT(traps_.load(), 0u);
}

// Armed between the control thread's look at the breakpoints and its wait: the wake-up for it is past when the wait
// begins.
TEST_F(SessionTsan, BreakpointArmedDuringARoundIsLookedAtSoon) {
  ASSERT_EQ(softlbr_start(&options_), SOFTLBR_OK);
  std::atomic<bool> may_arm{false}, has_run{false};
  std::thread thread([&] {
    fake::TestThread self;
    while (!may_arm) std::this_thread::yield();
    (void)self.Run(Place(1), 0);
    has_run = true;
    while (!is_over_) std::this_thread::yield();
  });
  softlbr_counters counters = {};
  counters.struct_size = sizeof counters;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (counters.threads_traced == 0 && std::chrono::steady_clock::now() < end) {
    ASSERT_EQ(softlbr_get_counters(&counters), SOFTLBR_OK);
  }
  std::atomic<uint32_t> is_resting{2};
  fake::DuringNextScan([&] {
    is_resting = CurrentSession()->environment.is_control_resting.load();
    may_arm = true;
    while (!has_run) std::this_thread::yield();
  });
  while (fake::WaitAfterThatScanNs() == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(is_resting, 1u) << "nothing was armed before";
  // The next round begins at once, and each sets it for a moment.
  while ((is_resting = CurrentSession()->environment.is_control_resting.load()) != 0 &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_EQ(is_resting, 0u) << "the thread has armed its breakpoint";
  EXPECT_EQ(fake::WaitAfterThatScanNs(), kControlPeriodNs);
  is_over_ = true;
  thread.join();
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

// When guarded reads are on and off (runtime/modules/mapping_watch.h).
TEST_F(SessionTsan, ReadsAreGuardedAfterThreadBirthAndUnmapping) {
  ASSERT_EQ(softlbr_start(&options_), SOFTLBR_OK);
  const std::atomic<uint32_t>& must_guard = CurrentSession()->environment.must_guard;
  const auto becomes = [&](uint32_t wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (must_guard != wanted && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
    return must_guard == wanted;
  };
  const AddressRange pinned = CurrentSession()->environment.code_map.load()->pinned;
  EXPECT_TRUE(pinned.begin <= Place(0) && Place(0) < pinned.end) << "this program is pinned";
  constexpr auto kSomeReadings = 5 * std::chrono::nanoseconds(kModuleRefreshNs);
  constexpr size_t kBytes = 65536;
  void* memory = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::this_thread::sleep_for(kSomeReadings);
  munmap(memory, kBytes);
  std::this_thread::sleep_for(kSomeReadings);
  EXPECT_EQ(must_guard, 0u) << "there is no other thread";
  {
    const fake::TestThread self;
    EXPECT_TRUE(becomes(1)) << "a thread was born";
    EXPECT_TRUE(becomes(0)) << "no change for a while";
    memory = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    std::this_thread::sleep_for(kSomeReadings);
    munmap(memory, kBytes);
    EXPECT_TRUE(becomes(1)) << "memory was unmapped";
    EXPECT_TRUE(becomes(0)) << "no change for a while again";
  }
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

TEST_F(SessionTsan, SeveralThreadsStartAndStopInTurn) {
  Populate();
  std::vector<std::thread> starters;
  for (int i = 0; i < 3; ++i) {
    starters.emplace_back([this] {
      for (int round = 0; round < 8; ++round) {
        const std::lock_guard lock(api_);
        ASSERT_EQ(softlbr_start(&options_), SOFTLBR_OK);
        std::this_thread::sleep_for(milliseconds(25));
        ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
      }
    });
  }
  for (std::thread& starter : starters) starter.join();
  Finish();
  EXPECT_GT(traps_.load(), 100u);
}

// Four threads make 10,000 calls, each of any function with right and wrong arguments, in whatever state they find.
TEST_F(SessionTsan, AnyCallInAnyState) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2500;
  std::atomic<uint64_t> started{0}, stopped{0}, told{0};
  const auto is_expected = [](int status) { return status == SOFTLBR_OK || status == SOFTLBR_WRONG_STATE; };
  softlbr_options wrong = options_;
  wrong.flags = ~0u;
  for (int i = 0; i < kThreads; ++i) {
    threads_.emplace_back([&, i] {
      std::minstd_rand random(static_cast<uint32_t>(i) + 1);
      for (int round = 0; round < kRounds; ++round) {
        softlbr_counters counters = {};
        counters.struct_size = random() % 4 != 0 ? static_cast<uint32_t>(sizeof counters) : random() % 128;
        softlbr_options effective = {};
        effective.struct_size = random() % 4 != 0 ? static_cast<uint32_t>(sizeof effective) : random() % 128;
        int status = SOFTLBR_OK;
        switch (random() % 8) {
          case 0:
            status = softlbr_start(&options_);
            started += status == SOFTLBR_OK;
            break;
          case 1:
            status = softlbr_stop();
            stopped += status == SOFTLBR_OK;
            break;
          case 2: EXPECT_EQ(softlbr_start(round % 2 == 0 ? nullptr : &wrong), SOFTLBR_INVALID_ARGUMENT); break;
          case 3: EXPECT_LE(softlbr_is_running(), 1); break;
          case 4: EXPECT_GT(softlbr_region_bytes(&options_), 0u); break;
          case 5: EXPECT_EQ(softlbr_region_bytes(&wrong), 0u); break;
          case 6:
            status = softlbr_get_counters(&counters);
            if (status == SOFTLBR_INVALID_ARGUMENT && counters.struct_size < 16) status = SOFTLBR_OK;
            break;
          default:
            status = softlbr_get_options(&effective);
            if (status == SOFTLBR_INVALID_ARGUMENT && effective.struct_size < sizeof effective) status = SOFTLBR_OK;
            told += effective.max_threads == options_.max_threads;
            break;
        }
        EXPECT_TRUE(is_expected(status)) << status;
      }
    });
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (softlbr_stop() == SOFTLBR_OK) ++stopped;
  EXPECT_EQ(started, stopped);
  EXPECT_GT(started, 0u);
  EXPECT_GT(told, 0u);
  EXPECT_EQ(fake::OpenEvents(), 0u);
}

// The app overwrites the region as soon as stop returns, so a late read of the session would be a race.
TEST_F(SessionTsan, CountersMayBeReadWhileTheSessionStops) {
  std::vector<char> memory(softlbr_region_bytes(&options_) + SOFTLBR_REGION_ALIGNMENT);
  const auto unaligned = reinterpret_cast<uintptr_t>(memory.data());
  options_.region_bytes = memory.size() - SOFTLBR_REGION_ALIGNMENT;
  options_.region =
      reinterpret_cast<void*>((unaligned + SOFTLBR_REGION_ALIGNMENT - 1) & -uintptr_t{SOFTLBR_REGION_ALIGNMENT});
  for (int i = 0; i < 3; ++i) {
    threads_.emplace_back([this] {
      while (!is_over_) {
        softlbr_counters counters = {};
        counters.struct_size = sizeof counters;
        if (softlbr_get_counters(&counters) == SOFTLBR_OK) ++seen_;
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    const uint64_t seen = seen_;
    ASSERT_EQ(softlbr_start(&options_), SOFTLBR_OK);
    while (seen_ == seen) std::this_thread::yield();
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
    std::memset(options_.region, 0x5a, sizeof(Session));
  }
  Finish();
}

}  // namespace
}  // namespace softlbr
