#include "runtime/session/sampling_guard.h"

#include "platform/thread_list.h"
#include "platform/trap_signal.h"
#include "runtime/session/thread_registry.h"

namespace softlbr {

void GuardSampling(Session* session, bool is_thorough) {
  std::atomic<uint32_t>& barred = session->environment.sampling_disabled;
  const uint32_t present = barred.load(std::memory_order_relaxed);
  uint32_t next = present;
  if (!platform::IsTrapHandlerInstalled()) next |= kDisabledHandlerReplaced;
  if (is_thorough) {
    next &= ~kDisabledDebugger;
    if (platform::IsDebuggerAttached()) next |= kDisabledDebugger;
    if (next == 0) {
      ReplaceClosedDescriptors(session);
      CountBlockedThreads(session);
    }
  }
  barred.store(next, std::memory_order_relaxed);
  // The handler may have set a bit since the last round: what counts is what has been done about it.
  const uint32_t fresh = next & ~session->applied_disable_reasons;
  if ((fresh & kDisabledHandlerReplaced) != 0) {
    PauseThreads(session, AbortReason::kHandlerReplaced, LossReason::kHandlerReplaced);
  } else if (fresh != 0) {
    PauseThreads(session, AbortReason::kNoBreakpoint, LossReason::kDebuggerAttached);
  } else if (next == 0 && session->applied_disable_reasons != 0) {
    ResumeThreads(session);
  }
  session->applied_disable_reasons = next;
}

}  // namespace softlbr
