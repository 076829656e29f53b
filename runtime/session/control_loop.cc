#include "runtime/session/control_loop.h"

#include "platform/thread_list.h"
#include "runtime/blocks/patch_check.h"
#include "runtime/session/buffer_drain.h"
#include "runtime/session/sampling_guard.h"
#include "runtime/session/session.h"
#include "runtime/session/thread_watch.h"

namespace softlbr {
namespace {

void Begin(Session* session) {
  session->control.tid = platform::CurrentThreadId();
  const uint64_t now = platform::MonotonicNs();
  session->totals.start_ns = now;
  session->totals.start_cpu_ns = platform::ProcessCpuTimeNs();
  (void)RefreshModules(session, now);
  GuardSampling(session, true);
  if (session->environment.sampling_disabled.load(std::memory_order_relaxed) == 0) {  // a debugger would stop at each trap
    session->costs =
        MeasureTrapCostsOnce(static_cast<platform::SampleEvent>(session->info.event), session->info.has_breakpoints != 0);
  }
  if (!session->costs.breakpoints_work) session->info.has_breakpoints = 0;
  LimitFirstPeriod(session);
  BeginProfile(session);
  ScanThreads(session, now);
  session->control.is_ready.store(1, std::memory_order_release);
  platform::WakeWord(&session->control.is_ready);
}

// Sleeps until a handler wakes us or kControlPeriodNs has passed. False once the session is to stop.
bool WaitForWork(Session* session) {
  std::atomic<uint32_t>& signal = session->environment.filled_signal;
  const uint32_t seen = signal.load(std::memory_order_acquire);
  // Read after the signal: a thread that sets stop_requested then changes the signal, so the wait below ends at once.
  if (session->control.stop_requested.load(std::memory_order_acquire) != 0) return false;
  platform::WaitOnWord(&signal, seen, kControlPeriodNs);
  return session->control.stop_requested.load(std::memory_order_acquire) == 0;
}

void End(Session* session) {
  CloseAllSlots(session);
  platform::DisableEventsOfThisThread();
  const uint64_t now = platform::MonotonicNs();
  DrainBuffers(session, now);
  Flush(session, now);
  EndProfile(session);
}

}  // namespace

void RunControlLoop(void* argument) {
  auto* session = static_cast<Session*>(argument);
  Begin(session);
  constexpr uint32_t kGuardRounds = 10;  // looking for a debugger and comparing cached code cost about 20 us each
  uint32_t next_checked = 0;             // position in the block cache (runtime/blocks/patch_check.h)
  for (uint32_t round = 1; WaitForWork(session); ++round) {
    const uint64_t now = platform::MonotonicNs();
    const bool is_thorough = round % kGuardRounds == 0;
    GuardSampling(session, is_thorough);
    BlockCache* cache = session->environment.cache;
    if (is_thorough && IsCachedCodeStale(cache, &next_checked)) InvalidateBlockCache(cache);
    WatchThreads(session);
    ScanThreads(session, now);
    RefreshModulesIfDue(session, now);
    DrainBuffersIfDue(session, now);
    AdjustPeriod(session);
    FlushIfDue(session, now);
  }
  End(session);
}

}  // namespace softlbr
