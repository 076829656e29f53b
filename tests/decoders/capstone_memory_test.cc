// Concurrent descriptions by Capstone share no memory: on many threads, in a handler that interrupts one, and with the
// table full.
#include "decoders/x86_64/clobber/capstone_memory.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "decoders/x86_64/clobber/capstone_handle.h"
#include "tests/decoders/plugin_fixture.h"

// Capstone's allocator hook as set by open().
extern "C" void* (*cs_mem_malloc)(size_t bytes);

namespace softlbr::x86 {
namespace {

// xstorerng, for which Capstone 4 copies a string. (Our decoder does not know it, so no lift gets here. Other versions
// of Capstone may copy strings for forms that lifts do ask about.)
constexpr uint8_t kCopies[] = {0x0f, 0xa7, 0xc0};
constexpr uint32_t kThreads = 100;
static_assert(kThreads > kMaxLenders, "some must find no room");

// A rendezvous of calls into Capstone: each keeps its memory until all have arrived.
struct Meeting {
  std::mutex mutex;
  std::condition_variable all_came;
  uint32_t expected = 0;
  uint32_t came = 0;
  std::vector<std::pair<uintptr_t, size_t>> held;  // address, bytes
  void* (*hook)(size_t) = nullptr;

  void Come(void* memory, size_t bytes) {
    std::unique_lock<std::mutex> lock(mutex);
    if (memory != nullptr) held.emplace_back(reinterpret_cast<uintptr_t>(memory), bytes);
    if (++came == expected) all_came.notify_all();
    all_came.wait(lock, [this] { return came >= expected; });
  }
};
Meeting* g_meeting = nullptr;
thread_local bool g_has_come = false;

void* HoldUntilAllCame(size_t bytes) {
  void* memory = g_meeting->hook(bytes);
  g_has_come = true;
  g_meeting->Come(memory, bytes);
  return memory;
}

class CapstoneMemory : public test::PluginTest {
 protected:
  CapstoneMemory() : hook_(cs_mem_malloc) {}
  ~CapstoneMemory() override { cs_mem_malloc = hook_; }
  static uint32_t Describe(const softlbr_decoder* decoder) {
    CapstoneInstruction out;
    return DescribeByCapstone(decoder, kCopies, sizeof(kCopies), 0, &out);
  }
  bool CopiesAString() {
    static uint32_t asked;
    asked = 0;
    cs_mem_malloc = [](size_t) -> void* {
      static char text[64];
      ++asked;
      return text;
    };
    EXPECT_EQ(Describe(decoder_), sizeof(kCopies));
    cs_mem_malloc = hook_;
    return asked != 0;
  }
  void* (*hook_)(size_t);
};

bool Overlap(std::vector<std::pair<uintptr_t, size_t>> held) {
  std::sort(held.begin(), held.end());
  for (size_t i = 1; i < held.size(); ++i)
    if (held[i - 1].first + held[i - 1].second > held[i].first) return true;
  return false;
}

TEST_F(CapstoneMemory, ConcurrentDescriptionsShareNone) {
  if (!CopiesAString()) GTEST_SKIP() << "this Capstone copies no string for xstorerng";
  Meeting meeting;
  meeting.expected = kThreads;
  meeting.hook = hook_;
  g_meeting = &meeting;
  cs_mem_malloc = HoldUntilAllCame;
  std::vector<std::thread> threads;
  std::atomic<uint32_t> described{0};
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      if (Describe(decoder_) == sizeof(kCopies)) ++described;
      if (!g_has_come) meeting.Come(nullptr, 0);  // was refused
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(Overlap(meeting.held));
  EXPECT_EQ(meeting.held.size(), kMaxLenders) << "as many as there is room for";
  EXPECT_EQ(described.load(), kMaxLenders) << "and the others are refused";
}

// A handler on the same thread: on its own stack and on an alternate stack.
const softlbr_decoder* g_decoder = nullptr;
uint32_t g_depth = 0;
std::vector<std::pair<uintptr_t, size_t>> g_held;

void DescribeInHandler(int) {
  CapstoneInstruction out;
  EXPECT_EQ(DescribeByCapstone(g_decoder, kCopies, sizeof(kCopies), 0, &out), sizeof(kCopies));
}

void* (*g_hook)(size_t) = nullptr;
void* InterruptOnce(size_t bytes) {
  void* memory = g_hook(bytes);
  g_held.emplace_back(reinterpret_cast<uintptr_t>(memory), bytes);
  if (g_depth++ == 0) {
    std::memset(memory, 0x5a, bytes);
    pthread_kill(pthread_self(), SIGUSR1);
    for (size_t i = 0; i < bytes; ++i) EXPECT_EQ(static_cast<uint8_t*>(memory)[i], 0x5a) << "the handler wrote here";
  }
  return memory;
}

TEST_F(CapstoneMemory, HandlerSharesNoneWithTheInterruptedDescription) {
  if (!CopiesAString()) GTEST_SKIP() << "this Capstone copies no string for xstorerng";
  alignas(16) static uint8_t alternate[262144];
  stack_t stack = {};
  stack.ss_sp = alternate;
  stack.ss_size = sizeof(alternate);
  stack_t previous_stack;
  ASSERT_EQ(sigaltstack(&stack, &previous_stack), 0);
  g_decoder = decoder_;
  g_hook = hook_;
  for (const int flags : {0, SA_ONSTACK}) {
    struct sigaction action = {};
    struct sigaction previous;
    action.sa_handler = DescribeInHandler;
    action.sa_flags = flags;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &previous), 0);
    g_depth = 0;
    g_held.clear();
    g_held.reserve(2);  // avoids an allocation in the handler
    cs_mem_malloc = InterruptOnce;
    EXPECT_EQ(Describe(decoder_), sizeof(kCopies));
    cs_mem_malloc = hook_;
    ASSERT_EQ(sigaction(SIGUSR1, &previous, nullptr), 0);
    EXPECT_EQ(g_held.size(), 2u);
    EXPECT_FALSE(Overlap(g_held));
  }
  ASSERT_EQ(sigaltstack(&previous_stack, nullptr), 0);
}

