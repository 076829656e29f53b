#include "runtime/session/fences.h"

#include "runtime/session/session.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {

void CloseFences(Session* session) {
  LateTraps& traps = session->late_traps;
  for (uint32_t i = 0; i < traps.count; ++i) platform::CloseSampler(&traps.fences[i].sampler);
}

void PassFence(Session* session, const platform::Trap& trap) {
  const uint32_t generation = GenerationOfSigData(trap.sig_data);
  Fence& fence = session->late_traps.fences[generation % kFences];
  const uint32_t turn = generation / kFences;
  uint32_t state = StateOfFence(turn, kFenceOpen);
  if (!fence.state.compare_exchange_strong(state, StateOfFence(turn, kFenceBusy), std::memory_order_acq_rel)) return;
  if (platform::DisableSampler(fence.sampler) != Status::kOk) session->late_traps.has_gaps.store(true, std::memory_order_relaxed);
  fence.state.store(StateOfFence(turn, kFencePassed), std::memory_order_release);
}

}  // namespace softlbr
