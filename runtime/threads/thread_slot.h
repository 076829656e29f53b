// Everything the runtime keeps for one traced thread.
//
// Writer: the owner. kHandler: the thread itself, in its SIGTRAP handler. kControl: the control thread. kIdle: nobody;
//   either may take ownership (TakeOwnership). Nobody waits for ownership: a caller that does not get it gives up.
// Reader: the owner; of counters and other atomics anyone, relaxed.
// Memory: option max_threads slots (at most kMaxThreads) in the session's region. All zero before the first use. The
//   slot of a thread that has ended is reused.
// Full: a thread for which no slot is left is untraced and counted (thread_table_full).
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

// What the slot's thread, or another one of the app, asks the control thread to do.
enum SlotRequest : uint32_t {
  kEndTraceForMe = 1,     // the thread could not turn its events off or on
  kGiveBreakpointUp = 2,  // the app wants the debug register
};

// False: another owner has the slot.
SOFTLBR_HANDLER_SAFE inline bool TakeOwnership(std::atomic<SlotOwner>* owner, SlotOwner whose) {
  SlotOwner expected = SlotOwner::kIdle;
  return owner->compare_exchange_strong(expected, whose, std::memory_order_seq_cst);
}

// The general register slots and flags that look-ahead predicts for the hit.
struct PredictedState {
  uint64_t regs[SOFTLBR_GENERAL_SLOTS];
  uint8_t known[SOFTLBR_GENERAL_SLOTS];
  uint8_t flags;
  uint8_t flags_known;
};

// Invariants (owner's view):
//   I1  is_trace_open implies buffer != nullptr and an open trace in it; outside the handler, the sampler is off, if it
//       can be reached. I2 breakpoint.is_armed implies is_trace_open.
//   I3  a hit counts only if its sig_data carries arm_generation and its pc is armed_pc (step_pc, if that is not 0).
struct alignas(64) ThreadSlot {
  std::atomic<SlotState> state;
  std::atomic<SlotOwner> owner;
  int32_t tid;
  uint32_t index;
  uint32_t seen_at_scan;     // control: number of the last scan that found the thread
  uint64_t watched_samples;  // control: the sample count after its last observed change,
  int64_t watched_cpu_ns;    // and the thread's CPU time at that moment
  bool is_trap_blocked;      // control: the thread blocks SIGTRAP, so its sampler is off (StopBlockedThreads)
  // control: how often the thread had been switched in when that was last read; 0: never read
  uint64_t seen_switches;
  uint64_t counted_cpu_ns;  // control: its CPU time then

  // Its CPU timer (runtime/watch/timer_sampling.h).
  bool uses_timer;                  // the sampler is the timer, or will be once that exists
  std::atomic<int32_t> timer_wish;  // control: the thread that is to have a timer; 0: none
  // the thread that has one; 0: none. This and `timer`: the thread that fulfils wishes
  std::atomic<int32_t> timer_tid;
  platform::Sampler timer;

  std::atomic<uint32_t> requests;  // SlotRequest bits; the control thread clears them

  platform::Sampler sampler;
  platform::Breakpoint breakpoint;
  TraceBuffer* buffer;  // nullptr: no trace is open

  // The open trace.
  bool is_sampler_on;
  bool has_stayed_on;  // the sampler was on while the last sample was handled
  bool is_trace_open;
  bool is_sp_expected;      // expected_sp is known
  bool is_verifying;        // the trace is full: the breakpoint is armed at its end to compare prediction and truth
  uint32_t arm_generation;  // incremented at every arming
  uint32_t trace_hits;
  uint32_t trace_instructions;
  uint32_t branch_limit;            // the trace is full with this many branches
  uint64_t trace_serial;            // number of the trace; one in verify_every is verified
  std::atomic<uint64_t> arm_ticks;  // when the breakpoint was armed; 0 if it is not. Read by the control thread
  uint64_t suspended_until_ticks;   // no breakpoint is armed before this time (arming.h, stalls)
  uint64_t armed_pc;                // stays after the breakpoint is disarmed: a hit may be delivered late
  // the path falls through to armed_pc: the byte before belongs to an instruction of the path
  bool is_armed_inside;
  uint32_t unmarked_in_a_row;  // hits without their mark since the last one with it; the thread's handler only
  uint64_t step_pc;  // while the thread steps over armed_pc the breakpoint is armed here instead (arming.h); 0: no step
  uint64_t step_sp;  // stack pointer when the step began
  uint64_t expected_sp;
  uint64_t segment_pc;      // where the true state was last known,
  uint32_t segment_branch;  // and the number of branches recorded by then
  uint32_t skip_count;      // hits at armed_pc before the one that counts (arming.h)
  // hits that reached our handler since the breakpoint was opened, also those dropped
  std::atomic<uint64_t> handled_hits;
  uint64_t seen_hits;  // handled_hits at the last hit that was not dropped
  uint64_t random_state;

  SlotCounters counters;
  PredictedState predicted;
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_