TEST_F(CapstoneMemory, RefusesTheFormIfFull) {
  constexpr uint8_t kMovapsWithF3[] = {0xf3, 0x0f, 0x29, 0x07};
  LentMemory memory = {nullptr, nullptr};
  for (uint32_t i = 0; i < kMaxLenders; ++i)
    ASSERT_LT(Lend(reinterpret_cast<void*>(uintptr_t{i} + 1), &memory), kMaxLenders);
  EXPECT_EQ(Lend(&memory, &memory), kMaxLenders);
  Lift(kMovapsWithF3);
  EXPECT_EQ(block_.end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(block_.instruction_count, 0);
  EXPECT_EQ(plugin_.instruction_length(decoder_, kMovapsWithF3, sizeof(kMovapsWithF3), 0), sizeof(kMovapsWithF3));
  for (uint32_t i = 0; i < kMaxLenders; ++i) TakeBack(i);
  Lift(kMovapsWithF3);
  EXPECT_EQ(block_.instruction_count, 1);
}

TEST_F(CapstoneMemory, IsLentForOneCallOnly) {
  EXPECT_EQ(hook_(16), nullptr);
  EXPECT_EQ(Describe(decoder_), sizeof(kCopies));
  EXPECT_EQ(hook_(16), nullptr);
}

TEST_F(CapstoneMemory, ManyThreadsLiftTheFormsThatCapstoneDescribes) {
  const std::initializer_list<uint8_t> forms[] = {
      {0xf3, 0x0f, 0x29, 0x07},              // movaps %xmm0,(%rdi) with a meaningless prefix
      {0xf2, 0x44, 0x0f, 0x29, 0x4e, 0x10},  // movaps %xmm9,16(%rsi) with another
      {0xf2, 0x0f, 0xc4, 0xc1, 0x03},        // pinsrw with a meaningless prefix
  };
  constexpr uint32_t kLifters = 16;
  constexpr uint32_t kLifts = 3000;
  std::vector<softlbr_block> expected;
  for (const auto& form : forms) {
    expected.push_back(Lift(form));
    ASSERT_EQ(block_.instruction_count, 1);
  }
  std::atomic<uint32_t> equal{0};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kLifters; ++i) {
    threads.emplace_back([&, i] {
      const auto block = std::make_unique<softlbr_block>();
      for (uint32_t n = 0; n < kLifts; ++n) {
        const size_t which = (n + i) % std::size(forms);
        plugin_.lift(decoder_, forms[which].begin(), forms[which].size(), test::kPc, block.get());
        const softlbr_block& want = expected[which];
        if (block->instruction_count == 1 && block->uop_count == want.uop_count &&
            std::memcmp(block->uops, want.uops, want.uop_count * sizeof(softlbr_uop)) == 0)
          ++equal;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal.load(), kLifters * kLifts);
}

}  // namespace
}  // namespace softlbr::x86
