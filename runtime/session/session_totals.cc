#include "runtime/session/session_totals.h"

#include "platform/thread.h"
#include "platform/thread_list.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

// A clock of the process, or what was seen of it: it reads 0 once the host is gone.
uint64_t Later(uint64_t now_ns, const std::atomic<uint64_t>& seen_ns) {
  const uint64_t seen = seen_ns.load(std::memory_order_relaxed);
  return now_ns > seen ? now_ns : seen;
}

}  // namespace

void CountLoss(Session* session, LossReason reason) {
  session->totals.lost[static_cast<uint32_t>(reason)].fetch_add(1, std::memory_order_relaxed);
}

void NoteControlTime(Session* session) {
  __atomic_store_n(&session->totals.control_cpu_ns, platform::ThreadCpuTimeNs(0), __ATOMIC_RELAXED);
}

void CollectCounters(const Session& session, SessionCounters* counters) {
  SlotCounters sums{};
  const uint32_t used = session.threads.slot_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; ++i) AddSlot(session.threads.slots[i].counters, &sums);
  for (uint32_t i = 0; i < kLossReasonCount; ++i)
    sums.lost[i] += session.totals.lost[i].load(std::memory_order_relaxed);
  static_cast<HandlerCounters&>(*counters) = sums;
  // The kernel's part of each trap is added as measured at start.
  const uint64_t hits = sums.breakpoint_hits + sums.verify_hits;
  counters->overhead_sampling_ns =
      platform::TicksToNs(sums.sampling_ticks) + sums.samples * CounterValue(session.costs.sample_ns);
  counters->overhead_evaluating_ns = platform::TicksToNs(sums.evaluating_ticks) + sums.limited_ns;
  counters->overhead_lifting_ns = platform::TicksToNs(sums.lifting_ticks);
  counters->overhead_breakpoints_ns =
      platform::TicksToNs(sums.breakpoint_ticks) + hits * CounterValue(session.costs.hit_ns);
  counters->overhead_control_ns = CounterValue(session.totals.control_cpu_ns);
  counters->overhead_switching_ns = CounterValue(session.totals.switching_ns);
  counters->timer_cpu_ns = CounterValue(session.totals.timer_cpu_ns);
  counters->paused_cpu_ns = CounterValue(session.totals.paused_cpu_ns);
  counters->overhead_total_ns = counters->overhead_sampling_ns + counters->overhead_evaluating_ns +
                                counters->overhead_lifting_ns + counters->overhead_breakpoints_ns +
                                counters->overhead_control_ns + counters->overhead_switching_ns;
  counters->unmarked_hits = session.totals.unmarked_hits.load(std::memory_order_relaxed);
  counters->threads_traced = CounterValue(session.totals.threads_traced);
  counters->threads_untraced = session.threads.untraced_count;
  counters->duration_ns = platform::MonotonicNs() - session.totals.start_ns;
  counters->app_cpu_ns = Later(platform::ProcessCpuTimeNs(), session.totals.seen_cpu_ns) - session.totals.start_cpu_ns;
  // The kernel counts the time in user code by ticks, so for a short time it may exceed the CPU time.
  const uint64_t user_ns =
      Later(platform::ProcessUserTimeNs(), session.totals.seen_user_ns) - session.totals.start_user_ns;
  counters->kernel_cpu_ns = counters->app_cpu_ns > user_ns ? counters->app_cpu_ns - user_ns : 0;
}

}  // namespace softlbr
