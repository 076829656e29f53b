#include "runtime/watch/thread_watch.h"

#include "platform/thread_list.h"
#include "runtime/session/session.h"
#include "runtime/trace/arming.h"
#include "runtime/trace/open_trace.h"
#include "runtime/watch/thread_registry.h"

namespace softlbr {
namespace {

void SetPaused(Session* session, bool is_paused, AbortReason reason, LossReason loss) {
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    if (is_paused) CountLoss(session, loss);
    if (!TakeSlot(slot)) {
      // its handler may have read the disable reasons before
      slot->requests.fetch_or(kEndTraceForMe, std::memory_order_relaxed);
      continue;
    }
    if (is_paused) (void)StopSampling(slot);
    AbandonTrace(&session->environment, slot, reason, !is_paused);
    GiveSlotBack(slot);
  }
}

// When the bits are cleared, the requests have been served; a requester waits for that.
void ServeRequests(Session* session, ThreadSlot* slot) {
  const uint32_t requests = slot->requests.load(std::memory_order_acquire);
  TraceEnvironment& environment = session->environment;
  const bool gives_up = (requests & kGiveBreakpointUp) != 0;
  AbandonTrace(&environment, slot, gives_up ? AbortReason::kNoBreakpoint : AbortReason::kBreakpointFailed,
               !slot->uses_timer);
  if (gives_up) {
    platform::CloseBreakpoint(&slot->breakpoint);
  } else if (slot->sampler.period < kAlonePeriod) {
    // The handler may be unable to turn the sampler off. With this period it need not. The next sample whose handler
    // can reach the sampler sets another period.
    (void)platform::SetSamplerPeriod(&slot->sampler, kAlonePeriod);
  }
  slot->requests.fetch_and(~requests, std::memory_order_release);
}

// The thread has used CPU time without giving a sample. While it blocks SIGTRAP, its sampler brings nothing and costs
// time at each overflow: with a short first period (OpenSlot), which only a handler ends, nearly all of the thread's
// time. So the sampler is off until the pending signal is delivered, whose handler turns it on again, or has been taken
// by a wait of the program's.
void CheckBlockedThread(Session* session, ThreadSlot* slot) {
  const bool is_blocked = platform::IsTrapPending(slot->tid);
  if (!is_blocked && !slot->is_trap_blocked) return;
  if (is_blocked && !slot->is_trap_blocked) CountLoss(session, LossReason::kSignalBlocked);
  if (slot->uses_timer) {  // it fires in the scheduler's tick only, and not again before its signal was delivered
    slot->is_trap_blocked = is_blocked;
    return;
  }
  if (!TakeSlot(slot)) return;
  // since: the signal was delivered
  const bool has_run = CounterValue(slot->counters.samples) != slot->watched_samples;
  if (is_blocked && !has_run) {
    (void)StopSampling(slot);
  } else if (!slot->is_trace_open) {
    ResumeSampling(&session->environment, slot);
  }
  slot->is_trap_blocked = is_blocked && !has_run;
  GiveSlotBack(slot);
}

}  // namespace

bool WatchThreads(Session* session) {
  bool is_busy = false;
  const uint64_t now = platform::Ticks();
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    if (slot->requests.load(std::memory_order_relaxed) != 0) {
      if (TakeSlot(slot)) {
        ServeRequests(session, slot);
        GiveSlotBack(slot);
      } else {
        is_busy = true;  // its handler is running, or was interrupted by this thread
      }
    }
    const uint64_t armed_at = slot->arm_ticks.load(std::memory_order_relaxed);
    if (armed_at == 0) continue;
    is_busy = true;
    if (now < armed_at) continue;
    const uint64_t age_ns = platform::TicksToNs(now - armed_at);
    // A breakpoint that hits while the thread blocks SIGTRAP slows the thread a thousandfold: disarm it at once.
    uint64_t hits = 0;
    const bool is_stalled = IsStalled(*slot, &hits);
    if (!is_stalled && age_ns < kTraceAgeLimitNs) continue;
    if (!TakeSlot(slot)) continue;  // its handler is running
    if (slot->arm_ticks.load(std::memory_order_relaxed) == armed_at) {
      if (is_stalled) {
        SuspendBreakpoint(slot, now);
        slot->handled_hits.store(hits, std::memory_order_relaxed);
      }
      AbandonTrace(&session->environment, slot, is_stalled ? AbortReason::kAsynchronousHit : AbortReason::kTooOld,
                   true);
    }
    GiveSlotBack(slot);
  }
  return is_busy;
}

void PauseThreads(Session* session, AbortReason reason, LossReason loss) { SetPaused(session, true, reason, loss); }

void ResumeThreads(Session* session) {
  // reasons unused: no trace is open
  SetPaused(session, false, AbortReason::kNoBreakpoint, LossReason::kDebuggerAttached);
}

void ReplaceClosedDescriptors(Session* session) {
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    if (!TakeSlot(slot)) continue;
    const bool is_sampler_gone = !platform::IsSamplerOurs(slot->sampler);
    const bool is_breakpoint_gone = slot->breakpoint.fd >= 0 && !platform::IsBreakpointOurs(slot->breakpoint);
    if (is_sampler_gone || is_breakpoint_gone) {
      // The app may use these numbers for files of its own, so they must not be closed.
      if (is_sampler_gone) slot->sampler.fd = -1;
      if (is_breakpoint_gone) slot->breakpoint.fd = -1;
      CloseSlot(session, slot, AbortReason::kBreakpointFailed);
      CountLoss(session, LossReason::kDescriptorClosed);
      session->threads.seen_count = 0;  // the next scan is a full one and opens the slot again
    }
    GiveSlotBack(slot);
  }
}

void StopBlockedThreads(Session* session) {
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    const uint64_t samples = CounterValue(slot->counters.samples);
    const auto cpu_ns = static_cast<int64_t>(platform::ThreadCpuTimeNs(slot->tid));
    if (samples != slot->watched_samples) {  // its handler has run, and has turned the sampler on again
      slot->watched_samples = samples;
      slot->watched_cpu_ns = cpu_ns;
      slot->is_trap_blocked = false;
    } else if (cpu_ns - slot->watched_cpu_ns > static_cast<int64_t>(kBlockedCpuNs)) {
      CheckBlockedThread(session, slot);
      slot->watched_cpu_ns = cpu_ns;
    }
  }
}

}  // namespace softlbr
