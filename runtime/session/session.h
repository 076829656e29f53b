// The state of a profiling session, grouped by job. Each group is declared in the header of its job, or in
// watch_state.h if it is a job of the control thread (runtime/watch/).
//
// Who: the thread that starts the session fills it in. Then the control thread owns it, except for what it shares with
//   handlers (environment, handler_stacks, a slot while its handler runs, totals.lost). When the control thread has
//   ended, the thread that stops the session owns it.
// Memory: the beginning of the session's region (session_memory.h), zero at start. At most one session per process.
// Life: StartSession -> RunControlLoop -> StopClaimedSession. A forked child's copy is inert: every entry compares the
// process id.
#ifndef SOFTLBR_RUNTIME_SESSION_SESSION_H_
#define SOFTLBR_RUNTIME_SESSION_SESSION_H_

#include <cstdint>

#include "runtime/counters/session_counters.h"
#include "runtime/session/active_session.h"
#include "runtime/session/calibration.h"
#include "runtime/session/fences.h"
#include "runtime/session/handler_stacks.h"
#include "runtime/session/session_settings.h"
#include "runtime/session/session_totals.h"
#include "runtime/session/timer_wishes.h"
#include "runtime/session/watch_state.h"
#include "runtime/trace/tracer.h"

namespace softlbr {

struct Session {
  const Session* first_seal;  // the session itself
  TraceEnvironment environment;
  HandlerStacks handler_stacks;
  ControlThread control;
  SessionInfo info;
  TrapCosts costs;
  Pacing pacing;
  LookBudget looks;
  uint64_t mapped_bytes;   // size of the region if we mapped it; 0: the app gave it
  uint64_t sink_identity;  // of the file that sink_fd was at start
  int32_t process_id;
  SessionSettings settings;
  ProfileOutput output;
  SessionTotals totals;
  ThreadRegistry threads;
  LateTraps late_traps;
  TimerSampling timers;
  BufferSupply buffers;
  MappedModules modules;
  const Session* last_seal;  // the same
};

// The program may overwrite the session: programs test their memory, or damage it. What is damaged is not used any
// more, and nothing of it is written. Likewise for the aggregator (Aggregator::IsDamaged).
SOFTLBR_HANDLER_SAFE inline bool IsIntact(const Session* session) {
  return session->first_seal == session && session->last_seal == session;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SESSION_H_
