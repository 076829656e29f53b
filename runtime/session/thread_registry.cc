#include "runtime/session/thread_registry.h"

#include "platform/file.h"
#include "platform/thread_list.h"
#include "runtime/trace/arming.h"

namespace softlbr {
namespace {

// The newest process id of this pid namespace, the last field of /proc/loadavg: it grows with every thread born anywhere.
// 0 if it cannot be read (some sandboxes): every scan is then a full one.
uint64_t NewestProcessId() {
  const long fd = platform::OpenForRead("/proc/loadavg");
  if (fd < 0) return 0;
  char text[128];
  const long size = platform::ReadSome(static_cast<int>(fd), text, sizeof(text));
  platform::CloseFile(static_cast<int>(fd));
  uint64_t value = 0;
  for (long i = 0; i < size; ++i) {
    if (text[i] == ' ') {
      value = 0;
    } else if (text[i] >= '0' && text[i] <= '9') {
      value = value * 10 + static_cast<uint64_t>(text[i] - '0');
    }
  }
  return value;
}

bool TakeSlot(ThreadSlot* slot) { return TakeOwnership(&slot->owner, SlotOwner::kControl); }

void GiveSlotBack(ThreadSlot* slot) { slot->owner.store(SlotOwner::kIdle, std::memory_order_seq_cst); }

void RememberUntraced(Session* session, int32_t tid) {
  if (session->untraced_count < kMaxUntracedThreads) session->untraced[session->untraced_count] = tid;
  ++session->untraced_count;
}

bool IsKnownUntraced(const Session& session, int32_t tid) {
  const uint32_t count =
      session.untraced_count < kMaxUntracedThreads ? session.untraced_count : static_cast<uint32_t>(kMaxUntracedThreads);
  for (uint32_t i = 0; i < count; ++i) {
    if (session.untraced[i] == tid) return true;
  }
  return false;
}

void OpenSlot(Session* session, ThreadSlot* slot, uint32_t index, int32_t tid) {
  TraceEnvironment& environment = session->environment;
  slot->index = index;
  slot->tid = tid;
  slot->seen_at_scan = session->scan_number;
  slot->watched_samples = CounterValue(slot->counters.samples);
  slot->watched_cpu_ns = static_cast<int64_t>(platform::ThreadCpuTimeNs(tid));
  slot->is_trace_open = false;
  slot->arm_ticks.store(0, std::memory_order_relaxed);
  slot->suspended_until_ticks = 0;
  slot->handled_hits.store(0, std::memory_order_relaxed);
  // Any odd start will do; threads must differ.
  slot->random_state = (platform::Ticks() ^ static_cast<uint64_t>(tid) * 0x9e3779b97f4a7c15ull) | 1;
  const uint64_t sig_data = MakeSigData(index, slot->arm_generation);
  const auto event = static_cast<platform::SampleEvent>(session->info.event);
  const Status status =
      platform::OpenSampler(tid, event, environment.period.load(std::memory_order_relaxed), sig_data, &slot->sampler);
  if (status == Status::kNoSuchThread) return;  // ended meanwhile: normal
  if (status != Status::kOk) {
    RememberUntraced(session, tid);
    return;
  }
  slot->breakpoint = platform::Breakpoint{};
  if (session->info.has_breakpoints != 0 && platform::OpenBreakpoint(tid, &slot->breakpoint) != Status::kOk) {
    slot->breakpoint = platform::Breakpoint{};  // look-ahead alone for this thread; its traces say no_breakpoint
  }
  if (index >= session->slot_count.load(std::memory_order_relaxed)) {
    // Its two buffers join the pool when a slot is used for the first time: a session of few threads touches little memory.
    for (uint64_t i = 0; i < 2; ++i) {
      PutFreeBuffer(&environment.pool, reinterpret_cast<TraceBuffer*>(session->buffers + (2ull * index + i) * kTraceBufferBytes));
    }
  }
  slot->buffer = TakeFreeBuffer(&environment.pool);
  session->slot_tids[index] = tid;
  AddTo(&session->threads_traced, 1);
  if (index >= session->slot_count.load(std::memory_order_relaxed)) {
    session->slot_count.store(index + 1, std::memory_order_release);
  }
  slot->state.store(SlotState::kLive, std::memory_order_seq_cst);
  if (environment.sampling_disabled.load(std::memory_order_relaxed) == 0) (void)platform::EnableSampler(slot->sampler);
}

struct ScanCookie {
  Session* session;
  bool has_threads;
};

void VisitThread(void* cookie, int32_t tid) {
  auto* scan = static_cast<ScanCookie*>(cookie);
  Session* session = scan->session;
  if (tid == session->control_tid) return;
  const bool is_main = tid == session->process_id;
  if (!is_main) scan->has_threads = true;
  const uint32_t used = session->slot_count.load(std::memory_order_relaxed);
  uint32_t free_index = used;
  for (uint32_t i = 0; i < used; ++i) {
    if (session->slot_tids[i] == tid) {
      session->slots[i].seen_at_scan = session->scan_number;
      return;
    }
    if (session->slot_tids[i] == 0 && free_index == used) free_index = i;
  }
  // What a new thread will unmap is not known: a birth is as good as a change (profile/mapping_watch.h).
  if (!is_main) {
    session->environment.must_guard.store(1, std::memory_order_relaxed);
    session->mappings.last_change_ns = session->last_scan_ns;
  }
  if (IsKnownUntraced(*session, tid)) return;
  if (free_index >= session->settings.max_threads) {
    RememberUntraced(session, tid);
    AddTo(&session->lost[static_cast<uint32_t>(LossReason::kThreadTableFull)], 1);
    return;
  }
  OpenSlot(session, &session->slots[free_index], free_index, tid);
}

// The slot is ours (TakeSlot). Afterwards it is free.
void CloseSlot(Session* session, ThreadSlot* slot, AbortReason reason) {
  TraceEnvironment& environment = session->environment;
  (void)platform::DisableSampler(slot->sampler);
  AbandonTrace(&environment, slot, reason, false);
  platform::CloseBreakpoint(&slot->breakpoint);
  platform::CloseSampler(&slot->sampler);
  ++slot->arm_generation;  // a late hit of this thread is not taken for the next one's
  if (slot->buffer != nullptr) {
    if (slot->buffer->used != 0) {
      QueueFilledBuffer(&environment.pool, slot->buffer);
    } else {
      PutFreeBuffer(&environment.pool, slot->buffer);
    }
    slot->buffer = nullptr;
  }
  session->slot_tids[slot->index] = 0;
  slot->state.store(SlotState::kFree, std::memory_order_seq_cst);
}

}  // namespace

void ScanThreads(Session* session, uint64_t now_ns, bool is_forced) {
  const uint64_t newest = NewestProcessId();
  const bool may_have_new = newest == 0 || newest != session->last_pid_seen;
  if (!is_forced && !may_have_new && now_ns - session->last_scan_ns < kDeadThreadScanNs) return;
  session->last_pid_seen = newest;
  session->last_scan_ns = now_ns;
  ++session->scan_number;
  ScanCookie cookie{session, false};
  if (platform::ForEachThread(VisitThread, &cookie) != Status::kOk) return;
  session->has_threads = cookie.has_threads;
  const uint32_t used = session->slot_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < used; ++i) {
    ThreadSlot& slot = session->slots[i];
    if (slot.state.load(std::memory_order_relaxed) != SlotState::kLive || slot.seen_at_scan == session->scan_number) continue;
    if (platform::IsThreadAlive(slot.tid)) continue;  // the directory listing skipped it
    // Ended inside our handler (exit_group of one thread does not wait for others): nobody will ever give it back.
    if (!TakeSlot(&slot)) slot.owner.store(SlotOwner::kControl, std::memory_order_seq_cst);
    CloseSlot(session, &slot, AbortReason::kThreadExited);
    GiveSlotBack(&slot);
  }
}

