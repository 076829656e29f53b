// What the control thread keeps of its jobs from one look to the next: one struct for each file of runtime/watch/ that
// has a state.
//
// Who: the thread that starts the session fills it in; then the control thread owns it, except for what is atomic.
// Not here: the trap costs (calibration.h), the timers (timer_wishes.h) and the totals (session_totals.h), which
// handlers use, too.
#ifndef SOFTLBR_RUNTIME_SESSION_WATCH_STATE_H_
#define SOFTLBR_RUNTIME_SESSION_WATCH_STATE_H_

#include <atomic>
#include <cstdint>

#include "platform/base/limits.h"
#include "platform/sampler.h"
#include "platform/thread.h"
#include "runtime/modules/code_map.h"
#include "runtime/modules/module_table.h"
#include "runtime/profile/aggregator.h"
#include "runtime/profile/profile_writer.h"
#include "runtime/threads/thread_slot.h"

namespace softlbr {

// Values of ControlThread::is_ready.
inline constexpr uint32_t kControlReady = 1;    // the threads have been scanned once
inline constexpr uint32_t kControlRefused = 2;  // a helper that may not open events, or not lend them, and ends
// a helper lends `trial`, and waits until StartSession says whether it got it
inline constexpr uint32_t kControlLends = 3;

// control_loop.h
struct ControlThread {
  platform::RuntimeThread thread;
  platform::Sampler trial;
  int32_t tid;                     // before Begin: of the thread that starts the session
  std::atomic<uint32_t> is_ready;  // StartSession waits on it
  std::atomic<uint32_t> stop_requested;
  std::atomic<uint32_t> is_complete;  // 0 after its end: a helper that was killed
  std::atomic<uint32_t> is_idle;      // the next sample wakes the control thread
  uint32_t applied_disable_reasons;   // DisableReason bits for which threads have been paused
  uint32_t next_checked;              // position in the block cache (runtime/blocks/patch_check.h)
  uint64_t accounted_ns;              // last account, and the app's CPU time then
  int64_t seen_app_cpu_ns;
  uint64_t period_ns;  // of accounting; 0 before the first one
};

// thread_registry.h
struct ThreadRegistry {
  ThreadSlot* slots;
  std::atomic<uint32_t> slot_count;  // slots that have ever been used; handlers compare their slot number with it
  uint32_t scan_number;
  bool are_events_closed;  // by CloseEvents: no thread gets events
  uint32_t next_counted;   // slot whose switches are counted next
  bool has_threads;        // the last scan met a thread other than the main thread and the control thread
  uint64_t last_scan_ns;
  uint64_t last_birth_ns;  // when a scan last met a new thread other than the main thread
  int64_t seen_count;      // of threads, when last asked for; 0: the next scan is a full one
  uint32_t untraced_count;
  // thread of each slot, 0 if free; a scan searches this array instead of the slots
  int32_t slot_tids[kMaxThreads];
  int32_t untraced_tids[kUntracedTids];  // threads that were counted as untraced, each in the place of its last bits
};

// buffer_drain.h
struct BufferSupply {
  uint8_t* memory;  // of `count` buffers
  uint32_t count;
  uint32_t added;  // those of number [0, added) have joined the pool
};

// module_refresh.h
struct MappedModules {
  CodeMap* code_maps;   // two; the current one is TraceEnvironment::code_map
  ModuleTable* tables;  // two
  uint32_t current;     // table
  // Number of times that the current modules' critical sections were read again, because a module was still being
  // relocated.
  uint32_t critical_section_reads;
  bool lists_critical_sections;  // from the first reading on at which threads may have breakpoints
  uint64_t last_refresh_ns;
  uint64_t last_change_ns;
  // Minimum time between two refreshes that handlers ask for. It doubles each time that a refresh finds nothing new, as
  // in a program that generates code at run time.
  uint64_t wanted_gap_ns;
  MappingWatch mappings;
};

// profile_output.h
struct ProfileOutput {
  Aggregator aggregator;
  ProfileWriter writer;
  uint64_t last_drain_ns;
  uint64_t last_flush_ns;
  uint64_t flush_interval_ns;
  // With SOFTLBR_DENSE_START: samples of the dense part, and the time in user code that they are samples of;
  uint64_t dense_samples;
  uint64_t dense_user_us;
  uint64_t flushed_samples;   // samples at the last flush,
  uint64_t weighted_samples;  // and the same, each as often as it counts
};

// pacing.h
struct Pacing {
  uint64_t samples;  // totals at the last adjustment
  uint64_t cpu_ns;
  uint64_t overhead_ns;  // with the control thread's
  uint64_t control_ns;
  uint64_t recent_samples;  // the last traces, older ones with less weight,
  int64_t recent_ns;        // and the time that they took
  int64_t debt_ns;          // overhead beyond the budget; negative: not used yet
  uint64_t window_samples;  // events that are no clock: since the period was last set
  uint64_t window_cpu_ns;
  int64_t window_user_ns;  // without our handlers'
  uint64_t user_ns;        // totals at the last adjustment: of the process in user code,
  uint64_t evaluating_ns;  // of our handlers there
  uint64_t switching_ns;   // total at the last adjustment
  // cost of the context switches beyond what the rest leaves of the budget; negative: not used yet
  int64_t switch_debt_ns;
  // at most kept for later switches: a quarter of a second's budget, twice that after each closing
  int64_t switch_savings_ns;
  int64_t reopening_debt_ns;  // at which closed events are opened again
};

// look_budget.h: totals at the last look.
struct LookBudget {
  uint64_t seen_ns;
  uint64_t seen_cpu_ns;      // of the app
  uint64_t seen_control_ns;  // of the control thread
  int64_t debt_ns;           // control time beyond the share; negative: not used yet
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_WATCH_STATE_H_
