// The control thread: aggregates and writes what the traced threads record, and watches them.
//
// Context: a raw thread without libc state (platform/thread.h). It may block; it never allocates. It runs in a process of its own, the
//   helper (platform/helper.h), so that the host does not see it. The helper lends the threads' events to their handlers; where they may
//   not fetch them, and for a sink function, which may use the app's files, it shares the app's descriptors. It runs in the host where
//   the helper may not open the threads' events, as with a host that is not dumpable, and with the thread timer, which only a thread
//   of the same process can open.
// Life: started by StartSession. Once StopClaimedSession has set stop_requested, it completes the profile and ends. So does a helper
//   when the host has ended otherwise or executes another program; it first closes the host's files.
// Round: sleep until a handler wakes it or the period has passed; check that traps are still safe; free stuck threads; open
//   slots for new threads and close those of ended ones; read the modules; drain buffers; adjust the sampling period; write what is due.
// Period: kControlPeriodNs while a breakpoint is armed, else kRestPeriodNs; whoever arms one wakes it. While a round takes more than
//   1/256 of the CPU time that the app used since the last one, and no thread was born for kNewThreadsNs, it is kSparsePeriodNs. While
//   the app uses hardly any, it doubles up to kIdlePeriodNs, and the next sample ends that. A handler that has met unknown code is
//   answered as soon as the modules may be read again.
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
};

// Thread entry; the argument is the Session.
void RunControlLoop(void* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
