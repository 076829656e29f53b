// The runtime's own thread: folds and writes what the traced threads record, and looks after them.
//
// Context: a raw thread without libc state (platform/thread.h). It may block; it never allocates.
// Life: started by StartSession; ends, with the profile complete, after StopClaimedSession has set stop_requested.
// Round: sleep until a handler asks for something or kControlPeriodNs has passed; check that traps are still safe; free stuck
//   threads; find new threads and give up ended ones; read the modules; fold buffers; adjust the period; write what is due.
#ifndef SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
#define SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_

#include <atomic>
#include <cstdint>

#include "platform/thread.h"

namespace softlbr {

struct ControlThread {
  platform::RuntimeThread thread;
  int32_t tid;
  std::atomic<uint32_t> is_ready;  // set, and woken on, after the first scan
  std::atomic<uint32_t> stop_requested;
  uint32_t applied_disable_reasons;  // DisableReason bits for which threads have been paused
};

// Thread entry; the argument is the Session.
void RunControlLoop(void* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