void WatchThreads(Session* session) {
  const uint32_t used = session->slot_count.load(std::memory_order_relaxed);
  const uint64_t now = platform::Ticks();
  for (uint32_t i = 0; i < used; ++i) {
    ThreadSlot& slot = session->slots[i];
    const uint64_t armed_at = slot.arm_ticks.load(std::memory_order_relaxed);
    if (slot.state.load(std::memory_order_relaxed) != SlotState::kLive || armed_at == 0 || now < armed_at) continue;
    const uint64_t age_ns = platform::TicksToNs(now - armed_at);
    // Hits that the kernel delivered nowhere (SIGTRAP is blocked) slow the thread a thousandfold: disarm at once.
    uint64_t hits = 0;
    const bool is_stalled = IsStalled(slot, &hits);
    if (!is_stalled && age_ns < kTraceAgeLimitNs) continue;
    if (!TakeSlot(&slot)) continue;  // it is being served right now
    if (slot.arm_ticks.load(std::memory_order_relaxed) == armed_at) {
      if (is_stalled) {
        SuspendBreakpoint(&slot, now);
        slot.handled_hits.store(hits, std::memory_order_relaxed);
      }
      AbandonTrace(&session->environment, &slot, is_stalled ? AbortReason::kAsynchronousHit : AbortReason::kTooOld, true);
    }
    GiveSlotBack(&slot);
  }
}

