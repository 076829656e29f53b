#include "runtime/watch/timer_sampling.h"

#include "platform/thread.h"
#include "platform/thread_list.h"
#include "runtime/session/session.h"
#include "runtime/trace/tracer.h"
#include "runtime/watch/module_refresh.h"
#include "runtime/watch/thread_registry.h"

namespace softlbr {
namespace {

void CheckAgain(Session* session) {
  session->timers.unchecked.store(session->threads.slot_count.load(std::memory_order_relaxed),
                                  std::memory_order_seq_cst);
}

// In the host, the control thread need not wait for a handler.
void ServeHere(Session* session) {
  if (session->control.thread.is_helper) return;
  for (uint32_t before = ~0u, left = 0; (left = session->timers.unchecked.load(std::memory_order_relaxed)) < before;
       before = left) {
    ServeTimerWishes(session);
  }
}

void CloseEventsOf(Session* session, ThreadSlot* slot) {
  (void)platform::DisableSampler(slot->sampler);
  AbandonTrace(&session->environment, slot, AbortReason::kEventsClosed, false);
  platform::CloseBreakpoint(&slot->breakpoint);
  platform::CloseSampler(&slot->sampler);
  ++slot->arm_generation;  // a late hit does not count
}

bool HasServedTimer(const ThreadSlot& slot) {
  return slot.uses_timer && slot.timer_tid.load(std::memory_order_acquire) == slot.tid;
}

// The thread that has used the most CPU time since its switches were last counted. nullptr: there is none.
ThreadSlot* BusiestSlot(Session* session) {
  ThreadSlot* busiest = nullptr;
  uint64_t most_ns = 0;
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    const uint64_t used_ns = CountSwitchesOf(session, slot);
    if (busiest != nullptr && used_ns <= most_ns) continue;
    busiest = slot;
    most_ns = used_ns;
  }
  return busiest;
}

// A sampler whose sample comes soon, for a thread that is to fulfil wishes.
void MakeMessenger(Session* session, ThreadSlot* slot) {
  if (!slot->uses_timer) {
    (void)platform::SetSamplerPeriod(&slot->sampler, kAlonePeriod);
    return;
  }
  if (!TakeSlot(slot)) return;
  const auto event = static_cast<platform::SampleEvent>(session->info.event);
  const uint64_t sig_data = MakeSigData(slot->index, slot->arm_generation);
  if (platform::OpenSampler(slot->tid, event, kAlonePeriod, sig_data, &slot->sampler) == Status::kOk) {
    slot->uses_timer = false;
    slot->is_sampler_on = session->environment.sampling_disabled.load(std::memory_order_relaxed) == 0;
    if (slot->is_sampler_on) (void)platform::EnableSampler(slot->sampler);
  }
  GiveSlotBack(slot);
}

}  // namespace

bool MayUseTimers(const Session& session) {
  return static_cast<platform::SampleEvent>(session.info.event) == platform::SampleEvent::kTaskClock &&
         platform::MayTimersSample();
}

void BeginWithTimers(Session* session, uint64_t threads) {
  constexpr uint64_t kCpuNsOfEach = 5000000;  // counting the switches of a thread takes 12 us at most
  if (threads < kTimersFromThreads || session->settings.budget_ppm == 0 || !MayUseTimers(*session)) return;
  session->timers.is_active = true;
  session->timers.least_cpu_ns = threads * kCpuNsOfEach;
}

void BeginWithTimersIfDear(Session* session) {
  // On most machines a switch takes 1 us more, on some virtual ones 15 to 60: a server's first 100 ms then exceed its
  // limit of a second.
  constexpr uint64_t kDearNs = 5000;
  constexpr uint64_t kCpuNs = 50000000;  // until the switches are compared with the limit
  constexpr uint64_t kTickNs = 4000000;  // a thread gets no more timer samples than the scheduler has ticks
  if (session->costs.toggle_ns < kDearNs || session->settings.is_first_sample_early) return;
  if (session->environment.period.load(std::memory_order_relaxed) < kTickNs) return;
  if (session->settings.budget_ppm == 0 || !MayUseTimers(*session)) return;
  session->timers.is_active = true;
  session->timers.least_cpu_ns = kCpuNs;
}

