#include "runtime/watch/thread_registry.h"

#include <cstring>

#include "platform/thread_list.h"
#include "runtime/session/session.h"
#include "runtime/session/unmarked_hits.h"
#include "runtime/trace/arming.h"
#include "runtime/watch/timer_sampling.h"

namespace softlbr {
namespace {

// Where the thread's number is kept, if it has been counted as untraced.
int32_t* UntracedPlace(ThreadRegistry* threads, int32_t tid) {
  static_assert((kUntracedTids & (kUntracedTids - 1)) == 0, "a power of two, so that this takes no division");
  return &threads->untraced_tids[static_cast<uint32_t>(tid) % kUntracedTids];
}

}  // namespace

void CountUntraced(ThreadRegistry* threads, int32_t tid) {
  *UntracedPlace(threads, tid) = tid;
  ++threads->untraced_count;
}

namespace {

// False: the thread has no sampler.
bool OpenEvents(Session* session, ThreadSlot* slot, int32_t tid, bool is_known) {
  const TraceEnvironment& environment = session->environment;
  const uint64_t sig_data = MakeSigData(slot->index, slot->arm_generation);
  const auto event = static_cast<platform::SampleEvent>(session->info.event);
  uint64_t period = environment.period.load(std::memory_order_relaxed);
  // A random first period: so threads that live, or have open events, for less than a period get their share of
  // samples, and among many threads one is sampled soon.
  if (environment.is_period_random || is_known) period -= slot->random_state % (period - period / 32);
  // No shorter one than costs a tenth of the thread's time: a thread that blocks SIGTRAP keeps this period until that
  // is noticed.
  const uint64_t wanted = environment.period.load(std::memory_order_relaxed);
  if (period < kShortestFirstPeriod) period = wanted < kShortestFirstPeriod ? wanted : kShortestFirstPeriod;
  const Status status = platform::OpenSampler(tid, event, period, sig_data, &slot->sampler);
  if (status == Status::kNoSuchThread) return false;  // normal: it has ended meanwhile
  if (status != Status::kOk) {
    CountUntraced(&session->threads, tid);
    return false;
  }
  // If this fails, the thread is traced by look-ahead alone; its traces end as no_breakpoint.
  if (session->info.has_breakpoints != 0) (void)platform::OpenBreakpoint(tid, &slot->breakpoint);
  return true;
}

void OpenSlot(Session* session, uint32_t index, int32_t tid) {
  TraceEnvironment& environment = session->environment;
  ThreadRegistry& threads = session->threads;
  ThreadSlot* slot = &threads.slots[index];
  const bool is_first_use = index >= threads.slot_count.load(std::memory_order_relaxed);
  const bool is_known = !is_first_use && slot->tid == tid;
  if (is_first_use) {
    memset(static_cast<void*>(slot), 0, sizeof *slot);
    slot->breakpoint.fd = -1;  // closed
    slot->index = index;
  }
  if (!is_known) {
    __atomic_store_n(&slot->tid, tid, __ATOMIC_RELAXED);  // a late trap of another thread may be reading it
    slot->armed_pc = 0;
  }
  slot->seen_at_scan = threads.scan_number;
  slot->watched_samples = CounterValue(slot->counters.samples);
  slot->seen_switches = 0;
  slot->counted_cpu_ns = platform::ThreadCpuTimeNs(tid, &slot->seen_switches);
  slot->watched_cpu_ns = static_cast<int64_t>(slot->counted_cpu_ns);
  slot->suspended_until_ticks = 0;
  slot->handled_hits.store(0, std::memory_order_relaxed);
  slot->seen_hits = 0;
  slot->requests.store(0, std::memory_order_relaxed);
  slot->has_stayed_on = false;
  slot->is_trap_blocked = false;
  // Any odd seed; it must differ between threads.
  slot->random_state = (platform::Ticks() ^ static_cast<uint64_t>(tid) * 0x9e3779b97f4a7c15ull) | 1;
  if (!session->timers.is_active && !OpenEvents(session, slot, tid, is_known)) return;
  threads.slot_tids[index] = tid;
  if (!is_known) {
    AddTo(&session->totals.threads_traced, 1);
    if (tid != session->process_id) threads.last_birth_ns = threads.last_scan_ns;
  }
  if (is_first_use) threads.slot_count.store(index + 1, std::memory_order_release);
  if (session->timers.is_active) WishForTimer(session, slot, tid);  // seen by handlers: the slot is counted
  const uint32_t disabled = environment.sampling_disabled.load(std::memory_order_relaxed);
  if (disabled == kDisabledDebugger) CountLoss(session, LossReason::kDebuggerAttached);
  slot->is_sampler_on = !slot->uses_timer && disabled == 0;
  slot->state.store(SlotState::kLive, std::memory_order_seq_cst);
  if (slot->is_sampler_on) (void)platform::EnableSampler(slot->sampler);
}

// The cost that our events add to a context switch. Besides disabling and enabling them, the kernel takes locks for a
// thread with events and, if a clock's sample is due before the next scheduler tick, sets a timer (bench/README.md has
// measurements of both).
uint64_t SwitchNs(const Session& session) {
  const bool is_clock = platform::IsClock(static_cast<platform::SampleEvent>(session.info.event));
  const bool is_soon = is_clock && session.environment.period.load(std::memory_order_relaxed) < kLongPeriodNs;
  return is_soon ? session.costs.toggle_ns * 2 : session.costs.toggle_ns * 3 / 4;
}

struct ScanCookie {
  Session* session;
  bool has_threads;
};

void VisitThread(void* cookie, int32_t tid) {
  auto* scan = static_cast<ScanCookie*>(cookie);
  Session* session = scan->session;
  ThreadRegistry& threads = session->threads;
  if (tid == session->control.tid) return;
  const bool is_main = tid == session->process_id;
  if (!is_main) scan->has_threads = true;
  const uint32_t used = threads.slot_count.load(std::memory_order_relaxed);
  uint32_t free_index = used;
  for (uint32_t i = 0; i < used; ++i) {
    if (threads.slot_tids[i] == tid) {
      threads.slots[i].seen_at_scan = threads.scan_number;
      return;
    }
    // A thread whose slot was closed gets the same slot again, because newer threads come later in the list.
    if (threads.slot_tids[i] == 0 && (free_index == used || threads.slots[i].tid == tid)) free_index = i;
  }
  // A new thread may unmap anything, so its birth counts as a change of the mappings (runtime/modules/mapping_watch.h).
  const bool is_known = free_index < used && threads.slots[free_index].tid == tid;
  if (!is_main && !is_known) {
    session->environment.must_guard.store(1, std::memory_order_relaxed);
    session->modules.mappings.last_change_ns = threads.last_scan_ns;
  }
  if (*UntracedPlace(&threads, tid) == tid) return;
  if (free_index >= session->settings.max_threads) {
    CountUntraced(&threads, tid);
    CountLoss(session, LossReason::kThreadTableFull);
    return;
  }
  OpenSlot(session, free_index, tid);
}

}  // namespace

uint64_t CountSwitchesOf(Session* session, ThreadSlot* slot) {
  const uint64_t seen = slot->seen_switches;
  const uint64_t counted_ns = slot->counted_cpu_ns;
  slot->counted_cpu_ns = platform::ThreadCpuTimeNs(slot->tid, &slot->seen_switches);
  if (seen != 0 && slot->seen_switches > seen) {
    uint64_t* sum = slot->uses_timer ? &session->timers.switching_ns : &session->totals.switching_ns;
    AddTo(sum, (slot->seen_switches - seen) * SwitchNs(*session));
  }
  return slot->counted_cpu_ns > counted_ns ? slot->counted_cpu_ns - counted_ns : 0;
}

void ScanThreads(Session* session, uint64_t now_ns) {
  ThreadRegistry& threads = session->threads;
  if (threads.are_events_closed) {
    CloseEvents(session);
    return;
  }
  const int64_t count = platform::ThreadCount();
  const bool is_same = count != 0 && count == threads.seen_count;
  threads.seen_count = count;
  // The same number of threads may be other threads: one may have ended and another begun.
  const uint64_t rest_ns = now_ns - threads.last_birth_ns < kNewThreadsNs ? 0 : kDeadThreadScanNs;
  if (is_same && now_ns - threads.last_scan_ns < rest_ns) return;
  threads.last_scan_ns = now_ns;
  ++threads.scan_number;
  ScanCookie cookie{session, false};
  if (platform::ForEachThread(VisitThread, &cookie) != Status::kOk) return;
  threads.has_threads = cookie.has_threads;
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&threads, &i);) {
    if (slot->seen_at_scan == threads.scan_number) continue;
    if (platform::IsThreadAlive(slot->tid)) continue;  // the directory listing missed it
    // If the thread ended inside our handler (exit_group ends threads wherever they are), it never gives the slot back:
    // take it.
    if (!TakeSlot(slot)) slot->owner.store(SlotOwner::kControl, std::memory_order_seq_cst);
    // it ended before it had a timer
    if (slot->uses_timer && slot->timer_tid.load(std::memory_order_relaxed) != slot->tid) {
      AddTo(&session->totals.threads_traced, ~uint64_t{0});
      ++threads.untraced_count;
    }
    CloseSlot(session, slot, AbortReason::kThreadExited);
    __atomic_store_n(&slot->tid, 0, __ATOMIC_RELAXED);  // a thread that gets this number later is a new one
    GiveSlotBack(slot);
  }
}

