#include "runtime/session/session_totals.h"

#include "platform/thread.h"
#include "platform/thread_list.h"
#include "runtime/session/session.h"

namespace softlbr {

void CountLoss(Session* session, LossReason reason) {
  session->totals.lost[static_cast<uint32_t>(reason)].fetch_add(1, std::memory_order_relaxed);
}

void CollectCounters(const Session& session, SessionCounters* counters) {
  SlotCounters sums{};
  const uint32_t used = session.threads.slot_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; ++i) AddSlot(session.threads.slots[i].counters, &sums);
  for (uint32_t i = 0; i < kLossReasonCount; ++i) sums.lost[i] += session.totals.lost[i].load(std::memory_order_relaxed);
  static_cast<HandlerCounters&>(*counters) = sums;
  // Ticks to time. A handler run during which the thread was preempted has no time of its own; it counts as the mean of the
  // others. The kernel's part of each trap is added as measured at start.
  const uint64_t hits = sums.breakpoint_hits + sums.verify_hits;
  const uint64_t traps = sums.samples + hits;
  const uint64_t timed = traps > sums.untimed_rounds ? traps - sums.untimed_rounds : 1;
  auto to_ns = [traps, timed](uint64_t ticks) { return platform::TicksToNs(ticks) / timed * (traps > timed ? traps : timed); };
  counters->overhead_sampling_ns = to_ns(sums.sampling_ticks) + sums.samples * session.costs.sample_ns;
  counters->overhead_evaluating_ns = to_ns(sums.evaluating_ticks);
  counters->overhead_lifting_ns = to_ns(sums.lifting_ticks);
  counters->overhead_breakpoints_ns = to_ns(sums.breakpoint_ticks) + hits * session.costs.hit_ns;
  counters->overhead_total_ns = counters->overhead_sampling_ns + counters->overhead_evaluating_ns + counters->overhead_lifting_ns +
                                counters->overhead_breakpoints_ns;
  counters->threads_traced = CounterValue(session.totals.threads_traced);
  counters->threads_untraced = session.threads.untraced_count;
  counters->duration_ns = platform::MonotonicNs() - session.totals.start_ns;
  counters->app_cpu_ns = platform::ProcessCpuTimeNs() - session.totals.start_cpu_ns;
}

}  // namespace softlbr
