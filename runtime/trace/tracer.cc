#include "runtime/trace/tracer.h"

#include "platform/base/config.h"
#include "platform/cpu_context.h"
#include "runtime/blocks/generated_code.h"
#include "runtime/blocks/lifter.h"
#include "runtime/trace/arming.h"
#include "runtime/trace/open_trace.h"
#include "runtime/trace/restartable.h"
#include "runtime/trace/trace_scope.h"
#include "runtime/trace/verifier.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

static_assert(SOFTLBR_REG_COUNT == kRegisterSlotCount, "ir.h and machine_context.h describe the same register file");

// A handler that ran longer than this limit plus the limit of its instructions was preempted, so that its wall time is
// not its cost, or runs on a slow machine. Such a handler counts with the limit. That is too much for the few that are
// preempted, but slow machines are not missed. CPU time would be exact, but would take two more system calls in each
// handler.
constexpr uint64_t kHandlerLimitNs = 100000;
constexpr uint64_t kInstructionLimitNs = 60;

// Adds the handler's time to the counters: evaluating, lifting and arming each to its own, the remainder to `rest`, the
// counter of the trap.
void BookTime(const TraceScope& scope, uint64_t& rest) {
  ThreadSlot& slot = scope.slot;
  const Stopwatch& watch = scope.watch;
  const uint64_t total = platform::Ticks() - watch.begin;
  const uint64_t limit_ns = kHandlerLimitNs + kInstructionLimitNs * slot.trace_instructions;
  if (platform::TicksToNs(total) > limit_ns) {
    Add(slot.counters.limited_ns, limit_ns);
    return;
  }
  Add(slot.counters.lifting_ticks, watch.lifting);
  Add(slot.counters.evaluating_ticks, watch.advancing - watch.lifting - watch.arming);
  Add(slot.counters.breakpoint_ticks, watch.arming);
  Add(rest, total > watch.advancing ? total - watch.advancing : 0);
}

void FinishTrace(TraceScope& scope, AbortReason reason) { AbandonTrace(&scope.environment, &scope.slot, reason, true); }

bool TakeScratch(TraceScope& scope) {
  TraceEnvironment& environment = scope.environment;
  scope.scratch =
      TakeScratchState(&environment.scratch_states, scope.slot.index, environment.resolve, environment.plugin->arch);
  if (scope.scratch == nullptr) return false;
  scope.scratch->evaluator.memory.is_guarded = environment.must_guard.load(std::memory_order_relaxed) != 0;
  return true;
}

void ReturnScratch(TraceScope& scope) { ReturnScratchState(&scope.environment.scratch_states, scope.scratch); }

// While only one thread runs, atomic operations are evaluated like others, because the thread reads what it wrote
// itself. While several threads run, what an atomic operation reads is UNKNOWN for the first kDistrustSamples samples
// of the session, and for as many after each wrong prediction. In between, one trace in kVerifyAtomicsEvery is
// verified, to detect wrong predictions.

// The count grows by 2 at each change of the sampled thread and falls by 1 at each sample without a change. So a second
// thread does not count as running if it gets less than a sixth of the samples.
void NoteThread(TraceEnvironment* environment, int32_t tid) {
  constexpr uint32_t kMostChanges = 32;
  uint32_t changes = environment->thread_changes.load(std::memory_order_relaxed);
  if (environment->sampled_tid.load(std::memory_order_relaxed) != tid) {
    environment->sampled_tid.store(tid, std::memory_order_relaxed);
    if (changes < kMostChanges) changes += 2;
  } else if (changes != 0) {
    --changes;
  }
  environment->thread_changes.store(changes, std::memory_order_relaxed);
  const uint32_t distrust = environment->distrust.load(std::memory_order_relaxed);
  if (distrust != 0) environment->distrust.store(distrust - 1, std::memory_order_relaxed);
}

// Two calls at once may count as one. The result is at most twice kDistrustSamples.
void Distrust(TraceEnvironment* environment) {
  const uint32_t distrust = environment->distrust.load(std::memory_order_relaxed);
  environment->distrust.store(distrust / 2 + kDistrustSamples, std::memory_order_relaxed);
}

