#include "runtime/sampling_guard.h"

#include "platform/thread_list.h"
#include "platform/trap_signal.h"
#include "runtime/thread_registry.h"

namespace softlbr {

void GuardSampling(Session* session, bool is_thorough) {
  std::atomic<uint32_t>& barred = session->environment.sampling_barred;
  const uint32_t present = barred.load(std::memory_order_relaxed);
  uint32_t next = present;
  if (!platform::IsTrapHandlerInstalled()) next |= kBarHandlerReplaced;
  if (is_thorough) {
    next &= ~kBarDebugger;
    if (platform::IsDebuggerAttached()) next |= kBarDebugger;
    if (next == 0) {
      ReplaceClosedDescriptors(session);
      CountBlockedThreads(session);
    }
  }
  barred.store(next, std::memory_order_relaxed);
  // The handler may have set a bit since the last round: what counts is what has been done about it.
  const uint32_t fresh = next & ~session->applied_bars;
  if ((fresh & kBarHandlerReplaced) != 0) {
    PauseThreads(session, AbortReason::kHandlerReplaced, LossReason::kHandlerReplaced);
  } else if (fresh != 0) {
    PauseThreads(session, AbortReason::kNoBreakpoint, LossReason::kDebuggerAttached);
  } else if (next == 0 && session->applied_bars != 0) {
    ResumeThreads(session);
  }
  session->applied_bars = next;
}

}  // namespace softlbr
