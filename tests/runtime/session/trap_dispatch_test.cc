// Traps that are dropped before they reach a slot are counted by kind. Runs over a fake platform.
#include "runtime/session/trap_dispatch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "runtime/include/softlbr/softlbr.h"
#include "runtime/session/session.h"
#include "runtime/trace/arming.h"
#include "runtime/watch/thread_registry.h"
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
      // The control thread may be giving a slot to another thread.
      if (__atomic_load_n(&slot->tid, __ATOMIC_RELAXED) == platform::CurrentThreadId()) return slot;
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

using platform::RaisedByProgram;

// A hit that arrives without its mark does nothing but count: the thread hits again.
TEST_F(TrapDispatch, UnmarkedHitsAreOursInEveryStateOfATrace) {
  fake::TestThread self;
  ThreadSlot* slot = WaitForSlot(&self);
  ASSERT_NE(slot, nullptr);
  EXPECT_FALSE(self.RaiseUnmarked(kUnknown, RaisedByProgram::kNo)) << "nothing was ever armed";
  EXPECT_FALSE(self.RaiseUnmarked(0, RaisedByProgram::kNo));
  TakeSlotFor(slot, SlotOwner::kControl);
  do {
    GiveSlotBack(slot);
    (void)self.Run(kUnknown, 0);
    TakeSlotFor(slot, SlotOwner::kControl);
  } while (!slot->breakpoint.is_armed);
  const uint64_t armed = self.ArmedPc();
  ASSERT_NE(armed, 0u);

  // While the control thread owns the slot.
  EXPECT_TRUE(self.RaiseUnmarked(armed, RaisedByProgram::kNo));
  EXPECT_FALSE(self.RaiseUnmarked(armed, RaisedByProgram::kYes)) << "an int3 of the program's own";
  EXPECT_FALSE(self.RaiseUnmarked(armed + 1, RaisedByProgram::kNo)) << "a SIGTRAP that the program sends itself";
  EXPECT_EQ(self.ArmedPc(), armed);
  EXPECT_EQ(Counters().unmarked_hits, 1u);
  EXPECT_EQ(slot->handled_hits, 0u) << "the kernel has not counted it either";

  // After the breakpoint was disarmed.
  AbandonTrace(&CurrentSession()->environment, slot, AbortReason::kTooOld, false);
  EXPECT_EQ(self.ArmedPc(), 0u);
  EXPECT_TRUE(self.RaiseUnmarked(armed, RaisedByProgram::kNo));
  // After the slot was closed, which only the control thread does, and before it opens the slot again.
  std::atomic<bool> is_closed{false}, may_go_on{false}, has_ended{false};
  fake::DuringNextScan([&] {
    CloseSlot(CurrentSession(), slot, AbortReason::kEventsClosed);
    is_closed = true;
    while (!may_go_on) std::this_thread::yield();
    has_ended = true;
  });
  while (!is_closed) std::this_thread::yield();
  EXPECT_TRUE(self.RaiseUnmarked(armed, RaisedByProgram::kNo));
  may_go_on = true;
  while (!has_ended) std::this_thread::yield();  // it reads these variables
  EXPECT_EQ(Counters().unmarked_hits, 3u);
  EXPECT_EQ(Lost(LossReason::kLateHit), 0u);
  GiveSlotBack(slot);
}

// Nobody disarms it meanwhile: each step follows the arming at once.
TEST_F(TrapDispatch, UnmarkedHitKeepsTheTraceOpen) {
  fake::TestThread self;
  ThreadSlot* slot = WaitForSlot(&self);
  ASSERT_NE(slot, nullptr);
  bool is_kept = false;
  for (int i = 0; i < 1000 && !is_kept; ++i) {
    (void)self.Run(kUnknown, 0);
    const uint64_t armed = self.ArmedPc();
    if (armed == 0 || !self.RaiseUnmarked(armed, RaisedByProgram::kNo)) continue;
    const uint64_t hits = Counters().breakpoint_hits;
    is_kept = self.RunOver(1) == 1 && Counters().breakpoint_hits == hits + 1;
  }
  EXPECT_TRUE(is_kept);
}

// The byte before the pc is that of an icebp, but also ends an instruction of the path.
TEST_F(TrapDispatch, PathTellsWhetherTheProgramRaisedTheTrap) {
  fake::TestThread self;
  ThreadSlot* slot = WaitForSlot(&self);
  ASSERT_NE(slot, nullptr);
  TakeSlotFor(slot, SlotOwner::kControl);
  do {
    GiveSlotBack(slot);
    (void)self.Run(kUnknown, 0);
    TakeSlotFor(slot, SlotOwner::kControl);
  } while (!slot->breakpoint.is_armed);
  const uint64_t armed = slot->armed_pc;
  EXPECT_TRUE(slot->is_armed_inside) << "kUnknown falls through to the branch";
  EXPECT_TRUE(self.RaiseUnmarked(armed, RaisedByProgram::kPerhaps));
  slot->is_armed_inside = false;
  EXPECT_FALSE(self.RaiseUnmarked(armed, RaisedByProgram::kPerhaps));
  GiveSlotBack(slot);
}

