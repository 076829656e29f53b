#include "runtime/session/session_totals.h"

#include "platform/thread.h"
#include "platform/thread_list.h"
#include "runtime/session/session.h"

namespace softlbr {

void CountLoss(Session* session, LossReason reason) {
  session->totals.lost[static_cast<uint32_t>(reason)].fetch_add(1, std::memory_order_relaxed);
}

void CollectCounters(const Session& session, SessionCounters* counters) {
  const auto* closed = reinterpret_cast<const uint64_t*>(&session.totals.closed);
  auto* sums = reinterpret_cast<uint64_t*>(counters);
  for (uint64_t i = 0; i < sizeof *counters / sizeof *sums; ++i) sums[i] = __atomic_load_n(&closed[i], __ATOMIC_RELAXED);
  const uint32_t used = session.threads.slot_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; ++i) AddUp(&session.threads.slots[i].counters, false, counters);
  for (uint32_t i = 0; i < kLossReasonCount; ++i) counters->lost[i] += session.totals.lost[i].load(std::memory_order_relaxed);
  const uint64_t untimed = counters->overhead_total_ns;
  // Ticks to time; rounds that were not timed because the thread was switched out inside count as the others' mean; and the
  // kernel's part of each trap, as measured at start.
  const uint64_t hits = counters->breakpoint_hits + counters->verify_hits;
  const uint64_t traps = counters->samples + hits;
  const uint64_t timed = traps > untimed ? traps - untimed : 1;
  auto to_ns = [traps, timed](uint64_t ticks) { return platform::TicksToNs(ticks) / timed * (traps > timed ? traps : timed); };
  counters->overhead_sampling_ns = to_ns(counters->overhead_sampling_ns) + counters->samples * session.costs.sample_ns;
  counters->overhead_evaluating_ns = to_ns(counters->overhead_evaluating_ns);
  counters->overhead_lifting_ns = to_ns(counters->overhead_lifting_ns);
  counters->overhead_breakpoints_ns = to_ns(counters->overhead_breakpoints_ns) + hits * session.costs.hit_ns;
  counters->overhead_total_ns = counters->overhead_sampling_ns + counters->overhead_evaluating_ns + counters->overhead_lifting_ns +
                                counters->overhead_breakpoints_ns;
  counters->threads_untraced = session.threads.untraced_count;
  counters->duration_ns = platform::MonotonicNs() - session.totals.start_ns;
  counters->app_cpu_ns = platform::ProcessCpuTimeNs() - session.totals.start_cpu_ns;
}

}  // namespace softlbr
