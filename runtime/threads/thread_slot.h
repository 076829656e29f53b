// Everything the runtime keeps for one traced thread.
//
// Writer: the owner. While `owner` is kHandler that is the thread itself, in its SIGTRAP handler; while kControl, the control
//   thread; while kIdle nobody, but either may take ownership (TakeOwnership). Nobody waits for it: who does not get it leaves.
// Reader: the owner; counters and other atomics anyone, relaxed.
// Memory: one for each thread in the session's region, as many as the option max_threads says, at most kMaxThreads. All zero
//   before its first use. A slot whose thread has ended is used again.
// Full: a thread beyond them is untraced and counted (thread_table_full).
#ifndef SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_
#define SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/reasons.h"
#include "platform/breakpoint.h"
#include "platform/sampler.h"
#include "runtime/counters/slot_counters.h"
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

// False: another owner has the slot.
SOFTLBR_HANDLER_SAFE inline bool TakeOwnership(std::atomic<SlotOwner>* owner, SlotOwner whose) {
  SlotOwner expected = SlotOwner::kIdle;
  return owner->compare_exchange_strong(expected, whose, std::memory_order_seq_cst);
}

// What look-ahead predicts for the hit: general register slots and flags.
struct PredictedState {
  uint64_t regs[SOFTLBR_GENERAL_CELLS];
  uint8_t known[SOFTLBR_GENERAL_CELLS];
  uint8_t flags;
  uint8_t flags_known;
};

// Invariants (owner's view):
//   I1  is_trace_open implies buffer != nullptr and an open trace in it; the sampler is off.
//   I2  breakpoint.is_armed implies is_trace_open.
//   I3  a hit counts only if its sig_data carries arm_generation and its pc is armed_pc, or step_pc while that is not 0.
struct alignas(64) ThreadSlot {
  std::atomic<SlotState> state;
  std::atomic<SlotOwner> owner;
  int32_t tid;
  uint32_t index;
  uint32_t seen_at_scan;     // control: number of the last scan that met the thread
  uint64_t watched_samples;  // control: how many samples the thread had given when it last gave one,
  int64_t watched_cpu_ns;    // and how much CPU time it had used by then

  platform::Sampler sampler;
  platform::Breakpoint breakpoint;
  TraceBuffer* buffer;  // nullptr: none was free

  // The open trace.
  bool is_trace_open;
  bool is_sp_expected;      // expected_sp is known
  bool is_verifying;        // the trace is full: the breakpoint is armed at its end to compare prediction and truth
  uint32_t arm_generation;  // grows at every arming
  uint32_t trace_hits;
  uint32_t trace_instructions;
  uint32_t branch_limit;            // the trace is full at so many branches
  uint64_t trace_serial;            // number of the trace; one in verify_every is verified
  std::atomic<uint64_t> arm_ticks;  // when the breakpoint was last armed; 0: it is not. Read by the control thread
  uint64_t suspended_until_ticks;   // the breakpoint is not armed before that (arming.h, stalls)
  uint64_t armed_pc;
  uint64_t step_pc;  // while the thread steps over armed_pc the breakpoint is armed here instead (arming.h); 0: no step
  uint64_t step_sp;  // stack pointer when the step began
  uint64_t expected_sp;
  uint64_t segment_pc;                 // where the true state was last known, and
  uint32_t segment_branch;             // how many branches were recorded by then
  uint32_t skip_count;                 // hits at armed_pc that come before the one that counts (arming.h)
  std::atomic<uint64_t> handled_hits;  // of this breakpoint, since it was opened
  uint64_t random_state;

  SlotCounters counters;
  PredictedState predicted;
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_