// A CPU that never marks a hit would hit for ever.
TEST_F(TrapDispatch, UnmarkedHitsInARowAreBounded) {
  fake::TestThread self;
  ThreadSlot* slot = WaitForSlot(&self);
  ASSERT_NE(slot, nullptr);
  for (uint32_t attempt = 0;; ++attempt) {
    ASSERT_LT(attempt, 1000u);
    (void)self.Run(kUnknown, 0);
    const uint64_t armed = self.ArmedPc();
    uint32_t hits = 0;
    while (armed != 0 && self.ArmedPc() == armed && hits <= kMostUnmarkedInARow) {
      EXPECT_TRUE(self.RaiseUnmarked(armed, RaisedByProgram::kNo));
      ++hits;
    }
    if (hits == kMostUnmarkedInARow) break;  // else the control thread has disarmed it
    ASSERT_LT(hits, kMostUnmarkedInARow);
    slot->unmarked_in_a_row = 0;
  }
  EXPECT_GE(Counters().traces_aborted[static_cast<uint32_t>(AbortReason::kBreakpointFailed)], 1u);
}

// The program's handler runs with SIGTRAP blocked, where a hit without its mark would kill.
TEST_F(TrapDispatch, NoBreakpointStandsWhenATrapIsPassedOn) {
  fake::TestThread self;
  ASSERT_NE(WaitForSlot(&self), nullptr);
  uint32_t passed = 0;
  for (int i = 0; i < 100; ++i) {
    (void)self.Run(kUnknown, 0);
    if (self.ArmedPc() == 0) continue;
    ++passed;
    EXPECT_FALSE(self.RaiseUnmarked(kJumps, RaisedByProgram::kYes));
    // the control thread had the slot to disarm it
    if (self.ArmedPc() != 0) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_EQ(self.ArmedPc(), 0u);
  }
  EXPECT_GT(passed, 50u);
  EXPECT_EQ(Counters().unmarked_hits, 0u);
}

// Delivered after the session has ended.
TEST_F(TrapDispatch, UnmarkedHitAfterTheEndIsOurs) {
  fake::TestThread self;
  ASSERT_NE(WaitForSlot(&self), nullptr);
  for (int i = 0; i < 1000 && self.ArmedPc() == 0; ++i) (void)self.Run(kUnknown, 0);
  const uint64_t armed = self.ArmedPc();
  ASSERT_NE(armed, 0u);
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  platform::Trap trap = {};
  trap.kind = platform::TrapKind::kUnmarked;
  trap.pc = trap.raised_pc = armed;
  EXPECT_TRUE(DispatchTrap(trap));
  trap.raised_pc = armed + 1;
  EXPECT_FALSE(DispatchTrap(trap));
}

// Each overflow of such a thread's sampler would cost it time and bring nothing.
TEST_F(TrapDispatch, ThreadThatBlocksTrapsIsNotSampledUntilItDoesNotAnyMore) {
  fake::TestThread self;
  ASSERT_NE(WaitForSlot(&self), nullptr);
  const auto wait_until = [&self](bool is_sampled) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (self.IsSampled() != is_sampled && std::chrono::steady_clock::now() < end) {
      fake::g_thread_cpu_ns += kBlockedCpuNs;  // runs
      std::this_thread::sleep_for(milliseconds(1));
    }
    return self.IsSampled() == is_sampled;
  };
  fake::g_is_trap_pending = true;
  EXPECT_TRUE(wait_until(false));
  EXPECT_EQ(Lost(LossReason::kSignalBlocked), 1u);
  fake::g_is_trap_pending = false;  // taken by sigwait
  EXPECT_TRUE(wait_until(true));
  EXPECT_EQ(self.Run(kJumps, 0), 1u);
  fake::g_is_trap_pending = true;
  EXPECT_TRUE(wait_until(false));
  EXPECT_EQ(Lost(LossReason::kSignalBlocked), 2u);
  fake::g_is_trap_pending = false;
  EXPECT_TRUE(wait_until(true));
}

// A decoder as slow as on an emulated CPU: each handler that lifts takes longer than is plausible on a real one.
softlbr_decoder_result LiftSlowly(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                  softlbr_block* block) {
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
