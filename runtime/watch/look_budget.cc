#include "runtime/watch/look_budget.h"

#include "platform/base/limits.h"
#include "platform/thread_list.h"
#include "runtime/session/session.h"

namespace softlbr {
namespace {

constexpr uint64_t kShare = 5;  // of the budget

int64_t SavingsOf(const Session& session) { return int64_t{session.settings.budget_ppm} * 1000 / 20; }

// The control time that so much CPU time of the app pays.
int64_t EarnedBy(const Session& session, uint64_t cpu_ns) {
  return static_cast<int64_t>(cpu_ns / 1000 * session.settings.budget_ppm / (1000 * kShare));
}

}  // namespace

void BeginLooks(Session* session, uint64_t now_ns, uint64_t cpu_ns) {
  session->looks = LookBudget{now_ns, cpu_ns, platform::ThreadCpuTimeNs(0),
                              session->timers.is_active ? 0 : -2 * SavingsOf(*session)};
}

uint64_t RestAfterLook(Session* session, uint64_t now_ns, uint64_t cpu_ns) {
  LookBudget& looks = session->looks;
  const uint64_t budget_ppm = session->settings.budget_ppm;
  if (budget_ppm == 0 || cpu_ns < looks.seen_cpu_ns) return 0;
  const uint64_t control_ns = platform::ThreadCpuTimeNs(0);
  const uint64_t used_ns = cpu_ns - looks.seen_cpu_ns;
  const uint64_t passed_ns = now_ns - looks.seen_ns;
  looks.debt_ns += static_cast<int64_t>(control_ns - looks.seen_control_ns) - EarnedBy(*session, used_ns);
  if (looks.debt_ns < -SavingsOf(*session)) looks.debt_ns = -SavingsOf(*session);
  looks.seen_ns = now_ns;
  looks.seen_cpu_ns = cpu_ns;
  looks.seen_control_ns = control_ns;
  if (looks.debt_ns <= 0) return 0;
  const bool is_in_the_way = session->control.thread.kept_fd < 0;
  const uint64_t longest_ns = is_in_the_way ? kSparsePeriodNs : kLongestRestNs;
  // What the app would earn until then, at the rate since the last look.
  if (passed_ns < 1000) return 0;
  const int64_t earned_ns = EarnedBy(*session, used_ns * (longest_ns / 1000) / (passed_ns / 1000));
  if (earned_ns <= looks.debt_ns) return longest_ns;
  return longest_ns / 1000 * static_cast<uint64_t>(looks.debt_ns) / static_cast<uint64_t>(earned_ns) * 1000;
}

}  // namespace softlbr
