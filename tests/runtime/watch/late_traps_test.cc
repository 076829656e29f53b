// A session's end waits for the threads that may have a trap of ours before them.
#include "runtime/watch/late_traps.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "runtime/session/session.h"
#include "tests/fake/session_platform_fake.h"

namespace softlbr {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Session* g_session = nullptr;

bool TakeTrap(const platform::Trap& trap) {
  if (SlotOfSigData(trap.sig_data) == kFenceSlot) PassFence(g_session, trap);
  return true;
}

// A session whose slots were closed, of one thread.
class LateTrapsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    g_session = session_.get();
    session_->late_traps.count = 1;
    session_->late_traps.fences[0].tid = thread_.tid();
    ASSERT_EQ(platform::InstallTrapHandler(TakeTrap), Status::kOk);
  }
  void TearDown() override {
    fake::g_is_runnable = false;
    fake::g_is_trap_blocked = false;
    EXPECT_EQ(fake::OpenEvents(), 0u);
    platform::RestoreTrapHandler();
  }
  // How long the wait takes while this thread does `meanwhile`.
  template <typename Action>
  milliseconds Await(Action meanwhile) {
    const auto begin = steady_clock::now();
    steady_clock::time_point end;
    std::thread control([&] {
      AwaitLateTraps(session_.get());
      end = steady_clock::now();
      is_over_ = true;
    });
    meanwhile();
    control.join();
    return std::chrono::duration_cast<milliseconds>(end - begin);
  }
  void WaitForFence() {
    while (!thread_.IsSampled() && !is_over_) std::this_thread::yield();
    ASSERT_TRUE(thread_.IsSampled());
  }

  uint32_t State() const { return session_->late_traps.fences[0].state; }

  fake::TestThread thread_;
  std::unique_ptr<Session> session_ = std::make_unique<Session>();
  std::atomic<bool> is_over_{false};
};

TEST_F(LateTrapsTest, RunnableThreadIsAwaitedUntilItTrapsInItsProgram) {
  fake::g_is_runnable = true;
  (void)Await([this] {
    WaitForFence();
    std::this_thread::sleep_for(milliseconds(5));
    EXPECT_FALSE(is_over_);
    EXPECT_EQ(thread_.Run(0x1000, 0), 1u);
  });
  EXPECT_FALSE(thread_.IsSampled());
  EXPECT_EQ(State(), 4u + kFencePassed);
  EXPECT_TRUE(session_->late_traps.is_complete);
}

TEST_F(LateTrapsTest, SleepingThreadIsNotAwaited) {
  (void)Await([] {});
  EXPECT_EQ(State(), 0u) << "no event was opened";
  EXPECT_TRUE(session_->late_traps.is_complete);
}

// It gets another event when it wakes up, because the kernel may have raised the signal of the first one.
TEST_F(LateTrapsTest, ThreadThatFallsAsleepIsAwaitedNoLonger) {
  fake::g_is_runnable = true;
  (void)Await([this] {
    WaitForFence();
    fake::g_is_runnable = false;
  });
  EXPECT_EQ(State(), 4u + kFenceClosed);
  EXPECT_TRUE(session_->late_traps.is_complete);
}

TEST_F(LateTrapsTest, TrapOfAnEarlierTurnDoesNotCount) {
  fake::g_is_runnable = true;
  (void)Await([this] {
    WaitForFence();
    platform::Trap trap = {};
    trap.sig_data = MakeSigData(kFenceSlot, 7 * kFences);
    PassFence(session_.get(), trap);
    std::this_thread::sleep_for(milliseconds(5));
    EXPECT_FALSE(is_over_);
    EXPECT_EQ(thread_.Run(0x1000, 0), 1u);
  });
}

TEST_F(LateTrapsTest, NoEventIsOpenedForAThreadThatBlocksTheSignal) {
  fake::g_is_runnable = true;
  fake::g_is_trap_blocked = true;
  const milliseconds time = Await([this] {
    while (!is_over_) EXPECT_EQ(fake::OpenEvents(), 0u);
  });
  EXPECT_GE(time, milliseconds(4)) << "it may be in the handler";
  EXPECT_FALSE(session_->late_traps.is_complete);
}

TEST_F(LateTrapsTest, WaitIsBounded) {
  fake::g_is_runnable = true;
  EXPECT_GE(Await([] {}), milliseconds(90));
  EXPECT_FALSE(session_->late_traps.is_complete);
}

TEST_F(LateTrapsTest, WithADebuggerNoEventIsOpened) {
  fake::g_is_runnable = true;
  session_->environment.sampling_disabled = kDisabledDebugger;
  (void)Await([this] {
    while (!is_over_) EXPECT_EQ(fake::OpenEvents(), 0u);
  });
  EXPECT_FALSE(session_->late_traps.is_complete);
}

}  // namespace
}  // namespace softlbr
