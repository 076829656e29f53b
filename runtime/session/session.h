// A profiling session: its memory, its threads, its control thread.
//
// Who: softlbr_start and softlbr_stop (api.cc) on an app thread, the control thread in between; handlers come in through
//   DispatchTrap. At most one session per process.
// Memory: one region, laid out once (PlanRegion): Session, block cache, code maps, module tables, aggregation and writer
//   workspace, decoder arena, control stack, then slots and trace buffers per thread. Returned whole at stop.
// Life: StartSession -> (control loop) -> StopSession. A forked child's copy is inert: every entry checks the process id.
#ifndef SOFTLBR_RUNTIME_SESSION_SESSION_H_
#define SOFTLBR_RUNTIME_SESSION_SESSION_H_

#include <atomic>
#include <cstdint>

#include "platform/thread.h"
#include "platform/trap_signal.h"
#include "runtime/counters/session_counters.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/modules/module_table.h"
#include "runtime/profile/aggregator.h"
#include "runtime/profile/profile_writer.h"
#include "runtime/session/calibration.h"
#include "runtime/trace/tracer.h"

namespace softlbr {

// What the options come to after defaults and clamps.
struct SessionSettings {
  softlbr_options options;  // as given
  uint32_t max_threads;
  uint32_t branches_per_trace;
  ResolvePolicy resolve;
  bool keep_traces;
  bool keep_paths;
};

// Offsets into the region; the last is its size.
struct RegionPlan {
  uint64_t cache;
  uint64_t cache_store;
  uint64_t code_maps;
  uint64_t module_tables;
  uint64_t aggregator;
  uint64_t writer;
  uint64_t arena;
  uint64_t control_stack;
  uint64_t scratch_states;
  uint64_t stacks;
  uint64_t slots;
  uint64_t buffers;
  uint64_t bytes;
};

struct Session {
  SessionSettings settings;
  RegionPlan plan;
  void* region;
  bool is_region_ours;
  int32_t process_id;
  int32_t control_tid;

  TraceEnvironment environment;
  std::atomic<uint32_t> busy_stacks;  // one bit each
  uint8_t* stacks;                    // kHandlerStacks
  ThreadSlot* slots;
  uint8_t* buffers;                  // two per slot, put into the pool when the slot is first used; then the spare ones
  std::atomic<uint32_t> slot_count;  // slots ever used; handlers check against it
  int32_t slot_tids[kMaxThreads];    // of each slot, 0 if free: what a scan searches
  uint32_t scan_number;
  bool has_threads;  // beside the main thread and ours, at the last scan
  uint64_t last_scan_ns;
  uint64_t last_pid_seen;  // the kernel's newest process id at the last scan
  int32_t untraced[kMaxUntracedThreads];
  uint32_t untraced_count;

  CodeMap* code_maps;    // two; the published one is environment.code_map
  ModuleTable* modules;  // two; the current one is modules[current_modules]
  uint32_t current_modules;
  uint32_t critical_section_reads;  // at the same modules, for what was being relocated
  uint32_t next_checked;            // of the block cache (code_check.h)
  uint64_t last_refresh_ns;
  uint64_t last_fold_ns;
  uint64_t last_change_ns;  // of the modules
  MappingWatch mappings;
  uint64_t wanted_gap_ns;  // between two readings that handlers ask for: grows while they find nothing (code made at run time)

  uint64_t sink_identity;  // of the file that sink_fd was at start
  Aggregator aggregator;
  ProfileWriter writer;
  SessionInfo info;
  uint64_t threads_traced;
  uint64_t lost[kLossReasonCount];  // what no slot counts
  TrapCosts costs;                  // the kernel's part of a trap
  uint64_t start_ns;
  uint64_t start_cpu_ns;
  uint64_t last_flush_ns;
  uint64_t flush_interval_ns;
  uint64_t adjusted_samples;  // totals at the last adjustment of the period
  uint64_t adjusted_cpu_ns;
  uint64_t adjusted_overhead_ns;

  platform::RuntimeThread thread;
  uint32_t applied_disable_reasons;  // DisableReason bits that threads have been paused for
  std::atomic<uint32_t> is_ready;    // control thread: the first scan is done
  std::atomic<uint32_t> stop_requested;
  std::atomic<uint32_t> sink_failures;
};

// Layout for these settings.
RegionPlan PlanRegion(const SessionSettings& settings);
// Fills in defaults; kInvalidArgument if an option is out of range.
Status ResolveSettings(const softlbr_options& options, SessionSettings* settings);

// Starts a session; on failure nothing is left behind. *system_error: errno of the refusal, 0 if none.
Status StartSession(const SessionSettings& settings, const softlbr_decoder_plugin* plugin, int* system_error);
Status StopSession();
// The session of this process, or nullptr (none, or we are a forked child).
Session* CurrentSession();

// (Re)starts the profile writer with session->info as it is now. Before its first frame.
Status InitWriter(Session* session);
// Totals so far, all threads.
void CollectCounters(const Session& session, SessionCounters* counters);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SESSION_H_