bool IsAlone(const TraceEnvironment& environment) {
  return environment.thread_changes.load(std::memory_order_relaxed) == 0;
}
bool IsTrusted(const TraceEnvironment& environment) {
  return environment.distrust.load(std::memory_order_relaxed) == 0;
}

void AdoptSignalFrame(TraceScope& scope) {
  platform::LoadMachineContext(scope.trap.ucontext, &scope.scratch->evaluator.context);
  AdoptTrueState(&scope.scratch->evaluator, scope.trap.ucontext);
  ForgetComparisons(scope.scratch);
  const bool is_verifiable = scope.slot.breakpoint.fd >= 0;
  const bool is_evaluated = IsAlone(scope.environment) || (is_verifiable && IsTrusted(scope.environment));
  scope.scratch->evaluator.context.known[SOFTLBR_REG_ATOMIC] = is_evaluated ? kAllBytesKnown : uint8_t{0};
}

// Blocks may be used from here to LeaveBlockCache. The map must be loaded after the epoch: when modules change, the
// control thread first publishes the new map and then invalidates the epoch's blocks, so a block is never cached under
// the map of other modules.
void EnterCode(TraceScope& scope) {
  scope.epoch = EnterBlockCache(scope.environment.cache);
  const CodeMap* map = scope.environment.code_map.load(std::memory_order_acquire);
  ShadowMemory& memory = scope.scratch->evaluator.memory;
  memory.pages.special = &map->special;
  memory.pinned_begin = map->pinned.begin;
  memory.pinned_end = map->pinned.end;
}

// Lifts the block at pc and caches it. kNone on success. Not inlined, so that the loop over cached blocks keeps its
// values in registers.
SOFTLBR_NOINLINE AbortReason LiftIntoCache(TraceScope& scope, uint64_t pc, FoundBlock* found) {
  const ScopedTimer timer(&scope.watch.lifting);
  TraceEnvironment& environment = scope.environment;
  const AbortReason reason = LiftBlock(*environment.plugin, environment.decoder, scope.scratch, pc);
  if (reason != AbortReason::kNone) return reason;
  const softlbr_block& block = scope.scratch->block;
  Add(scope.slot.counters.instructions_lifted, block.instruction_count);
  const CodeMap* map = environment.code_map.load(std::memory_order_acquire);
  const bool is_generated = environment.unloading.load(std::memory_order_relaxed) != kNothingUnloaded ||
                            !IsInRanges(map->code, map->code_count, pc);
  // Not cached: the undecodable bytes behind generated code may become code without a change of the block's own bytes.
  if (!is_generated || block.end.kind != SOFTLBR_END_UNDECODABLE) {
    (void)InsertBlock(environment.cache, scope.epoch, block, scope.scratch->code, is_generated);
  }
  if (is_generated && environment.modules_wanted.load(std::memory_order_relaxed) == 0) {
    environment.modules_wanted.store(1, std::memory_order_relaxed);
    WakeControlThread(&environment);
  }
  *found = FoundBlock{ViewOf(block), 0, nullptr, 0, is_generated};
  return AbortReason::kNone;
}

// Finds the block at pc in the cache (`link`: see FindBlock) or lifts it. kNone on success.
AbortReason GetBlock(TraceScope& scope, uint64_t pc, std::atomic<uint64_t>* link, FoundBlock* found) {
  SlotCounters& counters = scope.slot.counters;
  Add(counters.block_lookups, 1);
  if (!FindBlock(scope.environment.cache, scope.epoch, pc, link, found)) return LiftIntoCache(scope, pc, found);
  if (found->is_generated && !IsCodeCurrent(scope.scratch, *found)) return LiftIntoCache(scope, pc, found);
  Add(counters.block_hits, 1);
  return AbortReason::kNone;
}

