#include "runtime/session/trap_dispatch.h"

#include "platform/helper.h"
#include "platform/sampler.h"
#include "platform/thread.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"
#include "runtime/session/unmarked_hits.h"
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

// The program's handler runs next, with SIGTRAP blocked, so no breakpoint may stay armed. Not if the control thread
// owns the slot: it is disarming then, or about to.
void EndTraceOf(const OwnTrap& own) {
  ThreadSlot* slot = own.slot;
  if (!TakeOwnership(&slot->owner, SlotOwner::kHandler)) return;
  if (slot->state.load(std::memory_order_relaxed) == SlotState::kLive && slot->is_trace_open) {
    const bool is_unmarked = slot->unmarked_in_a_row >= kMostUnmarkedInARow;
    AbandonTrace(&own.session->environment, slot,
                 is_unmarked ? AbortReason::kBreakpointFailed : AbortReason::kSignalPending, true);
  }
  slot->owner.store(SlotOwner::kIdle, std::memory_order_seq_cst);
}

// Handles a trap that belongs to this thread and this session.
SOFTLBR_HANDLER_SAFE void Serve(void* own_trap) {
  const auto* own = static_cast<const OwnTrap*>(own_trap);
  ThreadSlot* slot = own->slot;
  const bool is_sample = own->trap->kind == platform::TrapKind::kSample;
  if (!is_sample && own->trap->kind != platform::TrapKind::kBreakpoint) {
    EndTraceOf(*own);
    return;
  }
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

void ServeOnEnoughStack(OwnTrap* own) {
  if (!own->trap->is_stack_short) {
    Serve(own);
  } else if (!CallOnHandlerStack(&own->session->handler_stacks, Serve, own)) {
    CountLoss(own->session, LossReason::kSmallStack);
    const bool is_sample = own->trap->kind == platform::TrapKind::kSample;
    if (is_sample && GenerationOfSigData(own->trap->sig_data) == kTimerGeneration)
      KeepTimerGoing(own->session, own->slot);
  }
}

// A SIGTRAP makes the helper check whether the host has ended (control_loop.cc); `softlbr record` sends it one at that
// time. False in every other process, where the trap is the process's own.
SOFTLBR_COLD bool OnHostsEnd(Session* session) {
  // In a forked child of the host, the session's memory is not there.
  if (session == nullptr || platform::HostProcessId() == platform::CurrentProcessId()) return false;
  Wake(session);
  return true;
}

// A trap without sig_data of ours.
SOFTLBR_COLD bool OnTrapWithoutMark(Session* session, const platform::Trap& trap) {
  Session* const here = CurrentSession();
  ThreadSlot* slot = here != nullptr ? FindOwnSlot(here) : nullptr;
  const bool is_ours = trap.kind == platform::TrapKind::kUnmarked && IsUnmarkedHit(slot, trap);
  if (is_ours) {
    if (here != nullptr) here->totals.unmarked_hits.fetch_add(1, std::memory_order_relaxed);
    if (slot == nullptr || ++slot->unmarked_in_a_row < kMostUnmarkedInARow) return true;
  } else if (OnHostsEnd(session)) {
    return true;
  }
  if (slot != nullptr && slot->arm_ticks.load(std::memory_order_relaxed) != 0) {
    OwnTrap own{here, slot, &trap};
    ServeOnEnoughStack(&own);
  }
  return is_ours;
}

}  // namespace

void PassFence(Session* session, const platform::Trap& trap) {
  const uint32_t generation = GenerationOfSigData(trap.sig_data);
  Fence& fence = session->late_traps.fences[generation % kFences];
  if (fence.tid != platform::CurrentThreadId()) return;  // a late one of an earlier session
  const uint32_t turn = generation / kFences;
  uint32_t state = StateOfFence(turn, kFenceOpen);
  if (!fence.state.compare_exchange_strong(state, StateOfFence(turn, kFenceBusy), std::memory_order_acq_rel)) return;
  if (platform::DisableSampler(fence.sampler) != Status::kOk)
    session->late_traps.has_gaps.store(true, std::memory_order_relaxed);
  fence.state.store(StateOfFence(turn, kFencePassed), std::memory_order_release);
}

bool DispatchTrap(const platform::Trap& trap) {
  const SessionUse use;
  Session* session = use.session();
  const bool has_mark = trap.kind == platform::TrapKind::kSample || trap.kind == platform::TrapKind::kBreakpoint;
  if (!has_mark || !IsOurSigData(trap.sig_data)) return OnTrapWithoutMark(session, trap);
  if (session == nullptr || !IsIntact(session)) return true;
  const uint32_t index = SlotOfSigData(trap.sig_data);
  if (index == kCalibrationSlot) {
    OnCalibrationTrap(trap);
  } else if (index == kFenceSlot) {
    PassFence(session, trap);
  } else if (index < session->threads.slot_count.load(std::memory_order_acquire)) {
    OwnTrap own{session, &session->threads.slots[index], &trap};
    // a forked or vforked child that shares or copies our memory
    if (own.slot->tid != platform::CurrentThreadId()) return true;
    if (trap.kind == platform::TrapKind::kBreakpoint) {
      // Counted even if it is dropped below: a hit that the kernel counts and we do not would look like one that a
      // blocked SIGTRAP delays.
      own.slot->handled_hits.fetch_add(1, std::memory_order_relaxed);
      own.slot->unmarked_in_a_row = 0;
    }
    ServeOnEnoughStack(&own);
  }
  return true;
}

}  // namespace softlbr