ThreadSlot* NextLiveSlot(ThreadRegistry* threads, uint32_t* index) {
  while (*index < threads->slot_count.load(std::memory_order_relaxed)) {
    ThreadSlot* slot = &threads->slots[(*index)++];
    if (slot->state.load(std::memory_order_relaxed) == SlotState::kLive) return slot;
  }
  return nullptr;
}

void CloseSlot(Session* session, ThreadSlot* slot, AbortReason reason) {
  if (slot->uses_timer || slot->timer_wish.load(std::memory_order_relaxed) != 0) DropTimer(session, slot);
  (void)platform::DisableSampler(slot->sampler);
  if (slot->breakpoint.is_armed) NoteClosedBreakpoint(slot->tid, slot->armed_pc);
  AbandonTrace(&session->environment, slot, reason, false);
  platform::CloseBreakpoint(&slot->breakpoint);
  platform::CloseSampler(&slot->sampler);
  ++slot->arm_generation;  // so that a late hit of this thread is not taken for one of the slot's next thread
  session->threads.slot_tids[slot->index] = 0;
  slot->state.store(SlotState::kFree, std::memory_order_seq_cst);
}

void CountSwitches(Session* session) {
  ThreadRegistry& threads = session->threads;
  for (uint32_t count = 0; count < kCountedSlots; ++count) {
    ThreadSlot* slot = NextLiveSlot(&threads, &threads.next_counted);
    if (slot == nullptr) {
      threads.next_counted = 0;
      return;
    }
    CountSwitchesOf(session, slot);
  }
}