// The path stops at stop_pc in scope.critical_section. If a breakpoint can be armed where the thread leaves the
// section, commits the branches recorded so far as one trace and opens another there, with the remaining length.
// Otherwise does nothing.
SOFTLBR_COLD void RestartAfterCriticalSection(TraceScope& scope, uint64_t stop_pc) {
  const AddressRange section = scope.critical_section;
  ThreadSlot* slot = &scope.slot;
  if (section.begin == section.end || !slot->buffer->HasRoomFor(slot->branch_limit + 1)) return;
  const TraceEnvironment& environment = scope.environment;
  const uint64_t exit_pc =
      FindCriticalSectionExit(*environment.plugin, environment.decoder, scope.scratch, section, stop_pc);
  if (exit_pc == 0 || ArmAtExit(scope, exit_pc, stop_pc) != AbortReason::kNone) return;
  ForgetPrediction(&slot->predicted);  // it is the state at stop_pc
  const uint32_t branches_left = slot->branch_limit - slot->buffer->open_count;
  CloseTrace(slot, AbortReason::kCriticalSection);
  OpenTrace(slot, exit_pc, branches_left);
  slot->buffer->MarkContinued();
}

// The trace is full. If it is one of those to verify (one in verify_every), arms the breakpoint at its end; it stays
// open until the hit.
void BeginVerification(TraceScope& scope, uint64_t end_pc) {
  ThreadSlot& slot = scope.slot;
  const TraceEnvironment& environment = scope.environment;
  if (environment.resolve != ResolvePolicy::kLookahead || slot.breakpoint.fd < 0) return;
  const bool is_doubtful =
      !IsAlone(environment) && IsTrusted(environment) && slot.trace_serial % kVerifyAtomicsEvery == 0;
  if (!is_doubtful && slot.trace_serial % environment.verify_every != 0) return;
  slot.is_verifying = ArmAtStop(scope, end_pc) == AbortReason::kNone;
}

// Look-ahead cannot continue after `end`: arms the breakpoint from which the path continues. kNone, or why that was not
// possible.
AbortReason StopAt(TraceScope& scope, const BlockExit& end, bool is_first_block) {
  if (end.outcome == BlockOutcome::kAborted) return end.reason;
  uint64_t stop_pc = end.next_pc;
  if (end.outcome == BlockOutcome::kUnresolved) {
    stop_pc = end.branch_pc;
    // Not even the true state at this instruction resolves it; a breakpoint there would only hit at its next execution.
    if (is_first_block && stop_pc == scope.trap.pc) return AbortReason::kUnresolvable;
  } else if (scope.environment.resolve == ResolvePolicy::kStatic) {
    return AbortReason::kSystemCall;
  } else if (platform::MayBlockTraps(end.system_call)) {
    return AbortReason::kTrapBlocked;
  }
  const AbortReason reason = ArmAtStop(scope, stop_pc);
  if (reason == AbortReason::kCriticalSection) RestartAfterCriticalSection(scope, stop_pc);
  return reason;
}

// A signal handler of the program runs before the thread continues, and may jump away. A breakpoint at the thread's pc
// detects whether it returns. After a hit this is not possible, because the thread would step over a breakpoint there.
AbortReason WaitForProgramHandler(TraceScope& scope) {
  const bool is_armed = scope.slot.trace_hits == 0 && ArmAtStop(scope, scope.trap.pc) == AbortReason::kNone;
  return is_armed ? AbortReason::kNone : AbortReason::kSignalPending;
}

// Runs block after block from trap.pc, where the true state is known, until the trace is full or look-ahead cannot
// continue. kNone if the trace is full or the breakpoint was armed, else why the trace ends.
AbortReason FollowPath(TraceScope& scope) {
  ThreadSlot& slot = scope.slot;
  Evaluator* evaluator = &scope.scratch->evaluator;
  uint64_t pc = scope.trap.pc;
  std::atomic<uint64_t>* link = nullptr;
  FoundBlock block;
  // at most kMaxTraceInstructions rounds, as each adds 1 or more
  for (bool is_first = true;; is_first = false) {
    const AbortReason reason = GetBlock(scope, pc, link, &block);  // step 3 of tracer.h
    if (reason != AbortReason::kNone) return reason;
    const BlockExit end = RunBlock(evaluator, block.view, block.first);  // step 4
    // If the trace has stored to this block's code, the new code is only in the store buffer, and the block that ran is
    // the old code.
    if (block.is_generated && HasStored(evaluator->memory, block.view.pc, block.view.byte_length)) {
      return AbortReason::kUnreadableCode;
    }
    slot.trace_instructions += end.instructions + 1;
    if constexpr (SOFTLBR_CPU_HAS_RESUME_FLAG == 0) {
      if (is_first) scope.second_pc = PcAfterFirst(block.view, block.first, pc, end);
    }
    if (end.outcome != BlockOutcome::kNext) return StopAt(scope, end, is_first);  // step 5
    if (end.is_taken) {
      slot.buffer->Append(end.branch_pc, end.next_pc);
      if (slot.buffer->open_count >= slot.branch_limit) {
        BeginVerification(scope, end.next_pc);
        return AbortReason::kNone;  // step 6
      }
    }
    if (slot.trace_instructions >= kMaxTraceInstructions) return AbortReason::kRunaway;
    pc = end.next_pc;
    link = block.links != nullptr ? &block.links->successor[end.is_taken ? 1 : 0] : nullptr;
  }
}

