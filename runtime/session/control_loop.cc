#include "runtime/session/control_loop.h"

#include "platform/helper.h"
#include "platform/thread_list.h"
#include "platform/trap_signal.h"
#include "runtime/blocks/patch_check.h"
#include "runtime/session/buffer_drain.h"
#include "runtime/session/sampling_guard.h"
#include "runtime/session/session.h"
#include "runtime/session/thread_watch.h"

namespace softlbr {
namespace {

void Announce(Session* session, uint32_t state) {
  session->control.is_ready.store(state, std::memory_order_release);
  platform::WakeWord(&session->control.is_ready);
}

// True if a helper may open events of the host's threads: tries it with the thread that waits for us, which tries to borrow the event
// if its descriptor is the helper's own.
bool MayOpenEvents(Session* session) {
  ControlThread& control = session->control;
  const auto event = static_cast<platform::SampleEvent>(session->info.event);
  if (platform::OpenSampler(control.tid, event, session->info.period, 0, &control.trial) != Status::kOk) return false;
  if (control.thread.kept_fd >= 0) {
    constexpr uint64_t kAnswerWaitNs = 100000000;
    Announce(session, kControlLends);
    while (control.is_ready.load(std::memory_order_acquire) == kControlLends && !platform::IsHostGone()) {
      platform::WaitOnWord(&control.is_ready, kControlLends, kAnswerWaitNs);
    }
  }
  platform::CloseSampler(&control.trial);
  return control.is_ready.load(std::memory_order_relaxed) == 0;
}

void Begin(Session* session) {
  session->control.tid = platform::CurrentThreadId();
  const uint64_t now = platform::MonotonicNs();
  session->totals.start_ns = now;
  session->totals.start_cpu_ns = platform::ProcessCpuTimeNs();
  session->totals.seen_cpu_ns.store(session->totals.start_cpu_ns, std::memory_order_relaxed);
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
  Announce(session, kControlReady);
}

bool IsOver(const Session& session) {
  if (session.control.stop_requested.load(std::memory_order_acquire) != 0) return true;
  return session.control.thread.is_helper && platform::IsHostGone();
}

// Sleeps until a handler wakes us or the period has passed. `seen`: the signal as it was before the last round; whatever changed it
// since, the wait ends at once. False once the session is to stop.
bool WaitForWork(Session* session, uint64_t period_ns, uint32_t* seen) {
  std::atomic<uint32_t>& signal = session->environment.filled_signal;
  // Zero: a breakpoint is armed.
  if (session->environment.is_control_resting.load(std::memory_order_acquire) == 0) period_ns = kControlPeriodNs;
  session->control.is_idle.store(period_ns > kSparsePeriodNs ? 1 : 0, std::memory_order_relaxed);
  platform::WaitOnWord(&signal, *seen, period_ns);
  *seen = signal.load(std::memory_order_acquire);
  // Asked after reading the signal: whoever sets stop_requested then changes the signal, as does OnHostsEnd (trap_dispatch.cc).
  return !IsOver(*session);
}

// The period after a round that cost round_ns of CPU time, while the app used app_ns: rounds get rarer while one takes more than 1/256
// of that. Where threads come and go, new ones are to be found soon.
uint64_t NextPeriod(uint64_t period_ns, int64_t app_ns, int64_t round_ns, bool has_new_threads) {
  if (app_ns >= round_ns * 256) return kRestPeriodNs;
  uint64_t longest_ns = has_new_threads ? kRestPeriodNs : kSparsePeriodNs;
  if (app_ns < static_cast<int64_t>(kIdleCpuNs)) longest_ns = kIdlePeriodNs;
  return period_ns * 2 < longest_ns ? period_ns * 2 : longest_ns;
}

void End(Session* session) {
  CountSwitches(session);
  CloseAllSlots(session);
  platform::DisableEventsOfThisThread();
  const uint64_t now = platform::MonotonicNs();
  DrainAllBuffers(session, now);
  Flush(session, now);
  NoteControlTime(session);
  EndProfile(session);
}

}  // namespace

void RunControlLoop(void* argument) {
  auto* session = static_cast<Session*>(argument);
  uint32_t seen_signal = session->environment.filled_signal.load(std::memory_order_acquire);
  const bool is_helper = session->control.thread.is_helper;
  if (is_helper && !MayOpenEvents(session)) {
    Announce(session, kControlRefused);
    return;
  }
  Begin(session);
  // A helper gets one at the host's end.
  if (is_helper) platform::SetTrapSignalBlocked(false);
  constexpr uint64_t kGuardPeriodNs = 80000000;  // what a thorough round does in addition costs about 20 us each
  uint64_t guarded_ns = 0;
  uint32_t next_checked = 0;  // position in the block cache (runtime/blocks/patch_check.h)
  uint64_t period_ns = kControlPeriodNs;
  int64_t app_cpu_ns = 0;
  int64_t seen_control_ns = 0;
  uint64_t wait_ns = period_ns;
  while (WaitForWork(session, wait_ns, &seen_signal)) {
    const uint64_t now = platform::MonotonicNs();
    const bool is_thorough = now - guarded_ns >= kGuardPeriodNs;
    if (is_thorough) guarded_ns = now;
    GuardSampling(session, is_thorough);
    if (is_helper && is_thorough) platform::FollowHostCredentials();
    BlockCache* cache = session->environment.cache;
    if (is_thorough && IsCachedCodeStale(cache, &next_checked)) InvalidateBlockCache(cache);
    // Set first, so that no breakpoint is armed unnoticed between the two.
    std::atomic<uint32_t>& is_resting = session->environment.is_control_resting;
    is_resting.store(1, std::memory_order_seq_cst);
    const bool is_armed = WatchThreads(session);
    if (is_armed) is_resting.store(0, std::memory_order_relaxed);
    ScanThreads(session, now);
    if (wait_ns <= kSparsePeriodNs) RefreshModulesIfDue(session, now);  // a sleeping app maps nothing
    DrainBuffersIfDue(session, now);
    NoteControlTime(session);
    if (is_thorough) CountSwitches(session);
    AdjustPeriod(session);
    FlushIfDue(session, now);
    // Without the time of this thread, if the host's clock includes it. The clocks are read one after the other, so the difference
    // may be a little less than the last one.
    const uint64_t process_cpu_ns = platform::ProcessCpuTimeNs();
    if (process_cpu_ns != 0) session->totals.seen_cpu_ns.store(process_cpu_ns, std::memory_order_relaxed);
    const auto control_ns = static_cast<int64_t>(session->totals.control_cpu_ns);
    const int64_t cpu_ns = static_cast<int64_t>(process_cpu_ns) - (is_helper ? 0 : control_ns);
    const bool has_new_threads = now - session->threads.last_birth_ns < kNewThreadsNs;
    period_ns =
        is_armed ? kControlPeriodNs : NextPeriod(period_ns, cpu_ns - app_cpu_ns, control_ns - seen_control_ns, has_new_threads);
    const uint64_t refresh_ns = TimeToWantedRefresh(*session, now);
    wait_ns = refresh_ns < period_ns ? refresh_ns : period_ns;
    app_cpu_ns = cpu_ns;
    seen_control_ns = control_ns;
  }
  if (session->control.stop_requested.load(std::memory_order_relaxed) == 0) {  // the host is gone
    // A sink of the app could wait for a lock that nobody holds any more.
    if (session->settings.options.sink != nullptr) return;
    platform::CloseHostDescriptors(session->settings.options.sink_fd);
  }
  End(session);
  session->control.is_complete.store(1, std::memory_order_release);
}

}  // namespace softlbr
