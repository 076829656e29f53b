// The app's view of SIGTRAP while our handler is installed, and the effect of its changes to the disposition.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "platform/linux/kernel_abi.h"
#include "platform/linux/signals/signal_frame.h"
#include "platform/trap_signal.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

std::atomic<int> g_first_calls;
std::atomic<int> g_second_calls;
void OnFirst(int) { ++g_first_calls; }
void OnSecond(int) { ++g_second_calls; }

TrapAction ActionOf(void (*handler)(int), uint64_t flags = 0) {
  // Without a restorer in the action, the kernel returns through the vdso.
  const uint64_t restorer = SignalRestorer();
  return TrapAction{reinterpret_cast<uint64_t>(handler), restorer != 0 ? flags | kSaRestorer : flags, restorer, 0};
}
bool IsEqual(const TrapAction& a, const TrapAction& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

class AppTrapAction : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetTrapLog();
    g_first_calls = g_second_calls = 0;
    ASSERT_EQ(ExchangeAppTrapAction(nullptr, &original_), 0);
  }
  void TearDown() override {
    RestoreTrapHandler();
    ASSERT_EQ(ExchangeAppTrapAction(&original_, nullptr), 0);
  }
  TrapAction original_{};
};

TEST_F(AppTrapAction, GoesToTheKernelWithoutOurHandler) {
  const TrapAction first = ActionOf(OnFirst);
  TrapAction previous{};
  ASSERT_EQ(ExchangeAppTrapAction(&first, &previous), 0);
  EXPECT_TRUE(IsEqual(previous, original_));
  raise(SIGTRAP);
  EXPECT_EQ(g_first_calls, 1);
  struct sigaction seen;
  ASSERT_EQ(sigaction(SIGTRAP, nullptr, &seen), 0);
  EXPECT_EQ(reinterpret_cast<uint64_t>(seen.sa_handler), first.handler);
}

TEST_F(AppTrapAction, IsStoredCalledAndRestored) {
  const TrapAction first = ActionOf(OnFirst);
  const TrapAction second = ActionOf(OnSecond);
  ASSERT_EQ(ExchangeAppTrapAction(&first, nullptr), 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  TrapAction previous{};
  ASSERT_EQ(ExchangeAppTrapAction(&second, &previous), 0);
  EXPECT_TRUE(IsEqual(previous, first));
  EXPECT_TRUE(IsTrapHandlerInstalled());
  raise(SIGTRAP);
  EXPECT_EQ(g_log.count.load(), 1u) << "ours came first";
  EXPECT_EQ(g_first_calls, 0);
  EXPECT_EQ(g_second_calls, 1);
  RestoreTrapHandler();
  ASSERT_EQ(ExchangeAppTrapAction(nullptr, &previous), 0);
  EXPECT_TRUE(IsEqual(previous, second)) << "the app's last disposition remains";
}

TEST_F(AppTrapAction, ResetHandAppliesOnce) {
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  const TrapAction once = ActionOf(OnFirst, kSaResetHand);
  ASSERT_EQ(ExchangeAppTrapAction(&once, nullptr), 0);
  raise(SIGTRAP);
  EXPECT_EQ(g_first_calls, 1);
  TrapAction now{};
  ASSERT_EQ(ExchangeAppTrapAction(nullptr, &now), 0);
  EXPECT_EQ(now.handler, kSigDefault);
}

TEST_F(AppTrapAction, ForkedChildChangesOnlyItsOwn) {
  const TrapAction first = ActionOf(OnFirst);
  ASSERT_EQ(ExchangeAppTrapAction(&first, nullptr), 0);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  for (const bool shares_memory : {false, true}) {
    const pid_t child = shares_memory ? vfork() : fork();
    if (child == 0) {
      const TrapAction second = ActionOf(OnSecond);
      TrapAction previous{};
      if (ExchangeAppTrapAction(&second, &previous) != 0 || !IsEqual(previous, first)) _exit(1);
      if (IsTrapHandlerInstalled()) _exit(2);
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(IsTrapHandlerInstalled());
    TrapAction now{};
    ASSERT_EQ(ExchangeAppTrapAction(nullptr, &now), 0);
    EXPECT_TRUE(IsEqual(now, first));
  }
}

TEST_F(AppTrapAction, ConcurrentChangesNeverTear) {
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  const TrapAction first = ActionOf(OnFirst);
  TrapAction second = ActionOf(OnSecond, kSaRestart);
  second.mask = 0xf0;
  ASSERT_EQ(ExchangeAppTrapAction(&first, nullptr), 0);
  std::atomic<int> torn{0};
  auto change = [&](const TrapAction& wish) {
    for (int i = 0; i < 20000; ++i) {
      TrapAction previous{};
      if (ExchangeAppTrapAction(&wish, &previous) != 0) ++torn;
      if (!IsEqual(previous, first) && !IsEqual(previous, second)) ++torn;
      if (i % 16 == 0) raise(SIGTRAP);
    }
  };
  std::thread one(change, first);
  std::thread two(change, second);
  one.join();
  two.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(g_first_calls + g_second_calls, 2 * 20000 / 16);
}

}  // namespace
}  // namespace softlbr::platform::testing