void CountBlockedThreads(Session* session) {
  const uint32_t used = session->slot_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < used; ++i) {
    ThreadSlot& slot = session->slots[i];
    if (slot.state.load(std::memory_order_relaxed) != SlotState::kLive) continue;
    const uint64_t samples = CounterValue(slot.counters.samples);
    const auto cpu_ns = static_cast<int64_t>(platform::ThreadCpuTimeNs(slot.tid));
    if (samples != slot.watched_samples) {
      slot.watched_samples = samples;
      slot.watched_cpu_ns = cpu_ns;
    } else if (cpu_ns - slot.watched_cpu_ns > static_cast<int64_t>(kBlockedCpuNs) && platform::IsTrapPending(slot.tid)) {
      AddTo(&session->lost[static_cast<uint32_t>(LossReason::kSignalBlocked)], 1);
      slot.watched_cpu_ns = INT64_MAX;  // once, until it gives a sample again
    }
  }
}

void PauseThreads(Session* session, AbortReason reason, LossReason loss) {
  const uint32_t used = session->slot_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < used; ++i) {
    ThreadSlot& slot = session->slots[i];
    if (slot.state.load(std::memory_order_relaxed) != SlotState::kLive) continue;
    AddTo(&session->lost[static_cast<uint32_t>(loss)], 1);
    if (!TakeSlot(&slot)) continue;  // its handler sees the bar
    (void)platform::DisableSampler(slot.sampler);
    AbandonTrace(&session->environment, &slot, reason, false);
    GiveSlotBack(&slot);
  }
}

void ResumeThreads(Session* session) {
  const uint32_t used = session->slot_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < used; ++i) {
    ThreadSlot& slot = session->slots[i];
    if (slot.state.load(std::memory_order_relaxed) != SlotState::kLive || !TakeSlot(&slot)) continue;
    AbandonTrace(&session->environment, &slot, AbortReason::kNoBreakpoint, true);
    GiveSlotBack(&slot);
  }
}

void ReplaceClosedDescriptors(Session* session) {
  const uint32_t used = session->slot_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < used; ++i) {
    ThreadSlot& slot = session->slots[i];
    if (slot.state.load(std::memory_order_relaxed) != SlotState::kLive || !TakeSlot(&slot)) continue;
    const bool is_sampler_gone = !platform::IsSamplerOurs(slot.sampler);
    const bool is_breakpoint_gone = slot.breakpoint.fd >= 0 && !platform::IsBreakpointOurs(slot.breakpoint);
    if (is_sampler_gone || is_breakpoint_gone) {
      // The numbers are somebody else's now: not to be touched.
      if (is_sampler_gone) slot.sampler = platform::Sampler{};
      if (is_breakpoint_gone) slot.breakpoint = platform::Breakpoint{};
      CloseSlot(session, &slot, AbortReason::kBreakpointFailed);
      AddTo(&session->lost[static_cast<uint32_t>(LossReason::kDescriptorClosed)], 1);
      AddTo(&session->threads_traced, ~uint64_t{0});  // it is about to be counted again
      session->last_pid_seen = 0;                     // the next scan opens new ones
    }
    GiveSlotBack(&slot);
  }
}

bool CloseAllSlots(Session* session, AbortReason reason) {
  const uint32_t used = session->slot_count.load(std::memory_order_relaxed);
  uint64_t polls_left = kStopWaitNs / kStopPollNs;  // not a time: it ends without a clock too
  bool is_all_closed = true;
  for (uint32_t i = 0; i < used; ++i) {
    ThreadSlot& slot = session->slots[i];
    if (slot.state.load(std::memory_order_relaxed) != SlotState::kLive) continue;
    while (!TakeSlot(&slot)) {
      if (!platform::IsThreadAlive(slot.tid)) {
        slot.owner.store(SlotOwner::kControl, std::memory_order_seq_cst);
        break;
      }
      if (polls_left == 0) {
        is_all_closed = false;
        break;
      }
      --polls_left;
      platform::SleepNs(kStopPollNs);
    }
    if (slot.owner.load(std::memory_order_relaxed) != SlotOwner::kControl) continue;
    CloseSlot(session, &slot, reason);
    GiveSlotBack(&slot);
  }
  return is_all_closed;
}

}  // namespace softlbr