void CloseEvents(Session* session) {
  ThreadRegistry& threads = session->threads;
  threads.are_events_closed = true;
  threads.seen_count = 0;  // the next scan is a full one
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&threads, &i);) {
    CountSwitchesOf(session, slot);
    if (!TakeSlot(slot)) continue;
    // Keeps events that might not be opened again: the app may have given up its rights, or each of several forked
    // children may hold a debug register by its copies of descriptors.
    platform::Breakpoint trial;
    if (slot->breakpoint.fd < 0 || platform::OpenBreakpoint(slot->tid, &trial) == Status::kOk) {
      platform::CloseBreakpoint(&trial);
      CloseSlot(session, slot, AbortReason::kEventsClosed);
    }
    GiveSlotBack(slot);
  }
}

bool CloseAllSlots(Session* session) {
  bool were_closed = true;
  // counted, not timed: this ends even where a sandbox refuses the clock
  uint64_t polls_left = kStopWaitNs / kStopPollNs;
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    were_closed = false;
    while (!TakeSlot(slot)) {
      if (!platform::IsThreadAlive(slot->tid)) {
        slot->owner.store(SlotOwner::kControl, std::memory_order_seq_cst);
        break;
      }
      if (polls_left == 0) break;
      --polls_left;
      platform::SleepNs(kStopPollNs);
    }
    if (slot->owner.load(std::memory_order_relaxed) != SlotOwner::kControl) {
      CountLoss(session, LossReason::kLateSample);  // its trace may end after the buffers were drained
      continue;
    }
    CloseSlot(session, slot, AbortReason::kSessionStopped);
    GiveSlotBack(slot);
  }
  return were_closed;
}

}  // namespace softlbr
