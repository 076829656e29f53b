// Everything the runtime keeps for one traced thread.
//
// Memory: one per thread in the session's region (kMaxThreads bound by the option), all zero before its first use.
// Who: while `owner` is kHandler only the thread itself, in its SIGTRAP handler; while kControl only the control thread;
//   while kIdle nobody but the two compare-and-swaps. Anyone may read the counters (slot_counters.h).
#ifndef SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_
#define SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/reasons.h"
#include "platform/breakpoint.h"
#include "platform/sampler.h"
#include "runtime/counters/slot_counters.h"
#include "runtime/lookahead/scratch_state.h"
#include "runtime/threads/trace_buffer.h"

namespace softlbr {

enum class SlotState : uint32_t {
  kFree = 0,
  kLive = 1,  // has a sampler; its thread may be in the handler at any time
};

enum class SlotOwner : uint32_t {
  kIdle = 0,
  kHandler = 1,
  kControl = 2,
};

// False: somebody else has it.
SOFTLBR_HANDLER_SAFE inline bool TakeOwnership(std::atomic<SlotOwner>* owner, SlotOwner whose) {
  SlotOwner expected = SlotOwner::kIdle;
  return owner->compare_exchange_strong(expected, whose, std::memory_order_seq_cst);
}

// What look-ahead says the general register slots and flags will hold where the breakpoint is armed.
struct PredictedState {
  uint64_t regs[SOFTLBR_GENERAL_CELLS];
  uint8_t known[SOFTLBR_GENERAL_CELLS];
  uint8_t flags;
  uint8_t flags_known;
};

// Invariants (owner's view):
//   I1  is_trace_open implies buffer != nullptr and an open trace in it; the sampler is off.
//   I2  breakpoint.is_armed implies is_trace_open.
//   I3  a hit counts only if its sig_data carries arm_generation and its pc is armed_pc.
struct alignas(64) ThreadSlot {
  std::atomic<SlotState> state;
  std::atomic<SlotOwner> owner;
  int32_t tid;
  uint32_t index;
  uint32_t seen_at_scan;     // control: number of the last scan that met the thread
  uint64_t watched_samples;  // control: when the thread last gave a sample,
  int64_t watched_cpu_ns;    // and how much CPU time it had used by then

  platform::Sampler sampler;
  platform::Breakpoint breakpoint;
  TraceBuffer* buffer;  // null: none was free

  // The open trace.
  bool is_trace_open;
  bool is_sp_expected;      // expected_sp is known
  bool is_verifying;        // the breakpoint is armed to compare prediction and truth
  uint32_t arm_generation;  // grows at every arming
  uint32_t trace_hits;
  uint32_t trace_instructions;
  uint32_t branch_limit;            // the trace is full at so many
  uint64_t trace_serial;            // grows at every trace; lets the watchdog tell an old one
  std::atomic<uint64_t> arm_ticks;  // when the breakpoint was last armed; 0: not armed. Read by the watchdog.
  uint64_t suspended_until_ticks;   // no breakpoint before that
  uint64_t armed_pc;
  uint64_t step_pc;  // armed in its place until the thread is off armed_pc (step_over.h); 0: no such step
  uint64_t step_sp;
  uint64_t expected_sp;
  uint64_t segment_pc;                 // where the true state was last known, and
  uint32_t segment_branch;             // how many branches were recorded by then
  uint32_t passes;                     // hits of armed_pc still to be let through: the path comes by before it stops there
  std::atomic<uint64_t> handled_hits;  // of this breakpoint, since it was opened
  uint64_t random_state;

  SlotCounters counters;
  PredictedState predicted;
  ScratchState* scratch;  // while in the handler
};

// True if the thread has gone over its breakpoint with SIGTRAP blocked, again and again. One hit more than handled is no sign of
// it: its signal may be on the way, to a thread that has been preempted. *hits: counted by the kernel.
SOFTLBR_HANDLER_SAFE inline bool IsStalled(const ThreadSlot& slot, uint64_t* hits) {
  // If the app has closed the descriptor, the number may be a file of its own by now, and read() would take from it.
  return platform::IsBreakpointOurs(slot.breakpoint) && platform::CountBreakpointHits(slot.breakpoint, hits) == Status::kOk &&
         *hits > slot.handled_hits.load(std::memory_order_relaxed) + 1;
}

// The thread has blocked SIGTRAP over its breakpoint since it was armed, and every pass of it cost a trap: none is armed for so
// much longer that this costs the thread 1 / kStallSuspendFactor of its time at most.
SOFTLBR_HANDLER_SAFE inline void SuspendBreakpoint(ThreadSlot* slot, uint64_t now_ticks) {
  const uint64_t armed_at = slot->arm_ticks.load(std::memory_order_relaxed);
  if (armed_at != 0 && armed_at < now_ticks) slot->suspended_until_ticks = now_ticks + (now_ticks - armed_at) * kStallSuspendFactor;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_
