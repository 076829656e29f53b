#include "runtime/watch/late_traps.h"

#include "platform/sampler.h"
#include "platform/thread.h"
#include "platform/thread_list.h"
#include "runtime/session/session.h"
#include "runtime/watch/thread_registry.h"

namespace softlbr {
namespace {

// Of the thread's time. Long enough for the handler to turn the event off before the next one.
constexpr uint64_t kFenceNs = 500000;
constexpr uint64_t kFencePollNs = 200000;
constexpr uint64_t kFenceWaitNs = 100000000;
constexpr uint32_t kBlockedPolls = 25;

// False while the handler is busy with it.
bool CloseFence(LateTraps* traps, Fence* fence) {
  uint32_t state = StateOfFence(fence->turn, kFenceOpen);
  (void)fence->state.compare_exchange_strong(state, StateOfFence(fence->turn, kFenceClosed), std::memory_order_acq_rel);
  if (state == StateOfFence(fence->turn, kFenceBusy)) return false;
  if (platform::DisableSampler(fence->sampler) != Status::kOk) traps->has_gaps.store(true, std::memory_order_relaxed);
  platform::CloseSampler(&fence->sampler);
  fence->is_done = state == StateOfFence(fence->turn, kFencePassed);
  return true;
}

bool OpenFence(Fence* fence, uint32_t index) {
  const uint64_t data = MakeSigData(kFenceSlot, ++fence->turn * kFences + index);
  const Status status =
      platform::OpenSampler(fence->tid, platform::SampleEvent::kTaskClock, kFenceNs, data, &fence->sampler);
  fence->state.store(StateOfFence(fence->turn, kFenceOpen), std::memory_order_release);
  return status == Status::kOk && platform::EnableSampler(fence->sampler) == Status::kOk;
}

// One look at a thread.
void Approach(LateTraps* traps, uint32_t index) {
  Fence* fence = &traps->fences[index];
  if (fence->sampler.fd >= 0) {
    const bool has_passed = fence->state.load(std::memory_order_acquire) == StateOfFence(fence->turn, kFencePassed);
    if (!has_passed && platform::IsThreadRunnable(fence->tid)) return;
    if (!CloseFence(traps, fence) || fence->is_done) return;
  }
  // Asked only now, when the thread has no event.
  fence->is_done = !platform::IsThreadRunnable(fence->tid);
  if (fence->is_done) return;
  // It may be blocked for a moment, at the beginning or the end of our handler; or by the program.
  fence->is_done =
      platform::IsTrapBlocked(fence->tid) ? ++fence->blocked_polls == kBlockedPolls : !OpenFence(fence, index);
  if (fence->is_done) traps->has_gaps.store(true, std::memory_order_relaxed);
}

}  // namespace

void NoteTrapThreads(Session* session) {
  LateTraps& traps = session->late_traps;
  for (uint32_t i = 0; ThreadSlot* slot = NextLiveSlot(&session->threads, &i);) {
    if (slot->sampler.fd < 0 || traps.count == kFences) {  // timers.is_active, or too many threads
      traps.has_gaps.store(true, std::memory_order_relaxed);
      continue;
    }
    Fence& fence = traps.fences[traps.count++];
    fence.tid = slot->tid;
    fence.sampler = platform::Sampler{};
  }
}

void AwaitLateTraps(Session* session) {
  // a debugger would stop at each trap
  if (session->environment.sampling_disabled.load(std::memory_order_relaxed) != 0) return;
  LateTraps& traps = session->late_traps;
  uint32_t left = traps.count;
  for (uint64_t polls = kFenceWaitNs / kFencePollNs; left != 0 && polls != 0; --polls) {
    left = 0;
    for (uint32_t i = 0; i < traps.count; ++i) {
      if (!traps.fences[i].is_done) Approach(&traps, i);
      left += traps.fences[i].is_done ? 0 : 1;
    }
    if (left != 0) platform::SleepNs(kFencePollNs);
  }
  uint32_t polls = kFenceWaitNs / kFencePollNs;  // a thread may have been killed inside the handler
  for (uint32_t i = 0; i < traps.count;) {
    Fence& fence = traps.fences[i];
    if (fence.sampler.fd >= 0 && !CloseFence(&traps, &fence) && polls != 0) {
      --polls;
      platform::SleepNs(kFencePollNs);
    } else {
      ++i;
    }
  }
  CloseFences(session);
  platform::DisableEventsOfThisThread();  // a fence whose descriptor could not be confirmed as ours is open still
  traps.is_complete = left == 0 && !traps.has_gaps.load(std::memory_order_relaxed);
}

void CloseFences(Session* session) {
  LateTraps& traps = session->late_traps;
  for (uint32_t i = 0; i < traps.count; ++i) platform::CloseSampler(&traps.fences[i].sampler);
}

}  // namespace softlbr