// Follows the path from the true state in the signal frame as far as look-ahead can. The trace is then open with the
// breakpoint armed, or finished.
void Advance(TraceScope& scope) {
  ThreadSlot& slot = scope.slot;
  slot.segment_pc = scope.trap.pc;
  slot.segment_branch = slot.buffer->open_count;
  const bool is_signal_due = platform::IsSignalDue(scope.trap.ucontext);
  AbortReason reason = AbortReason::kNone;
  {
    const ScopedTimer timer(&scope.watch.advancing);
    EnterCode(scope);
    if (is_signal_due) {
      reason = WaitForProgramHandler(scope);
    } else {
      reason = FollowPath(scope);
      // If not, another process has written in between, and the program may be unable to take this path.
      if (!WereReadWordsThereAtOnce(scope.scratch->evaluator.memory.guarded)) {
        slot.buffer->Truncate(slot.segment_branch);
        slot.is_verifying = false;
        scope.is_armed = false;
        reason = AbortReason::kStateMismatch;
      }
      // The path stops at the thread's present pc: the thread must first execute the instruction there.
      if (scope.is_armed && slot.armed_pc == scope.trap.pc && !StepOver(scope)) {
        scope.is_armed = false;
        reason = slot.is_verifying ? AbortReason::kNone : AbortReason::kForbiddenPc;
      }
    }
    LeaveBlockCache(scope.environment.cache, scope.epoch);
  }
  if (!scope.is_armed) FinishTrace(scope, reason);  // step 6
}

// A hit before the one that counts. The breakpoint stays armed and the thread steps over it.
void SkipHit(TraceScope& scope) {
  --scope.slot.skip_count;
  if constexpr (SOFTLBR_CPU_HAS_RESUME_FLAG != 0) return;  // the kernel has set the resume flag
  if (!TakeScratch(scope)) {
    FinishTrace(scope, AbortReason::kNoScratchState);
    return;
  }
  bool is_stepping = false;
  {
    const ScopedTimer timer(&scope.watch.advancing);
    AdoptSignalFrame(scope);
    EnterCode(scope);
    FoundBlock block;
    if (GetBlock(scope, scope.trap.pc, nullptr, &block) == AbortReason::kNone) {
      const BlockExit end = RunBlock(&scope.scratch->evaluator, block.view, block.first);
      scope.second_pc = PcAfterFirst(block.view, block.first, scope.trap.pc, end);
      is_stepping = StepOver(scope);
    }
    LeaveBlockCache(scope.environment.cache, scope.epoch);
  }
  ReturnScratch(scope);
  if (!is_stepping) FinishTrace(scope, AbortReason::kForbiddenPc);
}

// The hit that counts: continues from the true state if it agrees with the prediction.
void GoOnFromHit(TraceScope& scope) {
  ThreadSlot& slot = scope.slot;
  if (!TakeScratch(scope)) {
    FinishTrace(scope, AbortReason::kNoScratchState);
    return;
  }
  AdoptSignalFrame(scope);
  const bool is_as_predicted = scope.environment.resolve != ResolvePolicy::kLookahead ||
                               IsPredictionTrue(slot.predicted, scope.scratch->evaluator);
  if (!is_as_predicted) Distrust(&scope.environment);
  if (slot.is_verifying) {
    Add(slot.counters.verify_traces, 1);
    if (!is_as_predicted) Add(slot.counters.verify_mismatches, 1);
    FinishTrace(scope, AbortReason::kNone);
  } else if (!is_as_predicted) {
    FinishTrace(scope, AbortReason::kStateMismatch);
  } else {
    slot.arm_ticks.store(0, std::memory_order_relaxed);
    Advance(scope);
  }
  ReturnScratch(scope);
}

}  // namespace