void WishForTimer(Session* session, ThreadSlot* slot, int32_t tid) {
  slot->sampler = platform::Sampler{};
  slot->sampler.event = platform::SampleEvent::kThreadTimer;
  slot->sampler.period = session->environment.period.load(std::memory_order_relaxed);
  slot->uses_timer = true;
  slot->is_sampler_on = false;
  slot->timer_wish.store(tid, std::memory_order_seq_cst);
  CheckAgain(session);
}

void DropTimer(Session* session, ThreadSlot* slot) {
  slot->uses_timer = false;
  slot->sampler = platform::Sampler{};
  slot->timer_wish.store(0, std::memory_order_seq_cst);
  CheckAgain(session);
}

void BeginTimers(Session* session) {
  TimerSampling& timers = session->timers;
  if (timers.is_active) return;
  timers.is_active = true;
  constexpr uint64_t kLeastCpuNs = 1000000000;
  constexpr uint64_t kMostCpuNs = 16 * kLeastCpuNs;
  timers.least_cpu_ns = timers.least_cpu_ns < kLeastCpuNs  ? kLeastCpuNs
                        : timers.least_cpu_ns < kMostCpuNs ? timers.least_cpu_ns * 2
                                                           : kMostCpuNs;
  timers.cpu_ns = 0;
  timers.switching_ns = 0;
  ThreadSlot* messenger = BusiestSlot(session);
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    slot->timer_wish.store(slot->tid, std::memory_order_seq_cst);
    if (slot == messenger || !TakeSlot(slot)) continue;
    CloseEventsOf(session, slot);
    WishForTimer(session, slot, slot->tid);
    GiveSlotBack(slot);
  }
  CheckAgain(session);
  ServeHere(session);
  if (messenger != nullptr) MakeMessenger(session, messenger);
}

void EndTimers(Session* session) {
  if (!session->timers.is_active) return;
  session->timers.is_active = false;
  // The next scan opens breakpoints, so the critical sections must be known.
  if (session->info.has_breakpoints != 0) (void)ReadModules(session, platform::MonotonicNs());
  session->threads.seen_count = 0;  // the next scan is a full one
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    if (!slot->uses_timer) {
      slot->timer_wish.store(0, std::memory_order_seq_cst);
    } else if (TakeSlot(slot)) {
      CloseSlot(session, slot, AbortReason::kEventsClosed);
      GiveSlotBack(slot);
    }
  }
  CheckAgain(session);
  ServeHere(session);
}

void TendTimers(Session* session) {
  TimerSampling& timers = session->timers;
  const bool is_served = timers.unchecked.load(std::memory_order_seq_cst) == 0;
  if (!timers.is_active) {
    // Slots that were in use when EndTimers looked at them.
    for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
      if (!slot->uses_timer || !TakeSlot(slot)) continue;
      CloseSlot(session, slot, AbortReason::kEventsClosed);
      session->threads.seen_count = 0;
      GiveSlotBack(slot);
    }
    return;
  }
  ServeHere(session);
  bool has_messenger = false;  // a thread with a sampler
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    if (slot->uses_timer) {
      has_messenger |= HasServedTimer(*slot);
      if (slot->timer_wish.load(std::memory_order_relaxed) == 0 && TakeSlot(slot)) {  // it may have no timer
        AddTo(&session->totals.threads_traced, ~uint64_t{0});
        CountUntraced(&session->threads, slot->tid);
        CloseSlot(session, slot, AbortReason::kEventsClosed);
        GiveSlotBack(slot);
      }
      continue;
    }
    has_messenger = true;
    if (!is_served || !TakeSlot(slot)) continue;
    (void)CountSwitchesOf(session, slot);
    CloseEventsOf(session, slot);
    WishForTimer(session, slot, slot->tid);
    GiveSlotBack(slot);
  }
  timers.unserved_looks = is_served ? 0 : timers.unserved_looks + 1;
  // Those that have a sampler may be idle now.
  if (is_served || (has_messenger && timers.unserved_looks < 2)) return;
  ThreadSlot* messenger = BusiestSlot(session);
  if (messenger != nullptr && messenger->uses_timer && !HasServedTimer(*messenger)) MakeMessenger(session, messenger);
}

}  // namespace softlbr
