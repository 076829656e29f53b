#include "runtime/session/trap_dispatch.h"

#include "platform/sampler.h"
#include "platform/thread.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

struct OwnTrap {
  Session* session;
  ThreadSlot* slot;
  const platform::Trap* trap;
};

// Handles a trap that belongs to this thread and this session.
SOFTLBR_HANDLER_SAFE void Serve(void* own_trap) {
  const auto* own = static_cast<const OwnTrap*>(own_trap);
  ThreadSlot* slot = own->slot;
  const bool is_sample = own->trap->kind == platform::TrapKind::kSample;
  bool is_served = false;
  if (TakeOwnership(&slot->owner, SlotOwner::kHandler)) {
    if (slot->state.load(std::memory_order_relaxed) == SlotState::kLive) {
      is_served = !is_sample || !IsStoppingStack(own->trap->sp);
      if (!is_served) {
        (void)platform::DisableSampler(slot->sampler);
      } else if (is_sample) {
        OnSample(&own->session->environment, slot, *own->trap);
      } else {
        OnHit(&own->session->environment, slot, *own->trap);
      }
    }
    slot->owner.store(SlotOwner::kIdle, std::memory_order_seq_cst);
  }
  if (!is_served) CountLoss(own->session, is_sample ? LossReason::kLateSample : LossReason::kLateHit);
}

}  // namespace

bool DispatchTrap(const platform::Trap& trap) {
  if (trap.kind == platform::TrapKind::kForeign || !IsOurSigData(trap.sig_data)) return false;
  const SessionUse use;
  Session* session = use.session();
  if (session == nullptr) return true;
  const uint32_t index = SlotOfSigData(trap.sig_data);
  if (index == kCalibrationSlot) {
    OnCalibrationTrap(trap);
  } else if (index < session->threads.slot_count.load(std::memory_order_acquire)) {
    OwnTrap own{session, &session->threads.slots[index], &trap};
    if (own.slot->tid != platform::CurrentThreadId()) return true;  // a forked or vforked child that shares or copies our memory
    if (!trap.is_stack_short) {
      Serve(&own);
    } else if (!CallOnHandlerStack(&session->handler_stacks, Serve, &own)) {
      CountLoss(session, LossReason::kSmallStack);
    }
  }
  return true;
}

}  // namespace softlbr
