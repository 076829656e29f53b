#include "runtime/session/timer_wishes.h"

#include "platform/base/limits.h"
#include "runtime/session/session.h"
#include "runtime/trace/sig_data.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

// The caller has the lock. False: the thread has ended, or it may have no more timers.
bool CreateTimer(const TraceEnvironment& environment, ThreadSlot* slot, int32_t tid) {
  // A random first period, as for events (thread_registry.cc).
  const uint64_t period = environment.period.load(std::memory_order_relaxed);
  const uint64_t first =
      period - (platform::Ticks() * 0x9e3779b97f4a7c15ull ^ static_cast<uint64_t>(tid)) % (period - period / 32);
  const uint64_t sig_data = MakeSigData(slot->index, kTimerGeneration);
  if (platform::OpenSingleTimer(tid, first, sig_data, &slot->timer) != Status::kOk) return false;
  slot->timer_tid.store(tid, std::memory_order_release);
  (void)platform::EnableSampler(slot->timer);
  return true;
}

bool HasTimer(const ThreadSlot& slot) {
  return slot.timer_tid.load(std::memory_order_acquire) == slot.tid &&
         slot.timer_wish.load(std::memory_order_relaxed) == slot.tid;
}

}  // namespace

void ServeTimerWishes(Session* session) {
  TimerSampling& timers = session->timers;
  uint32_t begun = timers.unchecked.load(std::memory_order_seq_cst);
  if (SOFTLBR_LIKELY(begun == 0) || timers.lock.exchange(1, std::memory_order_seq_cst) != 0) return;
  uint32_t unchecked = begun;
  uint32_t wishes_left = kTimersAtOnce;
  for (uint32_t looks = kWishesSeen; looks != 0 && unchecked != 0; --looks) {
    ThreadSlot* slot = &session->threads.slots[unchecked - 1];
    int32_t wish = slot->timer_wish.load(std::memory_order_seq_cst);
    if (wish != slot->timer_tid.load(std::memory_order_relaxed)) {
      if (wishes_left-- == 0) break;
      if (slot->timer_tid.exchange(0, std::memory_order_seq_cst) != 0) platform::CloseTimer(&slot->timer);
      if (wish != 0 && !CreateTimer(session->environment, slot, wish)) {
        (void)slot->timer_wish.compare_exchange_strong(wish, 0, std::memory_order_seq_cst);
      }
    }
    --unchecked;
  }
  // If the control thread has stated another wish meanwhile, all are looked at again.
  (void)timers.unchecked.compare_exchange_strong(begun, unchecked, std::memory_order_seq_cst);
  timers.lock.store(0, std::memory_order_release);
}

void AdoptTimer(ThreadSlot* slot) {
  if (!slot->uses_timer || !HasTimer(*slot)) return;
  const uint64_t period = slot->sampler.period;
  slot->sampler = slot->timer;
  slot->sampler.period = period;
  slot->is_sampler_on = false;
}

void KeepTimerGoing(Session* session, ThreadSlot* slot) {
  if (!HasTimer(*slot) || (slot->uses_timer && slot->is_sampler_on)) return;
  if (session->environment.sampling_disabled.load(std::memory_order_relaxed) != 0) return;
  platform::Sampler timer = slot->timer;
  timer.period = session->environment.period.load(std::memory_order_relaxed);
  (void)platform::EnableSampler(timer);
}

void DeleteTimers(Session* session) {
  const uint32_t used = session->threads.slot_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < used; ++i) {
    ThreadSlot* slot = &session->threads.slots[i];
    if (slot->timer_tid.exchange(0, std::memory_order_seq_cst) != 0) platform::CloseTimer(&slot->timer);
  }
}

}  // namespace softlbr
