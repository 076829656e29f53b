#include "runtime/trace/tracer.h"

#include "platform/config.h"
#include "platform/cpu_context.h"
#include "platform/thread.h"
#include "runtime/blocks/lifter.h"
#include "runtime/trace/restartable.h"
#include "runtime/trace/step_over.h"
#include "runtime/trace/verifier.h"

namespace softlbr {
namespace {

static_assert(SOFTLBR_REG_COUNT == kRegisterSlotCount, "ir.h and machine_context.h describe the same register file");

// Splits the handler's time by what it was spent on.
struct Stopwatch {
  uint64_t begin;
  uint64_t lifting;
  uint64_t arming;
  uint64_t advancing;  // holds the two above
};

SOFTLBR_HANDLER_SAFE uint64_t NextRandom(ThreadSlot* slot) {
  uint64_t x = slot->random_state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return slot->random_state = x;
}

// Between 3/4 and 5/4 of the period, odd, so that sampling cannot lock onto a loop of the program.
SOFTLBR_HANDLER_SAFE uint64_t RandomPeriod(ThreadSlot* slot, uint64_t period) {
  const uint64_t half = period / 2;
  if (half == 0) return period;
  return (period - half / 2 + NextRandom(slot) % half) | 1;
}

SOFTLBR_HANDLER_SAFE void ResumeSampling(TraceEnvironment* environment, ThreadSlot* slot) {
  if (environment->sampling_disabled.load(std::memory_order_relaxed) != 0) return;
  if (environment->is_period_random) {
    (void)platform::SetSamplerPeriod(&slot->sampler, RandomPeriod(slot, environment->period.load(std::memory_order_relaxed)));
  }
  (void)platform::EnableSampler(slot->sampler);
}

SOFTLBR_HANDLER_SAFE void DisarmSlot(ThreadSlot* slot) {
  slot->arm_ticks.store(0, std::memory_order_relaxed);
  slot->step_pc = 0;
  if (slot->breakpoint.is_armed) (void)platform::DisarmBreakpoint(&slot->breakpoint);
}

// Commits the open trace.
SOFTLBR_HANDLER_SAFE void CloseTrace(ThreadSlot* slot, AbortReason reason) {
  if (slot->is_verifying) {
    // It was full when its check began; that the check did not come about says nothing against it.
    if (reason != AbortReason::kNone) Add(slot->counters.verify_unreached, 1);
    reason = AbortReason::kNone;
    slot->is_verifying = false;
  }
  Add(slot->counters.taken_branches, slot->buffer->open_count);
  Add(slot->counters.instructions_evaluated, slot->trace_instructions);
  slot->buffer->CommitTrace(reason);
  slot->is_trace_open = false;
  if (reason == AbortReason::kNone) {
    Add(slot->counters.traces_complete, 1);
    if (slot->trace_hits == 0) Add(slot->counters.traces_without_hit, 1);
  } else {
    Add(slot->counters.traces_aborted[static_cast<uint32_t>(reason)], 1);
  }
}

// Begins a trace of up to `branches`. The buffer has room.
SOFTLBR_HANDLER_SAFE void OpenTrace(ThreadSlot* slot, uint64_t pc, uint32_t branches) {
  slot->buffer->BeginTrace(pc, static_cast<uint32_t>(slot->tid));
  slot->branch_limit = branches;
  slot->trace_instructions = 0;
  slot->is_trace_open = true;
}

SOFTLBR_HANDLER_SAFE void FinishTrace(TraceEnvironment* environment, ThreadSlot* slot, AbortReason reason) {
  DisarmSlot(slot);
  CloseTrace(slot, reason);
  ResumeSampling(environment, slot);
}

SOFTLBR_HANDLER_SAFE void WakeControlThread(TraceEnvironment* environment) {
  environment->filled_signal.fetch_add(1, std::memory_order_release);
  platform::WakeWord(&environment->filled_signal);
}

// A buffer with room for the longest trace of this session, or nothing. One buffer holds traces of one generation of modules:
// the control thread knows by it which modules its addresses can lie in.
SOFTLBR_HANDLER_SAFE bool EnsureRoom(TraceEnvironment* environment, ThreadSlot* slot) {
  const uint32_t generation = environment->module_generation.load(std::memory_order_acquire);
  if (slot->buffer != nullptr) {
    if (slot->buffer->used == 0) slot->buffer->generation = generation;
    if (slot->buffer->generation == generation && slot->buffer->HasRoomFor(environment->entries_per_trace)) return true;
    QueueFilledBuffer(&environment->pool, slot->buffer);
    slot->buffer = nullptr;
    if (AreFreeBuffersFew(environment->pool)) WakeControlThread(environment);
  }
  slot->buffer = TakeFreeBuffer(&environment->pool);
  if (slot->buffer == nullptr) return false;
  slot->buffer->generation = generation;
  return true;
}

// Arms the breakpoint where the path stops, or where the thread will leave the sequence that it stops in; it hits there after
// `passes` others. Returns the reason why not, or kNone.
SOFTLBR_HANDLER_SAFE AbortReason ArmAt(TraceEnvironment* environment, ThreadSlot* slot, uint64_t pc, uint32_t passes) {
  if (slot->breakpoint.fd < 0) return AbortReason::kNoBreakpoint;
  if (environment->sampling_disabled.load(std::memory_order_relaxed) != 0) return AbortReason::kNoBreakpoint;
  if (platform::Ticks() < slot->suspended_until_ticks) return AbortReason::kTrapBlocked;
  if (slot->trace_hits >= kMaxTraceHits) return AbortReason::kRunaway;
  for (uint32_t i = 0; i < environment->forbidden_count; ++i) {
    if (pc >= environment->forbidden[i].begin && pc < environment->forbidden[i].end) return AbortReason::kForbiddenPc;
  }
  if (!platform::IsTrapHandlerInstalled()) {
    environment->sampling_disabled.fetch_or(kDisabledHandlerReplaced, std::memory_order_relaxed);
    return AbortReason::kHandlerReplaced;
  }
  const uint16_t sp_slot = environment->plugin->stack_pointer_slot;
  slot->is_sp_expected = slot->scratch->evaluator.context.known[sp_slot] == kAllKnown;
  slot->expected_sp = slot->scratch->evaluator.context.regs[sp_slot];
  slot->armed_pc = pc;
  slot->passes = passes;
  if (slot->passes > kMaxSkips) return AbortReason::kRunaway;
  if (environment->resolve == ResolvePolicy::kLookahead) KeepPrediction(slot);
  ++slot->arm_generation;
  slot->arm_ticks.store(platform::Ticks() | 1, std::memory_order_relaxed);
  if (platform::ArmBreakpoint(&slot->breakpoint, pc, MakeSigData(slot->index, slot->arm_generation)) != Status::kOk) {
    slot->arm_ticks.store(0, std::memory_order_relaxed);
    return AbortReason::kBreakpointFailed;
  }
  return AbortReason::kNone;
}

SOFTLBR_HANDLER_SAFE AbortReason Arm(TraceEnvironment* environment, ThreadSlot* slot, uint64_t pc) {
  AddressRange sequence;
  const CodeMap* map = environment->code_map.load(std::memory_order_acquire);
  if (FindCriticalSection(*map, environment->learned, slot->scratch, pc, &sequence)) return AbortReason::kRestartable;
  return ArmAt(environment, slot, pc, CountSkips(*slot, pc));
}

// The path is lost in a restartable sequence. What was recorded is one trace; another, of what is left of its length, begins
// where the thread leaves the sequence. True if that could be arranged; the open trace is the new one then.
SOFTLBR_HANDLER_SAFE SOFTLBR_COLD bool RestartAfterCriticalSection(TraceEnvironment* environment, ThreadSlot* slot, uint64_t pc) {
  AddressRange sequence;
  const CodeMap* map = environment->code_map.load(std::memory_order_acquire);
  if (!FindCriticalSection(*map, environment->learned, slot->scratch, pc, &sequence) || sequence.begin == sequence.end)
    return false;
  TraceBuffer* buffer = slot->buffer;
  const uint32_t recorded = buffer->open_count;
  if (!buffer->HasRoomFor(slot->branch_limit + 1)) return false;
  const uint64_t exit = FindCriticalSectionExit(*environment->plugin, environment->decoder, slot->scratch, sequence, pc);
  if (exit == 0) return false;
  uint32_t passes = CountSkips(*slot, exit);
  // The last run as well, which ends here and not at the exit.
  const bool is_first_run = recorded == slot->segment_branch;
  const uint64_t run_begin = is_first_run ? slot->segment_pc : buffer->entries[buffer->used + recorded].branch.to;
  if (exit >= run_begin && exit < pc && !(is_first_run && exit == run_begin)) ++passes;
  if (ArmAt(environment, slot, exit, passes) != AbortReason::kNone) return false;
  ForgetPrediction(slot);  // it is of the place where the path was lost
  CloseTrace(slot, AbortReason::kRestartable);
  OpenTrace(slot, exit, slot->branch_limit - recorded);
  buffer->MarkContinued();
  return true;
}

// A full trace: is it one to be checked? Then the breakpoint is armed at its end and it stays open until the hit.
SOFTLBR_HANDLER_SAFE bool BeginVerification(TraceEnvironment* environment, ThreadSlot* slot, uint64_t end_pc) {
  if (environment->resolve != ResolvePolicy::kLookahead || slot->breakpoint.fd < 0) return false;
  if (slot->trace_serial % environment->verify_every != 0) return false;
  slot->is_verifying = Arm(environment, slot, end_pc) == AbortReason::kNone;
  return slot->is_verifying;
}

// The block to run next, found by the way that leads to it or lifted. kNone on success.
SOFTLBR_HANDLER_SAFE AbortReason GetBlock(TraceEnvironment* environment, ThreadSlot* slot, uint32_t epoch, uint64_t pc,
                                          std::atomic<uint64_t>* link, FoundBlock* found, Stopwatch* watch) {
  Add(slot->counters.block_lookups, 1);
  if (FindBlock(environment->cache, epoch, pc, link, found)) {
    Add(slot->counters.block_hits, 1);
    return AbortReason::kNone;
  }
  const uint64_t begin = platform::Ticks();
  const AbortReason reason = LiftBlock(*environment->plugin, environment->decoder, slot->scratch, pc);
  if (reason != AbortReason::kNone) return reason;
  const softlbr_block* block = &slot->scratch->block;
  Add(slot->counters.instructions_lifted, block->instruction_count);
  const CodeMap* map = environment->code_map.load(std::memory_order_acquire);
  if (IsInRanges(map->code, map->code_count, pc)) {
    (void)InsertBlock(environment->cache, epoch, *block, slot->scratch->code);
  } else if (environment->modules_wanted.load(std::memory_order_relaxed) == 0) {
    environment->modules_wanted.store(1, std::memory_order_relaxed);
    WakeControlThread(environment);
  }
  *found = FoundBlock{ViewOf(*block), 0, nullptr};
  watch->lifting += platform::Ticks() - begin;
  return AbortReason::kNone;
}

// The breakpoint is armed where the thread stands. True if that very execution will not hit.
SOFTLBR_HANDLER_SAFE bool PassOnce(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap, uint64_t next_pc) {
  if constexpr (SOFTLBR_CPU_HAS_RESUME_FLAG != 0) return platform::PassBreakpointOnce(trap.ucontext);
  // Behind a load-exclusive none may stand. What an earlier one had opened was closed by the hit itself.
  softlbr_block* one = &slot->scratch->block;
  constexpr uint32_t kOneInstruction = 4;
  if (environment->plugin->lift(environment->decoder, reinterpret_cast<const uint8_t*>(trap.pc), kOneInstruction, trap.pc, one) !=
          SOFTLBR_DECODER_OK ||
      (one->end.flags & SOFTLBR_END_FLAG_EXCLUSIVE_OPEN) != 0) {
    return false;
  }
  slot->scratch->evaluator.exclusive_left = 0;
  AddressRange sequence;
  const CodeMap* map = environment->code_map.load(std::memory_order_acquire);
  if (FindCriticalSection(*map, environment->learned, slot->scratch, next_pc, &sequence)) return false;
  return BeginStep(slot, trap.sp, next_pc, MakeSigData(slot->index, slot->arm_generation + 1));
}

// Follows the path from trap.pc, where the true state is known. Leaves the trace finished, or open with the breakpoint armed.
SOFTLBR_HANDLER_SAFE void Advance(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap, Stopwatch* watch) {
  if (platform::IsSignalDue(trap.ucontext)) {
    // A handler of the program's runs first, as where the call returns that raised it, and may jump away: a breakpoint where the
    // thread stands tells that it came back. At a hit there is one already, and the thread would pass it.
    if (slot->trace_hits != 0 || Arm(environment, slot, trap.pc) != AbortReason::kNone) {
      FinishTrace(environment, slot, AbortReason::kSignalPending);
    }
    return;
  }
  const uint64_t begin = platform::Ticks();
  const uint32_t epoch = EnterBlockCache(environment->cache);
  const CodeMap* map = environment->code_map.load(std::memory_order_acquire);
  slot->scratch->evaluator.memory.pages.special = &map->special;
  slot->scratch->evaluator.memory.pinned_begin = map->pinned.begin;
  slot->scratch->evaluator.memory.pinned_end = map->pinned.end;
  AbortReason reason = AbortReason::kNone;
  bool is_armed = false;
  uint64_t pc = trap.pc;
  bool is_first = true;
  uint64_t second_pc = 0;  // where the thread is after one instruction
  FoundBlock block;
  std::atomic<uint64_t>* link = nullptr;
  for (;;) {  // each round evaluates at least one instruction, or ends: kMaxTraceInstructions rounds at most
    reason = GetBlock(environment, slot, epoch, pc, link, &block, watch);
    if (reason != AbortReason::kNone) break;
    const BlockExit exit = RunBlock(&slot->scratch->evaluator, block.view, block.first);
    slot->trace_instructions += exit.instructions + 1;
    if constexpr (SOFTLBR_CPU_HAS_RESUME_FLAG == 0) {
      if (is_first) second_pc = PcAfterFirst(block.view, block.first, pc, exit);
    }
    if (exit.outcome == BlockOutcome::kNext) {
      if (exit.is_taken) {
        slot->buffer->Append(exit.branch_pc, exit.next_pc);
        if (slot->buffer->open_count >= slot->branch_limit) {
          const uint64_t arm_begin = platform::Ticks();
          is_armed = BeginVerification(environment, slot, exit.next_pc);
          watch->arming += platform::Ticks() - arm_begin;
          break;
        }
      }
      if (slot->trace_instructions >= kMaxTraceInstructions) {
        reason = AbortReason::kRunaway;
        break;
      }
      pc = exit.next_pc;
      link = block.links != nullptr ? &block.links->successor[exit.is_taken ? 1 : 0] : nullptr;
      is_first = false;
      continue;
    }
    if (exit.outcome == BlockOutcome::kAborted) {
      reason = exit.reason;
      break;
    }
    const uint64_t stop_pc = exit.outcome == BlockOutcome::kUnresolved ? exit.branch_pc : exit.next_pc;
    // The true state of this very instruction did not tell: a breakpoint could only report its next execution.
    if (is_first && exit.outcome == BlockOutcome::kUnresolved && stop_pc == trap.pc) {
      reason = AbortReason::kUnresolvable;
      break;
    }
    if (exit.outcome == BlockOutcome::kSystemCall && environment->resolve == ResolvePolicy::kStatic) {
      reason = AbortReason::kSystemCall;
      break;
    }
    const uint64_t arm_begin = platform::Ticks();
    reason = Arm(environment, slot, stop_pc);
    watch->arming += platform::Ticks() - arm_begin;
    is_armed = reason == AbortReason::kNone ||
               (reason == AbortReason::kRestartable && RestartAfterCriticalSection(environment, slot, stop_pc));
    break;
  }
  LeaveBlockCache(environment->cache, epoch);
  // The path came back to where the thread stands: its first execution there is behind us and must not hit.
  if (is_armed && slot->armed_pc == trap.pc && !PassOnce(environment, slot, trap, second_pc)) {
    is_armed = false;
    reason = slot->is_verifying ? AbortReason::kNone : AbortReason::kForbiddenPc;
  }
  watch->advancing += platform::Ticks() - begin;
  if (!is_armed) FinishTrace(environment, slot, reason);
}

SOFTLBR_HANDLER_SAFE void AdoptFrame(ThreadSlot* slot, const platform::Trap& trap) {
  slot->segment_pc = trap.pc;
  slot->segment_branch = slot->buffer->open_count;
  platform::LoadMachineContext(trap.ucontext, &slot->scratch->evaluator.context);
  AdoptTrueState(&slot->scratch->evaluator, trap.ucontext);
}

// A round that took longer than this and than its instructions explain was interrupted by the scheduler: wall time is not its
// cost. CPU time would say so exactly, for two system calls a round.
constexpr uint64_t kRoundLimitNs = 100000;
constexpr uint64_t kInstructionLimitNs = 60;

// Books the handler's time: evaluation and lifting by themselves, the rest to what brought us here.
SOFTLBR_HANDLER_SAFE void BookTime(ThreadSlot* slot, const Stopwatch& watch, uint64_t& rest) {
  const uint64_t total = platform::Ticks() - watch.begin;
  if (platform::TicksToNs(total) > kRoundLimitNs + kInstructionLimitNs * slot->trace_instructions) {
    Add(slot->counters.untimed_rounds, 1);
    return;
  }
  Add(slot->counters.lifting_ticks, watch.lifting);
  Add(slot->counters.evaluating_ticks, watch.advancing - watch.lifting - watch.arming);
  Add(slot->counters.breakpoint_ticks, watch.arming);
  Add(rest, total > watch.advancing ? total - watch.advancing : 0);
}

// A hit that is let through, on a CPU that would hit again at once: where the next instruction is must be known.
[[maybe_unused]] SOFTLBR_HANDLER_SAFE bool LetThrough(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap,
                                                      Stopwatch* watch) {
  const uint64_t begin = platform::Ticks();
  platform::LoadMachineContext(trap.ucontext, &slot->scratch->evaluator.context);
  AdoptTrueState(&slot->scratch->evaluator, trap.ucontext);
  const uint32_t epoch = EnterBlockCache(environment->cache);
  FoundBlock block;
  bool is_stepping = false;
  if (GetBlock(environment, slot, epoch, trap.pc, nullptr, &block, watch) == AbortReason::kNone) {
    const BlockExit exit = RunBlock(&slot->scratch->evaluator, block.view, block.first);
    is_stepping = PassOnce(environment, slot, trap, PcAfterFirst(block.view, block.first, trap.pc, exit));
  }
  LeaveBlockCache(environment->cache, epoch);
  watch->advancing += platform::Ticks() - begin;
  return is_stepping;
}

SOFTLBR_HANDLER_SAFE bool TakeScratch(TraceEnvironment* environment, ThreadSlot* slot) {
  slot->scratch = TakeScratchState(&environment->scratch_states, environment->resolve, environment->plugin->arch);
  if (slot->scratch == nullptr) return false;
  slot->scratch->evaluator.memory.is_guarded = environment->must_guard.load(std::memory_order_relaxed) != 0;
  return true;
}

SOFTLBR_HANDLER_SAFE void ReturnScratch(TraceEnvironment* environment, ThreadSlot* slot) {
  ReturnScratchState(&environment->scratch_states, slot->scratch);
  slot->scratch = nullptr;
}

}  // namespace

void OnSample(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap) {
  Stopwatch watch{platform::Ticks(), 0, 0, 0};
  if (slot->is_trace_open) {  // queued before the sampler was turned off
    Add(slot->counters.lost[static_cast<uint32_t>(LossReason::kLateSample)], 1);
    return;
  }
  (void)platform::DisableSampler(slot->sampler);
  Add(slot->counters.samples, 1);
  if (!EnsureRoom(environment, slot)) {
    Add(slot->counters.lost[static_cast<uint32_t>(LossReason::kNoFreeBuffer)], 1);
    ResumeSampling(environment, slot);
    return;
  }
  OpenTrace(slot, trap.pc, environment->branches_per_trace);
  slot->is_verifying = false;
  slot->trace_hits = 0;
  ++slot->trace_serial;
  if (TakeScratch(environment, slot)) {
    AdoptFrame(slot, trap);
    Advance(environment, slot, trap, &watch);
    ReturnScratch(environment, slot);
  } else {
    FinishTrace(environment, slot, AbortReason::kNoScratchState);
  }
  BookTime(slot, watch, slot->counters.sampling_ticks);
}

void OnHit(TraceEnvironment* environment, ThreadSlot* slot, const platform::Trap& trap) {
  Stopwatch watch{platform::Ticks(), 0, 0, 0};
  slot->handled_hits.store(slot->handled_hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  Add(slot->is_verifying ? slot->counters.verify_hits : slot->counters.breakpoint_hits, 1);
  if (!slot->is_trace_open || GenerationOfSigData(trap.sig_data) != slot->arm_generation) {
    Add(slot->counters.lost[static_cast<uint32_t>(LossReason::kLateHit)], 1);
    // A kernel that does not carry sig_data through MODIFY would come back here for ever.
    if (slot->is_trace_open) FinishTrace(environment, slot, AbortReason::kPcMismatch);
    return;
  }
  if (!slot->is_verifying) ++slot->trace_hits;
  AbortReason reason = AbortReason::kNone;
  if (trap.is_asynchronous) {
    uint64_t hits = 0;
    if (IsStalled(*slot, &hits)) {
      SuspendBreakpoint(slot, watch.begin);
      slot->handled_hits.store(hits, std::memory_order_relaxed);
    }
    reason = AbortReason::kAsynchronousHit;
  } else if (SOFTLBR_CPU_HAS_RESUME_FLAG == 0 && slot->step_pc != 0) {
    reason = EndStep(slot, trap.pc, trap.sp, MakeSigData(slot->index, slot->arm_generation + 1));
    if (reason == AbortReason::kNone) {
      BookTime(slot, watch, slot->counters.breakpoint_ticks);
      return;
    }
  } else if (trap.pc != slot->armed_pc) {
    reason = LearnFromAbort(&environment->learned, slot->armed_pc, trap.pc) ? AbortReason::kRestartable : AbortReason::kPcMismatch;
  } else if (slot->passes == 0 && slot->is_sp_expected && trap.sp != slot->expected_sp) {
    reason = AbortReason::kStackMismatch;
  }
  if (reason != AbortReason::kNone) {
    FinishTrace(environment, slot, reason);
    return;
  }
  if (slot->passes != 0) {
    --slot->passes;  // stays armed: the next pass hits again
    if constexpr (SOFTLBR_CPU_HAS_RESUME_FLAG == 0) {
      const bool has_scratch = TakeScratch(environment, slot);
      const bool is_passed = has_scratch && LetThrough(environment, slot, trap, &watch);
      if (has_scratch) ReturnScratch(environment, slot);
      if (!is_passed) FinishTrace(environment, slot, has_scratch ? AbortReason::kForbiddenPc : AbortReason::kNoScratchState);
    }
    BookTime(slot, watch, slot->counters.breakpoint_ticks);
    return;
  }
  if (!TakeScratch(environment, slot)) {
    FinishTrace(environment, slot, AbortReason::kNoScratchState);
    return;
  }
  AdoptFrame(slot, trap);
  const bool is_as_predicted = environment->resolve != ResolvePolicy::kLookahead || IsPredictionTrue(*slot);
  if (slot->is_verifying) {
    Add(slot->counters.verify_traces, 1);
    if (!is_as_predicted) Add(slot->counters.verify_mismatches, 1);
    FinishTrace(environment, slot, AbortReason::kNone);
  } else if (!is_as_predicted) {
    FinishTrace(environment, slot, AbortReason::kStateMismatch);
  } else {
    slot->arm_ticks.store(0, std::memory_order_relaxed);
    Advance(environment, slot, trap, &watch);
  }
  ReturnScratch(environment, slot);
  BookTime(slot, watch, slot->counters.breakpoint_ticks);
}

void AbandonTrace(TraceEnvironment* environment, ThreadSlot* slot, AbortReason reason, bool resume_sampling) {
  DisarmSlot(slot);
  if (slot->is_trace_open) CloseTrace(slot, reason);
  if (resume_sampling) ResumeSampling(environment, slot);
}

}  // namespace softlbr
