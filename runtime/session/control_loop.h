// The control thread: aggregates and writes what the traced threads record, and watches them.
//
// Context: a raw thread without libc state (platform/thread.h). It may block; it never allocates. It runs in a process of its own, the
//   helper (platform/helper.h), so that the host does not see it. The helper lends the threads' events to their handlers; where they may
//   not fetch them, and for a sink function, which may use the app's files, it shares the app's descriptors. It runs in the host where
//   the helper may not open the threads' events, as with a host that is not dumpable, and with the thread timer, which only a thread
//   of the same process can open.
// Life: started by StartSession. Once StopClaimedSession has set stop_requested, it completes the profile and ends. So does a helper
//   when the host has ended otherwise or executes another program; it first closes the host's files.
// Look: sleep until a handler wakes it or the period has passed; check that traps are still safe; follow the host's user ids; free
//   stuck threads; open slots for new threads and close those of ended ones; compare some cached code; drain buffers and read the
//   modules, if that is due.
// Account: with some of the looks. Prices what the session takes, adjusts the sampling period, counts threads that block their
//   signals, writes what is due.
// Periods: a look takes 50 us at least, most of it the kernel's for a process that wakes up with cold caches, so looks are kLookPeriodNs
//   apart. They are kRestPeriodNs apart for kNewThreadsNs after a thread was born, and kControlPeriodNs while a breakpoint is armed; whoever
//   arms one wakes it. Accounts begin kRestPeriodNs apart, and each interval is twice the one before, up to kSparsePeriodNs. While the app
//   uses hardly any CPU time, looks are as far apart as accounts, and the next sample ends that. A handler that has met unknown code
//   is answered as soon as the modules may be read again.
#ifndef SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
#define SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_

#include <atomic>
#include <cstdint>

#include "platform/sampler.h"
#include "platform/thread.h"

namespace softlbr {

// Values of ControlThread::is_ready.
inline constexpr uint32_t kControlReady = 1;    // the threads have been scanned once
inline constexpr uint32_t kControlRefused = 2;  // a helper that may not open events, or not lend them, and ends
inline constexpr uint32_t kControlLends = 3;    // a helper lends `trial`, and waits until StartSession says whether it got it

struct ControlThread {
  platform::RuntimeThread thread;
  platform::Sampler trial;
  int32_t tid;                     // before Begin: of the thread that starts the session
  std::atomic<uint32_t> is_ready;  // StartSession waits on it
  std::atomic<uint32_t> stop_requested;
  std::atomic<uint32_t> is_complete;  // 0 after its end: a helper that was killed
  std::atomic<uint32_t> is_idle;      // the next sample wakes the control thread
  uint32_t applied_disable_reasons;   // DisableReason bits for which threads have been paused
  uint32_t next_checked;              // position in the block cache (runtime/blocks/patch_check.h)
  uint64_t accounted_ns;              // last account, and the app's CPU time then
  int64_t seen_app_cpu_ns;
  uint64_t period_ns;  // of accounting; 0 before the first one
};

// Thread entry; the argument is the Session.
void RunControlLoop(void* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
