// The control thread: aggregates and writes what the traced threads record, and watches them.
//
// Context: a raw thread without libc state (platform/thread.h). It may block; it never allocates.
// Life: started by StartSession. Once StopClaimedSession has set stop_requested, it completes the profile and ends.
// Round: sleep until a handler wakes it or kControlPeriodNs has passed; check that traps are still safe; free stuck threads; open
//   slots for new threads and close those of ended ones; read the modules; drain buffers; adjust the period; write what is due.
#ifndef SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
#define SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_

#include <atomic>
#include <cstdint>

#include "platform/thread.h"

namespace softlbr {

struct ControlThread {
  platform::RuntimeThread thread;
  int32_t tid;
  std::atomic<uint32_t> is_ready;  // set after the first scan; StartSession waits on it
  std::atomic<uint32_t> stop_requested;
  uint32_t applied_disable_reasons;  // DisableReason bits for which threads have been paused
};

// Thread entry; the argument is the Session.
void RunControlLoop(void* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
