#include "runtime/watch/profile_output.h"

#include <cstring>

#include "platform/file.h"
#include "runtime/session/session.h"
#include "runtime/session/session_hooks.h"
#include "runtime/session/session_memory.h"
#include "runtime/watch/buffer_drain.h"
#include "runtime/watch/module_refresh.h"

namespace softlbr {
namespace {

// The profile writer's sink: the app's callback or its file. cookie: the Session. 0 if the bytes were taken; a frame
// that is refused counts as lost.sink_failed, and the stop returns kSinkFailed. If the app has closed the descriptor
// and opened another file under the same number, nothing is written to that file.
int WriteToSink(void* cookie, const void* bytes, size_t size) {
  auto* session = static_cast<Session*>(cookie);
  const softlbr_options& options = session->settings.options;
  const auto write_to_file = [&] {
    return platform::FileIdentity(options.sink_fd) == session->sink_identity &&
           g_session_hooks.write_frame(options.sink_fd, bytes, size) == Status::kOk;
  };
  const bool is_taken = options.sink != nullptr ? options.sink(options.sink_cookie, bytes, size) == 0 : write_to_file();
  if (!is_taken) CountLoss(session, LossReason::kSinkFailed);
  return is_taken ? 0 : 1;
}

// False: the program has overwritten what was counted. Then the counters are 0 but for this loss, and the session ends.
bool CollectForWriter(Session* session, SessionCounters* counters) {
  constexpr uint32_t kMostBits = 48;  // years of recording
  CollectCounters(*session, counters);
  std::atomic<uint64_t>& damaged = session->totals.lost[static_cast<uint32_t>(LossReason::kMemoryDamaged)];
  if ((counters->samples | counters->taken_branches) >> kMostBits != 0 || session->output.aggregator.IsDamaged()) {
    damaged.store(1, std::memory_order_relaxed);
    session->control.stop_requested.store(1, std::memory_order_release);
  }
  // The writer counts this loss itself and adds its own count.
  counters->lost[static_cast<uint32_t>(LossReason::kSinkFailed)] = 0;
  if (SOFTLBR_LIKELY(damaged.load(std::memory_order_relaxed) == 0)) return true;
  session->output.aggregator.Clear();
  memset(static_cast<void*>(counters), 0, sizeof *counters);
  counters->lost[static_cast<uint32_t>(LossReason::kMemoryDamaged)] = 1;
  return false;
}

// How often each count since the last flush is to count.
uint64_t NextWeight(Session* session, const SessionCounters& now) {
  if (!session->settings.is_budget_falling) return 1;
  ProfileOutput& output = session->output;
  const uint64_t user_us = (now.app_cpu_ns - now.kernel_cpu_ns) / 1000;
  const uint64_t samples = now.samples - output.flushed_samples;
  output.flushed_samples = now.samples;
  uint64_t weight = 1;
  if (session->settings.budget_ppm == kDenseMaxOverheadPpm) {
    output.dense_samples = now.samples;
    output.dense_user_us = user_us;
  } else if (samples != 0 && output.dense_user_us != 0) {
    const uint64_t due = user_us * output.dense_samples / output.dense_user_us;
    if (due >= output.weighted_samples + 2 * samples) weight = (due - output.weighted_samples) / samples;
  }
  output.weighted_samples += samples * weight;
  return weight;
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
  if (!CollectForWriter(session, &counters)) return;
  output.writer.WriteCounts(&output.aggregator, CurrentModules(session->modules), counters,
                            NextWeight(session, counters));
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
  (void)CollectForWriter(session, &counters);
  session->output.writer.WriteEnd(session->output.aggregator, counters);
}

}  // namespace softlbr
