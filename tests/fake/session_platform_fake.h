// Fake events, signals and threads of a process: a whole session runs over them without signals of the kernel, so that
// ThreadSanitizer, which delays signals, sees every handler run where it would.
//
// Who: a thread of the test becomes a thread of the process by a TestThread of its own; Run() then does what the
//   sampler and the breakpoint would do to it. The session's control thread is a std::thread.
// Not faked: time, memory, files (the real platform's).
#ifndef SOFTLBR_TESTS_FAKE_SESSION_PLATFORM_FAKE_H_
#define SOFTLBR_TESTS_FAKE_SESSION_PLATFORM_FAKE_H_

#include <atomic>
#include <cstdint>
#include <functional>

#include "platform/trap_signal.h"

namespace softlbr::fake {

class TestThread {
 public:
  TestThread();   // born: the session's next scan finds it
  ~TestThread();  // gone
  TestThread(const TestThread&) = delete;
  TestThread& operator=(const TestThread&) = delete;

  // The thread is at pc: its sampler fires, if it is on; then its breakpoint, as often as it is armed, at most
  // most_hits times. Returns the number of traps.
  uint32_t Run(uint64_t pc, uint32_t most_hits);
  // The thread passes its breakpoint, if it is armed, so many times. Number of traps.
  uint32_t RunOver(uint32_t times);
  // A SIGTRAP at pc that names no event. False: it is left to the program.
  bool RaiseUnmarked(uint64_t pc, platform::RaisedByProgram raised_by_program);
  // Whether its sampler is on.
  bool IsSampled() const;
  int32_t tid() const { return tid_; }
  // Where the thread's breakpoint is armed; 0: nowhere.
  uint64_t ArmedPc() const;

 private:
  bool RaiseTrap(bool is_breakpoint, uint64_t pc);

  int32_t tid_;
};

// Share of the process's CPU time that counts as spent in user code.
inline std::atomic<uint32_t> g_user_percent{100};

// How often each thread was switched in.
inline std::atomic<uint64_t> g_switches{1};

// CPU time of each thread, the control thread among them.
inline std::atomic<uint64_t> g_thread_cpu_ns{0};
inline std::atomic<bool> g_may_timers_sample{false};
// Whether each thread has a SIGTRAP pending, because it blocks the signal.
inline std::atomic<bool> g_is_trap_pending{false};
// Whether each thread blocks SIGTRAP, and whether it runs or waits for a CPU.
inline std::atomic<bool> g_is_trap_blocked{false};
inline std::atomic<bool> g_is_runnable{false};

// Events that are open now.
uint32_t OpenEvents();

// Runs on the thread that stops the next session, while it waits for the control thread to end.
void DuringNextStop(std::function<void()> action);

// Runs on the control thread in its next look for new threads, in the middle of a round.
void DuringNextScan(std::function<void()> action);
// How long the control thread waited at most after that round; 0: it has not come to the wait yet.
uint64_t WaitAfterThatScanNs();

}  // namespace softlbr::fake

#endif  // SOFTLBR_TESTS_FAKE_SESSION_PLATFORM_FAKE_H_
