// How long sessions may run within an hour, a day and a week: the sums, and the time that they are about.
//
// A window of time is cut into steps; a ring has a sum for each step of the window and for the one of now. Each sum counts until its
// step has left the window whole, so the sessions of any hour, however it is placed, never exceed the budget of an hour.
//
// The clock: time passes in a ledger that never goes back. Within one boot it follows the clock since the boot, which nobody sets. Across
// boots it follows the clock of the day; one that was set back has advanced by nothing. So a change of the clock never forgives what was
// spent within a boot, and setting it back never does.
//
// Who calls: runtime/control, on a copy that it keeps only if the session starts. Context: control. No system call.
// Bytes: BudgetLedger is part of the state file (control_state.h).
#ifndef SOFTLBR_RUNTIME_CONTROL_CONTROL_BUDGET_H_
#define SOFTLBR_RUNTIME_CONTROL_CONTROL_BUDGET_H_

#include <cstdint>

#include "runtime/control/control_message.h"

namespace softlbr {

// What the clocks say now.
struct DeviceClock {
  uint64_t unix_s;   // the clock of the day
  uint64_t boot_s;   // since the boot, time asleep included
  uint64_t boot_id;  // of this boot; 0: unknown, which no other boot equals
};

inline constexpr uint32_t kHourSteps = 12;  // of 5 minutes
inline constexpr uint32_t kDaySteps = 24;   // of an hour
inline constexpr uint32_t kWeekSteps = 14;  // of 12 hours

struct BudgetLedger {
  uint64_t time_s;   // of the ledger
  DeviceClock seen;  // when it was time_s
  // Milliseconds; a step's place is its number modulo the size.
  uint32_t hour_ms[kHourSteps + 1];
  uint32_t day_ms[kDaySteps + 1];
  uint32_t week_ms[kWeekSteps + 1];
  uint32_t reserved;  // 0
};
static_assert(sizeof(BudgetLedger) == 248, "state file: control_state.h");

// Milliseconds of session; 0: no budget.
struct ControlBudgets {
  uint32_t hour_ms;
  uint32_t day_ms;
  uint32_t week_ms;
};

// Brings the ledger to now.
void AdvanceLedger(BudgetLedger* ledger, const DeviceClock& now);

// Adds a session, at the time of the ledger. kNone: it is within the budgets. kHourSpent, kDaySpent, kWeekSpent: the first budget that it
// exceeds; *left_ms is what is left of it, and the ledger is as it was.
Refusal SpendBudget(BudgetLedger* ledger, const ControlBudgets& budgets, uint32_t session_ms, uint64_t* left_ms);

// A session that spent reserved_ms has ended, and took used_ms: moves that to the time of the ledger, and gives back the rest.
void SettleBudget(BudgetLedger* ledger, uint32_t reserved_ms, uint32_t used_ms);

// As if more than any budget had been spent just now: for a ledger that was lost.
void ExhaustBudgets(BudgetLedger* ledger);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_CONTROL_CONTROL_BUDGET_H_
