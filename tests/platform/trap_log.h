// A trap callback that writes down what it was given, and code to put breakpoints on.
#ifndef SOFTLBR_TESTS_PLATFORM_TRAP_LOG_H_
#define SOFTLBR_TESTS_PLATFORM_TRAP_LOG_H_

#include <atomic>
#include <cstdint>

#include "platform/trap_signal.h"

namespace softlbr::platform::testing {

struct TrapLog {
  static constexpr uint32_t kCapacity = 4096;
  std::atomic<uint32_t> count{0};  // may exceed kCapacity: the rest is counted, not kept
  Trap traps[kCapacity];
  int32_t tids[kCapacity];
  // Called after writing down, still in the handler. nullptr: nothing.
  std::atomic<void (*)(const Trap&)> action{nullptr};
  // What the callback answers to kForeign traps.
  std::atomic<bool> takes_foreign{false};
};

extern TrapLog g_log;

// For InstallTrapHandler. Clears nothing: ResetTrapLog does.
bool LogTrap(const Trap& trap);
void ResetTrapLog();

// "nop; ret", at two addresses.
extern "C" void softlbr_test_target_a();
extern "C" void softlbr_test_target_b();
inline uint64_t TargetA() { return reinterpret_cast<uint64_t>(&softlbr_test_target_a); }
inline uint64_t TargetB() { return reinterpret_cast<uint64_t>(&softlbr_test_target_b); }

// True if a breakpoint can be opened on the calling thread. Skip tests that need one otherwise.
bool HasBreakpoints();

// A joined thread is gone for us a little before it is for the kernel. False after five seconds.
bool WaitUntilGone(int32_t tid);

// Uses the CPU for about this long, as measured by the thread's own clock.
void BurnCpu(uint64_t ns);

}  // namespace softlbr::platform::testing

#define SOFTLBR_NEEDS_BREAKPOINTS() \
  if (!::softlbr::platform::testing::HasBreakpoints()) GTEST_SKIP() << "needs perf_event_open breakpoints"

#endif  // SOFTLBR_TESTS_PLATFORM_TRAP_LOG_H_
