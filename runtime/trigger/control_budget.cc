#include "runtime/trigger/control_budget.h"

namespace softlbr {
namespace {

constexpr uint32_t kHourStepS = 3600 / kHourSteps;
constexpr uint32_t kDayStepS = 24 * 3600 / kDaySteps;
constexpr uint32_t kWeekStepS = 7 * 24 * 3600 / kWeekSteps;
constexpr uint32_t kMostMs = ~uint32_t{0};

// One of the three rings. Its sums saturate.
struct Ring {
  uint32_t* sums;
  uint32_t size;
  uint32_t step_s;

  uint32_t& At(uint64_t step) const { return sums[step % size]; }
  void Advance(uint64_t from_s, uint64_t to_s) const {
    const uint64_t from = from_s / step_s;
    const uint64_t to = to_s / step_s;
    const uint64_t steps = to - from < size ? to - from : size;
    for (uint64_t i = 1; i <= steps; ++i) At(from + i) = 0;
  }
  uint64_t Sum() const {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < size; ++i) sum += sums[i];
    return sum;
  }
  void Add(uint64_t time_s, uint32_t ms) const {
    uint32_t& sum = At(time_s / step_s);
    sum = ms < kMostMs - sum ? sum + ms : kMostMs;
  }
  // The newest first: a session that has just ended is there.
  void Remove(uint64_t time_s, uint32_t ms) const {
    for (uint32_t i = 0; i < size; ++i) {
      uint32_t& sum = At(time_s / step_s + size - i);
      const uint32_t part = ms < sum ? ms : sum;
      sum -= part;
      ms -= part;
    }
  }
};

struct Rings {
  Ring hour;
  Ring day;
  Ring week;
  explicit Rings(BudgetLedger* ledger)
      : hour{ledger->hour_ms, kHourSteps + 1, kHourStepS},
        day{ledger->day_ms, kDaySteps + 1, kDayStepS},
        week{ledger->week_ms, kWeekSteps + 1, kWeekStepS} {}
  template <typename Act>
  void ForEach(Act act) const {
    act(hour);
    act(day);
    act(week);
  }
};

bool IsSpent(const Ring& ring, uint32_t budget_ms, uint32_t session_ms, uint64_t* left_ms) {
  const uint64_t sum = ring.Sum();
  *left_ms = sum < budget_ms ? budget_ms - sum : 0;
  return budget_ms != 0 && session_ms > *left_ms;
}

}  // namespace

void AdvanceLedger(BudgetLedger* ledger, const DeviceClock& now) {
  const DeviceClock& seen = ledger->seen;
  const bool is_same_boot = now.boot_id != 0 && now.boot_id == seen.boot_id;
  const uint64_t before = is_same_boot ? seen.boot_s : seen.unix_s;
  const uint64_t after = is_same_boot ? now.boot_s : now.unix_s;
  const uint64_t passed = after > before ? after - before : 0;
  const uint64_t time_s = ledger->time_s + passed < ledger->time_s ? ledger->time_s : ledger->time_s + passed;
  Rings(ledger).ForEach([&](const Ring& ring) { ring.Advance(ledger->time_s, time_s); });
  ledger->time_s = time_s;
  ledger->seen = now;
}

Refusal SpendBudget(BudgetLedger* ledger, const ControlBudgets& budgets, uint32_t session_ms, uint64_t* left_ms) {
  const Rings rings(ledger);
  if (IsSpent(rings.hour, budgets.hour_ms, session_ms, left_ms)) return Refusal::kHourSpent;
  if (IsSpent(rings.day, budgets.day_ms, session_ms, left_ms)) return Refusal::kDaySpent;
  if (IsSpent(rings.week, budgets.week_ms, session_ms, left_ms)) return Refusal::kWeekSpent;
  *left_ms = 0;
  rings.ForEach([&](const Ring& ring) { ring.Add(ledger->time_s, session_ms); });
  return Refusal::kNone;
}

void SettleBudget(BudgetLedger* ledger, uint32_t reserved_ms, uint32_t used_ms) {
  Rings(ledger).ForEach([&](const Ring& ring) {
    ring.Remove(ledger->time_s, reserved_ms);
    ring.Add(ledger->time_s, used_ms);
  });
}

void ExhaustBudgets(BudgetLedger* ledger) {
  Rings(ledger).ForEach([&](const Ring& ring) { ring.At(ledger->time_s / ring.step_s) = kMostMs; });
}

}  // namespace softlbr
