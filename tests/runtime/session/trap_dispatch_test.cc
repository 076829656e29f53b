// Traps that are dropped before they reach a slot are counted by kind. Runs over a fake platform.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "runtime/include/softlbr/softlbr.h"
#include "runtime/session/session.h"
#include "runtime/trace/arming.h"
#include "tests/fake/session_platform_fake.h"

extern "C" const softlbr_decoder_plugin* SOFTLBR_HOST_PLUGIN(void);

// Two paths: jumps only, which fill a trace; a branch on an UNKNOWN value, where a breakpoint is armed.
asm(R"(
  .pushsection .text
  .globl softlbr_dispatch_jumps, softlbr_dispatch_unknown
softlbr_dispatch_jumps:
  jmp 2f
1: jmp softlbr_dispatch_jumps
2: jmp 1b
softlbr_dispatch_unknown:
  movq %xmm0, %rax
  testq %rax, %rax
  jz softlbr_dispatch_jumps
  jmp softlbr_dispatch_unknown
  .popsection
)");
extern "C" const char softlbr_dispatch_jumps[], softlbr_dispatch_unknown[];

namespace softlbr {
namespace {

using std::chrono::milliseconds;

const auto kJumps = reinterpret_cast<uint64_t>(softlbr_dispatch_jumps);
const auto kUnknown = reinterpret_cast<uint64_t>(softlbr_dispatch_unknown);

class TrapDispatch : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.struct_size = sizeof options_;
    options_.period = 1000003;
    options_.max_threads = 8;
    options_.branches_per_trace = 16;
    options_.sink = [](void*, const void*, size_t) { return 0; };
    ASSERT_EQ(softlbr_register_decoder(SOFTLBR_HOST_PLUGIN()), SOFTLBR_OK);
    ASSERT_EQ(softlbr_start(&options_), SOFTLBR_OK);
  }
  void TearDown() override {
    if (softlbr_is_running() != 0) {
      EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
    }
    EXPECT_EQ(fake::OpenEvents(), 0u);
  }
  // Waits until the calling thread is sampled; its slot, or nullptr if that takes too long.
  static ThreadSlot* WaitForSlot(fake::TestThread* self) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (self->Run(kJumps, 0) == 0) {
      if (std::chrono::steady_clock::now() > end) return nullptr;
      std::this_thread::sleep_for(milliseconds(1));
    }
    for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&CurrentSession()->threads, &i);) {
      if (slot->tid == platform::CurrentThreadId()) return slot;
    }
    return nullptr;
  }
  static void TakeSlotFor(ThreadSlot* slot, SlotOwner owner) {
    while (!TakeOwnership(&slot->owner, owner)) std::this_thread::yield();
  }
  static SessionCounters Counters() {
    SessionCounters counters;
    CollectCounters(*CurrentSession(), &counters);
    return counters;
  }
  static uint64_t Lost(LossReason reason) { return Counters().lost[static_cast<uint32_t>(reason)]; }

  softlbr_options options_ = {};
};

TEST_F(TrapDispatch, CountsDroppedTrapsByKind) {
  fake::TestThread self;
  ThreadSlot* slot = WaitForSlot(&self);
  ASSERT_NE(slot, nullptr);
  const uint64_t samples = Counters().samples;
  TakeSlotFor(slot, SlotOwner::kControl);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(self.Run(kJumps, 0), 1u);
  EXPECT_EQ(Lost(LossReason::kLateSample), 10u);
  EXPECT_EQ(Lost(LossReason::kLateHit), 0u);
  EXPECT_EQ(Counters().samples, samples);

  do {  // until a breakpoint is armed and still is when we own the slot: the control thread may disarm it first
    GiveSlotBack(slot);
    (void)self.Run(kUnknown, 0);
    TakeSlotFor(slot, SlotOwner::kControl);
  } while (!slot->breakpoint.is_armed);
  EXPECT_EQ(self.RunOver(7), 7u);
  EXPECT_EQ(Lost(LossReason::kLateSample), 10u);
  EXPECT_EQ(Lost(LossReason::kLateHit), 7u);
  GiveSlotBack(slot);
}

