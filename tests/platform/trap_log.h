// A trap callback that records its arguments, and code to set breakpoints on.
#ifndef SOFTLBR_TESTS_PLATFORM_TRAP_LOG_H_
#define SOFTLBR_TESTS_PLATFORM_TRAP_LOG_H_

#include <atomic>
#include <cstdint>

#include "platform/trap_signal.h"

namespace softlbr::platform::testing {

struct TrapLog {
  static constexpr uint32_t kCapacity = 4096;
  std::atomic<uint32_t> count{0};  // may exceed kCapacity: further traps are counted, not recorded
  Trap traps[kCapacity];
  int32_t tids[kCapacity];
  // Called after recording, still in the handler. nullptr: none.
  std::atomic<void (*)(const Trap&)> action{nullptr};
  // What the callback returns for kForeign and kUnmarked traps.
  std::atomic<bool> takes_foreign{false};
};

extern TrapLog g_log;

// For InstallTrapHandler. ResetTrapLog clears the log.
bool LogTrap(const Trap& trap);
void ResetTrapLog();

// Two functions of "nop; ret".
extern "C" void softlbr_test_target_a();
extern "C" void softlbr_test_target_b();
inline uint64_t TargetA() { return reinterpret_cast<uint64_t>(&softlbr_test_target_a); }
inline uint64_t TargetB() { return reinterpret_cast<uint64_t>(&softlbr_test_target_b); }

// True if a breakpoint can be opened on the calling thread; tests that need one skip otherwise.
bool HasBreakpoints();

// join returns slightly before the kernel removes the thread: waits until it has. False after five seconds.
bool WaitUntilGone(int32_t tid);

// Uses the CPU for about this long, measured by the thread's own clock.
void BurnCpu(uint64_t ns);

}  // namespace softlbr::platform::testing

#define SOFTLBR_NEEDS_BREAKPOINTS() \
  if (!::softlbr::platform::testing::HasBreakpoints()) GTEST_SKIP() << "needs perf_event_open breakpoints"

#endif  // SOFTLBR_TESTS_PLATFORM_TRAP_LOG_H_
