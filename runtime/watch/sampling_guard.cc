#include "runtime/watch/sampling_guard.h"

#include "platform/thread_list.h"
#include "platform/trap_signal.h"
#include "runtime/session/session.h"
#include "runtime/watch/thread_watch.h"
#include "runtime/watch/timer_sampling.h"

namespace softlbr {

void GuardSampling(Session* session, bool is_thorough) {
  std::atomic<uint32_t>& disable_reasons = session->environment.sampling_disabled;
  uint32_t reasons = disable_reasons.load(std::memory_order_relaxed);
  if (!platform::IsTrapHandlerInstalled()) {
    reasons |= kDisabledHandlerReplaced;
    platform::SetTrapSignalBlocked(true);  // a helper must not run the app's handler
  }
  if (is_thorough) {
    reasons &= ~kDisabledDebugger;
    if (platform::IsDebuggerAttached()) reasons |= kDisabledDebugger;
    // else nobody can close them
    if (reasons == 0 && session->control.thread.kept_fd < 0) ReplaceClosedDescriptors(session);
  }
  disable_reasons.store(reasons, std::memory_order_relaxed);
  // A handler may have added a reason since the last look, so compare with the reasons applied, not with those read
  // then.
  uint32_t& applied = session->control.applied_disable_reasons;
  const uint32_t fresh = reasons & ~applied;
  if ((fresh & kDisabledHandlerReplaced) != 0) {
    PauseThreads(session, AbortReason::kHandlerReplaced, LossReason::kHandlerReplaced);
  } else if (fresh != 0) {
    PauseThreads(session, AbortReason::kNoBreakpoint, LossReason::kDebuggerAttached);
  } else if (reasons == 0 && applied != 0) {
    ResumeThreads(session);
  }
  if (fresh != 0) EndTimers(session);
  applied = reasons;
}

}  // namespace softlbr