// A decoder as slow as on an emulated CPU: each handler that lifts takes longer than is plausible on a real one.
softlbr_decoder_result LiftSlowly(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc, softlbr_block* block) {
  const auto end = std::chrono::steady_clock::now() + milliseconds(1);
  while (std::chrono::steady_clock::now() < end) {
  }
  return SOFTLBR_HOST_PLUGIN()->lift(decoder, code, size, pc, block);
}

// Such handlers are not left out of the overhead: each counts at least as the longest plausible one.
TEST_F(TrapDispatch, SlowHandlersCountAsOverhead) {
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  softlbr_decoder_plugin slow = *SOFTLBR_HOST_PLUGIN();
  slow.lift = LiftSlowly;
  ASSERT_EQ(softlbr_register_decoder(&slow), SOFTLBR_OK);
  ASSERT_EQ(softlbr_start(&options_), SOFTLBR_OK);
  fake::TestThread self;
  ASSERT_NE(WaitForSlot(&self), nullptr);
  const SessionCounters counters = Counters();
  EXPECT_GE(counters.samples, 1u);
  EXPECT_GE(counters.overhead_total_ns - counters.overhead_control_ns, 100000u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
}

// A dropped hit is a delivered one: the thread does not block SIGTRAP.
TEST_F(TrapDispatch, DroppedHitsAreNoStall) {
  fake::TestThread self;
  ThreadSlot* slot = WaitForSlot(&self);
  ASSERT_NE(slot, nullptr);
  TakeSlotFor(slot, SlotOwner::kControl);
  do {
    GiveSlotBack(slot);
    (void)self.Run(kUnknown, 0);
    TakeSlotFor(slot, SlotOwner::kControl);
  } while (!slot->breakpoint.is_armed);
  EXPECT_EQ(self.RunOver(100), 100u);
  EXPECT_GE(Lost(LossReason::kLateHit), 100u);
  uint64_t hits = 0;
  EXPECT_FALSE(IsStalled(*slot, &hits));
  EXPECT_GE(hits, 100u) << "as the kernel counts";
  EXPECT_EQ(slot->handled_hits, hits);
  GiveSlotBack(slot);
}

TEST_F(TrapDispatch, CountsEveryLossOfConcurrentThreads) {
  constexpr uint32_t kThreads = 4;
  constexpr uint64_t kEach = 20000;
  std::atomic<uint32_t> ready{0};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&ready] {
      fake::TestThread self;
      ThreadSlot* slot = WaitForSlot(&self);
      ++ready;
      ASSERT_NE(slot, nullptr);
      while (ready != kThreads) std::this_thread::yield();
      TakeSlotFor(slot, SlotOwner::kControl);
      for (uint64_t sample = 0; sample < kEach; ++sample) (void)self.Run(kJumps, 0);
      GiveSlotBack(slot);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Lost(LossReason::kLateSample), kThreads * kEach);
}

// The control thread is waiting for another thread's slot, so only the handler can turn this thread's sampler off.
TEST_F(TrapDispatch, StoppingThreadIsNotSampled) {
  ThreadSlot* first = nullptr;
  std::atomic<bool> is_over{false};
  std::atomic<bool> is_there{false};
  std::thread other([&] {
    fake::TestThread self;
    first = WaitForSlot(&self);
    is_there = true;
    while (!is_over) std::this_thread::yield();
  });
  while (!is_there) std::this_thread::yield();
  {
    fake::TestThread self;
    const ThreadSlot* slot = WaitForSlot(&self);
    EXPECT_TRUE(first != nullptr && slot != nullptr && first < slot) << "slots are closed in ascending order";
    if (first != nullptr) TakeSlotFor(first, SlotOwner::kHandler);
    const SessionCounters before = Counters();
    uint32_t traps = 0;
    fake::DuringNextStop([&] {
      for (int i = 0; i < 100; ++i) traps += self.Run(kJumps, 0);
      const SessionCounters after = Counters();
      EXPECT_EQ(after.samples, before.samples) << "no trace begins in our own code";
      EXPECT_EQ(after.lost[static_cast<uint32_t>(LossReason::kLateSample)],
                before.lost[static_cast<uint32_t>(LossReason::kLateSample)] + traps);
      if (first != nullptr) GiveSlotBack(first);
    });
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
    EXPECT_EQ(traps, 1u) << "the first sample turns the sampler off";
  }
  is_over = true;
  other.join();
}

}  // namespace
}  // namespace softlbr
