#include "runtime/session/profile_output.h"

#include "runtime/session/profile_sink.h"
#include "runtime/session/session.h"
#include "runtime/session/session_memory.h"

namespace softlbr {
namespace {

void CollectForWriter(Session* session, SessionCounters* counters) {
  CollectCounters(*session, counters);
  // The writer counts this loss itself and adds its own count.
  counters->lost[static_cast<uint32_t>(LossReason::kSinkFailed)] = 0;
}

}  // namespace

Status InitWriter(Session* session) {
  return session->output.writer.Init(MemoryOf(session)->writer, ProfileWriter::WorkspaceBytes(), WriteToSink, session,
                                     session->info, ProcessLabels());
}

void BeginProfile(Session* session) {
  ProfileOutput& output = session->output;
  output.last_flush_ns = session->totals.start_ns;
  constexpr uint64_t kFirstFlushNs = kDrainIntervalNs;  // early, because a program may end by a raw system call
  output.flush_interval_ns = kFirstFlushNs;
  (void)InitWriter(session);  // again, with the result of the self-test. It cannot fail, as it succeeded at start
  output.writer.WriteSessionStart();
}

void Flush(Session* session, uint64_t now_ns) {
  ProfileOutput& output = session->output;
  output.last_flush_ns = now_ns;
  if (output.aggregator.IsEmpty()) return;
  SessionCounters counters;
  CollectForWriter(session, &counters);
  output.writer.WriteCounts(&output.aggregator, CurrentModules(session->modules), counters);
}

void FlushIfDue(Session* session, uint64_t now_ns) {
  ProfileOutput& output = session->output;
  if (now_ns - output.last_flush_ns < output.flush_interval_ns) return;
  // The interval doubles, so that a long session writes few frames and its file stays small.
  constexpr uint64_t kLongestFlushNs = 30000000000;
  if (output.flush_interval_ns < kLongestFlushNs) output.flush_interval_ns *= 2;
  DrainBuffers(session, now_ns);
  Flush(session, now_ns);
}

void EndProfile(Session* session) {
  SessionCounters counters;
  CollectForWriter(session, &counters);
  session->output.writer.WriteEnd(session->output.aggregator, counters);
}

}  // namespace softlbr
