#include "runtime/session/trap_dispatch.h"

#include "platform/sampler.h"
#include "platform/thread.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"
#include "runtime/trace/open_trace.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

struct OwnTrap {
  Session* session;
  ThreadSlot* slot;
  const platform::Trap* trap;
};

SOFTLBR_COLD void Wake(Session* session) {
  session->control.is_idle.store(0, std::memory_order_relaxed);
  WakeControlThread(&session->environment);
}

// Handles a trap that belongs to this thread and this session.
SOFTLBR_HANDLER_SAFE void Serve(void* own_trap) {
  const auto* own = static_cast<const OwnTrap*>(own_trap);
  ThreadSlot* slot = own->slot;
  const bool is_sample = own->trap->kind == platform::TrapKind::kSample;
  const bool is_timer = is_sample && GenerationOfSigData(own->trap->sig_data) == kTimerGeneration;
  bool is_served = false;
  if (TakeOwnership(&slot->owner, SlotOwner::kHandler)) {
    if (slot->state.load(std::memory_order_relaxed) == SlotState::kLive) {
      if (is_timer) AdoptTimer(slot);
      is_served = !is_sample || !IsStoppingStack(own->trap->sp);
      if (!is_served) {
        (void)StopSampling(slot);
      } else if (is_sample) {
        OnSample(&own->session->environment, slot, *own->trap);
      } else {
        OnHit(&own->session->environment, slot, *own->trap);
      }
    }
    slot->owner.store(SlotOwner::kIdle, std::memory_order_seq_cst);
  }
  if (is_timer) KeepTimerGoing(own->session, slot);
  if (is_sample) ServeTimerWishes(own->session);
  if (own->session->control.is_idle.load(std::memory_order_relaxed) != 0) Wake(own->session);
  if (!is_served) CountLoss(own->session, is_sample ? LossReason::kLateSample : LossReason::kLateHit);
}

// A SIGTRAP makes the helper check whether the host has ended (control_loop.cc); `softlbr record` sends it one at that time.
// False in every other process, where the trap is the process's own.
SOFTLBR_COLD bool OnHostsEnd(Session* session) {
  if (session == nullptr || !session->control.thread.is_helper) return false;
  if (session->control.tid != platform::CurrentThreadId()) return false;
  Wake(session);
  return true;
}

}  // namespace

bool DispatchTrap(const platform::Trap& trap) {
  const SessionUse use;
  Session* session = use.session();
  if (trap.kind == platform::TrapKind::kForeign || !IsOurSigData(trap.sig_data)) return OnHostsEnd(session);
  if (session == nullptr) return true;
  const uint32_t index = SlotOfSigData(trap.sig_data);
  if (index == kCalibrationSlot) {
    OnCalibrationTrap(trap);
  } else if (index < session->threads.slot_count.load(std::memory_order_acquire)) {
    OwnTrap own{session, &session->threads.slots[index], &trap};
    if (own.slot->tid != platform::CurrentThreadId()) return true;  // a forked or vforked child that shares or copies our memory
    // Counted even if it is dropped below: a hit that the kernel counts and we do not would look like one that a blocked SIGTRAP delays.
    if (trap.kind == platform::TrapKind::kBreakpoint) own.slot->handled_hits.fetch_add(1, std::memory_order_relaxed);
    if (!trap.is_stack_short) {
      Serve(&own);
    } else if (!CallOnHandlerStack(&session->handler_stacks, Serve, &own)) {
      CountLoss(session, LossReason::kSmallStack);
      if (GenerationOfSigData(trap.sig_data) == kTimerGeneration) KeepTimerGoing(session, own.slot);
    }
  }
  return true;
}

}  // namespace softlbr
