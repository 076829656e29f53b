#include "runtime/watch/control_loop.h"

#include "platform/breakpoint.h"
#include "platform/helper.h"
#include "platform/thread_list.h"
#include "platform/trap_signal.h"
#include "runtime/blocks/patch_check.h"
#include "runtime/session/session.h"
#include "runtime/session/session_hooks.h"
#include "runtime/watch/buffer_drain.h"
#include "runtime/watch/late_traps.h"
#include "runtime/watch/look_budget.h"
#include "runtime/watch/module_refresh.h"
#include "runtime/watch/pacing.h"
#include "runtime/watch/profile_output.h"
#include "runtime/watch/sampling_guard.h"
#include "runtime/watch/thread_registry.h"
#include "runtime/watch/thread_watch.h"
#include "runtime/watch/timer_sampling.h"

namespace softlbr {
namespace {

void Announce(Session* session, uint32_t state) {
  session->control.is_ready.store(state, std::memory_order_release);
  platform::WakeWord(&session->control.is_ready);
}

// True if a helper may open events of the host's threads. Tries it with an event of the thread that waits for us; if
// the helper has descriptors of its own, that thread then tries to borrow the event. If the session begins with timers,
// it needs no event yet; asks for the same rights in another way, and lends the sink, because the first event takes the
// kernel 10 ms and more.
bool MayOpenEvents(Session* session) {
  ControlThread& control = session->control;
  const auto event = static_cast<platform::SampleEvent>(session->info.event);
  const bool is_event = !session->timers.is_active;
  if (is_event ? platform::OpenSampler(control.tid, event, session->info.period, 0, &control.trial) != Status::kOk
               : !platform::MayTraceHost()) {
    return false;
  }
  if (control.thread.kept_fd >= 0) {
    constexpr uint64_t kAnswerWaitNs = 100000000;
    Announce(session, kControlLends);
    while (control.is_ready.load(std::memory_order_acquire) == kControlLends && !g_session_hooks.is_host_gone()) {
      platform::WaitOnWord(&control.is_ready, kControlLends, kAnswerWaitNs);
    }
  }
  if (is_event) platform::CloseSampler(&control.trial);
  return control.is_ready.load(std::memory_order_relaxed) == 0;
}

// True if this process may set execution breakpoints: tries one on the calling thread.
bool HasBreakpoints() {
  platform::Breakpoint trial;
  if (platform::OpenBreakpoint(platform::CurrentThreadId(), &trial) != Status::kOk) return false;
  platform::CloseBreakpoint(&trial);
  return true;
}

// What needs events, which the thread that starts the session need not wait for if the threads have timers.
void Calibrate(Session* session) {
  const auto event = static_cast<platform::SampleEvent>(session->info.event);
  TrapCosts costs{0, 0, 0, false};
  // a debugger would stop at each trap
  if (session->environment.sampling_disabled.load(std::memory_order_relaxed) == 0) {
    costs = g_session_hooks.trap_costs(event, session->info.has_breakpoints != 0 && HasBreakpoints());
  }
  // the app may ask for the overhead meanwhile
  __atomic_store_n(&session->costs.sample_ns, costs.sample_ns, __ATOMIC_RELAXED);
  __atomic_store_n(&session->costs.hit_ns, costs.hit_ns, __ATOMIC_RELAXED);
  session->costs.toggle_ns = costs.toggle_ns;
  if (!costs.breakpoints_work) __atomic_store_n(&session->info.has_breakpoints, 0, __ATOMIC_RELAXED);
  LimitFirstPeriod(session);
}

void Begin(Session* session) {
  session->control.tid = platform::CurrentThreadId();
  const uint64_t now = platform::MonotonicNs();
  session->totals.start_ns = now;
  session->totals.start_cpu_ns = platform::ProcessCpuTimeNs();
  session->totals.seen_cpu_ns.store(session->totals.start_cpu_ns, std::memory_order_relaxed);
  session->totals.start_user_ns = platform::ProcessUserTimeNs();
  session->totals.seen_user_ns.store(session->totals.start_user_ns, std::memory_order_relaxed);
  GuardSampling(session, true);
  const bool has_timers = session->timers.is_active;  // not if a debugger is attached
  if (has_timers) {
    (void)RefreshModules(session, now);
    LimitFirstPeriod(session);
    ScanThreads(session, now);
    Announce(session, kControlReady);
  }
  Calibrate(session);
  if (!has_timers && session->info.has_breakpoints == 0) BeginWithTimersIfDear(session);
  if (!has_timers) (void)RefreshModules(session, now);
  BeginProfile(session);
  std::atomic<uint64_t>& period = session->environment.period;
  const uint64_t wanted = period.load(std::memory_order_relaxed);
  if (session->settings.is_first_sample_early) period.store(kEarlySampleNs, std::memory_order_relaxed);
  if (!has_timers) ScanThreads(session, now);
  period.store(wanted, std::memory_order_relaxed);
  BeginLooks(session, now, session->totals.start_cpu_ns);
  Announce(session, kControlReady);
}

bool IsOver(const Session& session) {
  if (session.control.stop_requested.load(std::memory_order_acquire) != 0) return true;
  return g_session_hooks.is_host_gone();
}

// Sleeps until a handler wakes us or the time has passed. `seen`: the signal's value before the last look; if it has
// changed since, the wait ends at once. False once the session is to stop.
bool WaitForWork(Session* session, uint64_t wait_ns, uint32_t* seen) {
  std::atomic<uint32_t>& signal = session->environment.filled_signal;
  platform::WaitOnWord(&signal, *seen, wait_ns);
  *seen = signal.load(std::memory_order_acquire);
  // Checked after the signal was read: StopClaimedSession first sets stop_requested and then changes the signal;
  // OnHostsEnd (trap_dispatch.cc) changes the signal, too.
  return IsIntact(session) && !IsOver(*session);
}

// Runs each time that the control thread wakes up.
void Look(Session* session, uint64_t now_ns, bool is_thorough) {
  GuardSampling(session, is_thorough);
  if (is_thorough && session->control.thread.is_helper) platform::FollowHostCredentials();
  // Set before WatchThreads, so that no breakpoint is armed unnoticed in between. 0: the next look comes soon.
  std::atomic<uint32_t>& is_resting = session->environment.is_control_resting;
  is_resting.store(1, std::memory_order_seq_cst);
  const bool is_busy = WatchThreads(session);
  if (is_busy) is_resting.store(0, std::memory_order_relaxed);
  BlockCache* cache = session->environment.cache;
  if ((is_thorough || !is_busy) && IsCachedCodeStale(cache, &session->control.next_checked))
    InvalidateBlockCache(cache);
  TendTimers(session);
  ScanThreads(session, now_ns);
  DrainBuffersIfDue(session, now_ns);  // first, because it may read the modules, too
  // A sleeping app maps nothing, but its last sample may have met unknown code.
  if (session->control.is_idle.load(std::memory_order_relaxed) == 0 ||
      session->environment.modules_wanted.load(std::memory_order_relaxed) != 0) {
    RefreshModulesIfDue(session, now_ns);
  }
}

// Runs once in each period: measures what the session costs, writes what is due, and sets the next period.
void Account(Session* session, uint64_t now_ns, uint64_t cpu_ns) {
  ControlThread& control = session->control;
  const bool is_helper = control.thread.is_helper;
  // With timers, switches cost nothing and a thread that blocks SIGTRAP gets one signal: pacing.cc reads the threads'
  // times.
  if (!session->timers.is_active) {
    if (control.applied_disable_reasons == 0) StopBlockedThreads(session);
    CountSwitches(session);
  }
  NoteControlTime(session);
  AdjustPeriod(session);
  const uint32_t budget_ppm = BudgetAt(session->settings, cpu_ns - session->totals.start_cpu_ns);
  const bool has_changed = budget_ppm != session->settings.budget_ppm;
  if (has_changed) session->output.last_flush_ns = 0;  // due: the counts of a frame have one weight
  FlushIfDue(session, now_ns);
  // the app may ask for the options meanwhile
  __atomic_store_n(&session->settings.budget_ppm, budget_ppm, __ATOMIC_RELAXED);
  if (has_changed) AdjustPeriod(session);
  // Subtracts this thread's time if the host's clock includes it. The clocks are read one after the other, so the
  // difference may be a little less than the last one.
  const auto app_cpu_ns = static_cast<int64_t>(cpu_ns - (is_helper ? 0 : session->totals.control_cpu_ns));
  const int64_t app_ns = app_cpu_ns - control.seen_app_cpu_ns;
  const bool is_idle = app_ns < static_cast<int64_t>(kIdleCpuNs);
  control.seen_app_cpu_ns = app_cpu_ns;
  control.is_idle.store(is_idle ? 1 : 0, std::memory_order_relaxed);
  // For an event that is no clock, a frequency is kept by adjusting the period again and again. A debt is to be paid
  // within a second of CPU time (pacing.h), so the app should use no more than that until the next account.
  const bool is_clock = platform::IsClock(static_cast<platform::SampleEvent>(session->info.event));
  const uint64_t longest_ns = is_clock && app_ns < 1000000000 ? kSparsePeriodNs : kLookPeriodNs;
  control.period_ns = control.period_ns * 2 < longest_ns ? control.period_ns * 2 + kRestPeriodNs : longest_ns;
  control.accounted_ns = now_ns;
}

// The time until the next look. rest_ns: look_budget.h.
uint64_t NextWait(const Session& session, uint64_t now_ns, uint64_t rest_ns) {
  const ControlThread& control = session.control;
  uint64_t wait_ns = control.period_ns;
  uint64_t longest_ns = control.is_idle.load(std::memory_order_relaxed) != 0 ? kSparsePeriodNs : kLookPeriodNs;
  if (now_ns - session.threads.last_birth_ns < kNewThreadsNs) longest_ns = kRestPeriodNs;
  if (wait_ns > longest_ns) wait_ns = longest_ns;
  if (wait_ns < rest_ns) wait_ns = rest_ns;
  if (session.environment.is_control_resting.load(std::memory_order_acquire) == 0) wait_ns = kControlPeriodNs;
  uint64_t refresh_ns = TimeToWantedRefresh(session, now_ns);
  if (refresh_ns < rest_ns) refresh_ns = rest_ns;
  return refresh_ns < wait_ns ? refresh_ns : wait_ns;
}

void End(Session* session) {
  if (!session->timers.is_active) CountSwitches(session);
  NoteTrapThreads(session);
  (void)CloseAllSlots(session);
  platform::DisableEventsOfThisThread();
  const uint64_t now = platform::MonotonicNs();
  DrainAllBuffers(session, now);
  Flush(session, now);
  NoteControlTime(session);
  EndProfile(session);
  AwaitLateTraps(session);  // last: most threads have run meanwhile
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
  uint64_t wait_ns = kControlPeriodNs;
  uint64_t looked_cpu_ns = 0;
  uint64_t guarded_ns = 0;
  while (WaitForWork(session, wait_ns, &seen_signal)) {
    const uint64_t now = platform::MonotonicNs();
    const bool is_due = now - session->control.accounted_ns >= session->control.period_ns;
    const uint64_t cpu_ns = platform::ProcessCpuTimeNs();
    // Most debuggers stop the app before anything else.
    const bool is_thorough = now - guarded_ns >= kGuardPeriodNs || cpu_ns - looked_cpu_ns < kIdleCpuNs;
    if (is_thorough) guarded_ns = now;
    Look(session, now, is_thorough);
    looked_cpu_ns = cpu_ns;
    if (cpu_ns != 0) {
      session->totals.seen_cpu_ns.store(cpu_ns, std::memory_order_relaxed);
      session->totals.seen_user_ns.store(platform::ProcessUserTimeNs(), std::memory_order_relaxed);
    }
    if (is_due) Account(session, now, cpu_ns);
    wait_ns = NextWait(*session, now, RestAfterLook(session, now, cpu_ns));
  }
  if (!IsIntact(session)) {
    platform::DisableEventsOfThisThread();
    return;
  }
  if (session->control.stop_requested.load(std::memory_order_relaxed) == 0) {  // the host is gone
    // A sink function of the app could wait for a lock whose holder is gone.
    if (session->settings.options.sink != nullptr) return;
    platform::CloseHostDescriptors(session->settings.options.sink_fd);
  }
  End(session);
  session->control.is_complete.store(1, std::memory_order_release);
}

}  // namespace softlbr
