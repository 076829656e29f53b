// Everything the runtime keeps for one traced thread.
//
// Memory: one per thread in the session's region (kMaxThreads bound by the option), all zero when free.
// Who: while `owner` is kHandler only the thread itself, in its SIGTRAP handler; while kControl only the control thread;
//   while kIdle nobody but the two compare-and-swaps. Counters are written by the owner and read by anyone (relaxed).
#ifndef SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_
#define SOFTLBR_RUNTIME_THREADS_THREAD_SLOT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/reasons.h"
#include "platform/breakpoint.h"
#include "platform/sampler.h"
#include "runtime/counters/session_counters.h"
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

// Totals of one thread; only its owner writes, with plain read-modify-write of relaxed atomics.
// In the order of SessionCounters from `samples` on, so that they are added up as arrays (SumsOf); overheads are in ticks.
struct SlotCounters {
  using Counter = std::atomic<uint64_t>;
  Counter samples;
  Counter traces_complete;
  Counter traces_aborted[kAbortReasonCount];
  Counter taken_branches;
  Counter breakpoint_hits;
  Counter traces_without_hit;
  Counter instructions_evaluated;
  Counter instructions_lifted;
  Counter block_lookups;
  Counter block_hits;
  Counter sampling_ticks;  // handler time of samples, without evaluating and lifting
  Counter evaluating_ticks;
  Counter lifting_ticks;
  Counter breakpoint_ticks;  // handler time of hits and of arming, without evaluating and lifting
  Counter untimed;           // rounds left out of the four above: the thread was switched out meanwhile (overhead_total_ns)
  Counter reserved;          // app_cpu_ns
  Counter verify_traces;
  Counter verify_mismatches;
  Counter verify_hits;
  Counter verify_unreached;
  Counter lost[kLossReasonCount];
};
inline constexpr uint32_t kSlotCounterCount = sizeof(SlotCounters) / sizeof(SlotCounters::Counter);
constexpr uint64_t PlaceInSum(uint64_t field) { return field - offsetof(SessionCounters, samples); }
static_assert(PlaceInSum(sizeof(SessionCounters)) == sizeof(SlotCounters) &&
                  PlaceInSum(offsetof(SessionCounters, lost)) == offsetof(SlotCounters, lost) &&
                  PlaceInSum(offsetof(SessionCounters, block_hits)) == offsetof(SlotCounters, block_hits) &&
                  PlaceInSum(offsetof(SessionCounters, overhead_breakpoints_ns)) == offsetof(SlotCounters, breakpoint_ticks) &&
                  PlaceInSum(offsetof(SessionCounters, verify_traces)) == offsetof(SlotCounters, verify_traces),
              "SlotCounters and SessionCounters are added up field by field");

// Totals of a session: others read them meanwhile (softlbr_get_counters). Two that add at once may lose one of the two.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void AddTo(uint64_t* total, uint64_t amount) {
  __atomic_store_n(total, __atomic_load_n(total, __ATOMIC_RELAXED) + amount, __ATOMIC_RELAXED);
}

// Adds `from` to `to`; then, if they are given up, from = 0.
inline void AddUp(SlotCounters* from, bool is_given_up, SessionCounters* to) {
  auto* counters = reinterpret_cast<SlotCounters::Counter*>(from);
  auto* sums = reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(to) + offsetof(SessionCounters, samples));
  for (uint32_t i = 0; i < kSlotCounterCount; ++i) {
    AddTo(&sums[i], counters[i].load(std::memory_order_relaxed));
    if (is_given_up) counters[i].store(0, std::memory_order_relaxed);
  }
}

SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void Add(SlotCounters::Counter& counter, uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

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