void OnSample(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap) {
  TraceScope scope{*environment, *slot, trap};
  // The sample was pending before the sampler was turned off, or before it began another period.
  if (slot->is_trace_open || (slot->has_stayed_on && trap.is_asynchronous)) {
    slot->has_stayed_on = false;
    Add(slot->counters.lost[static_cast<uint32_t>(LossReason::kLateSample)], 1);
    return;
  }
  const bool may_stay_on = MaySamplerStayOn(*environment, *slot);
  const bool is_asked = slot->requests.load(std::memory_order_relaxed) != 0;
  if (!may_stay_on && !StopSampling(slot) && slot->sampler.period < kAlonePeriod) {
    Add(slot->counters.lost[static_cast<uint32_t>(LossReason::kEventUnreachable)], 1);
    if (!is_asked) WakeControlThread(environment);  // each such sample costs the app a signal
    return;
  }
  slot->has_stayed_on = slot->is_sampler_on;
  Add(slot->counters.samples, 1);
  if (!TakeBuffer(environment, slot)) {
    Add(slot->counters.lost[static_cast<uint32_t>(LossReason::kNoFreeBuffer)], 1);
    ResumeSampling(environment, slot);
    return;
  }
  OpenTrace(slot, trap.pc, environment->branches_per_trace);
  slot->is_verifying = false;
  slot->trace_hits = 0;
  ++slot->trace_serial;
  NoteThread(environment, slot->tid);
  if (TakeScratch(scope)) {
    AdoptSignalFrame(scope);
    Advance(scope);
    ReturnScratch(scope);
  } else {
    FinishTrace(scope, AbortReason::kNoScratchState);
  }
  if (slot->is_trace_open) (void)StopSampling(slot);
  BookTime(scope, slot->counters.sampling_ticks);
}

void OnHit(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap) {
  TraceScope scope{*environment, *slot, trap};
  // A hit that found the slot taken was dropped: this one is a later execution of the same instruction.
  const uint64_t hits = slot->handled_hits.load(std::memory_order_relaxed);
  const bool is_first_since_last = hits == slot->seen_hits + 1;
  slot->seen_hits = hits;
  Add(slot->is_verifying ? slot->counters.verify_hits : slot->counters.breakpoint_hits, 1);
  if (!slot->is_trace_open || GenerationOfSigData(trap.sig_data) != slot->arm_generation) {
    Add(slot->counters.lost[static_cast<uint32_t>(LossReason::kLateHit)], 1);
    // With a kernel that does not carry sig_data through MODIFY_ATTRIBUTES, every hit would end up here, for ever.
    if (slot->is_trace_open) FinishTrace(scope, AbortReason::kPcMismatch);
    return;
  }
  if (!slot->is_verifying) ++slot->trace_hits;
  const bool was_stepping = IsStepping(*slot);
  const AbortReason reason = is_first_since_last ? CheckHit(scope) : AbortReason::kAsynchronousHit;
  if (reason != AbortReason::kNone) {
    FinishTrace(scope, reason);
    return;
  }
  if (was_stepping) {
    // CheckHit has put the breakpoint back to armed_pc.
  } else if (slot->skip_count != 0) {
    SkipHit(scope);
  } else {
    GoOnFromHit(scope);
  }
  BookTime(scope, slot->counters.breakpoint_ticks);
}

void AbandonTrace(TraceEnvironment* environment, ThreadSlot* slot, AbortReason reason, bool resume_sampling) {
  Disarm(slot);
  if (slot->is_trace_open) CloseTrace(slot, reason);
  if (slot->buffer != nullptr) ReleaseBuffer(environment, slot);
  if (resume_sampling) ResumeSampling(environment, slot);
}

}  // namespace softlbr
