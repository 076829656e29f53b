// How long sessions may run within an hour, a day and a week: the sums of session time, and the clock that they use.
//
// A window (hour, day, week) is divided into steps. A ring has a sum for each step of the window and for the current
// one. A sum counts until its step lies entirely outside the window, so the sessions of any hour, wherever it begins,
// never exceed the hour's budget.
//
// The clock: the ledger's time never goes back. Within one boot it follows the time since the boot, which nobody can
// set. Across boots it follows the wall clock; a wall clock that was set back counts as no time. So changing the wall
// clock frees no budget within a boot, and setting it back never does.
//
// Who calls: runtime/trigger, on a copy that it keeps only if the session starts. Context: control. No system call.
// Bytes: BudgetLedger is part of the state file (control_state.h).
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_BUDGET_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_BUDGET_H_

#include <cstdint>

#include "runtime/trigger/control_message.h"

namespace softlbr {

// The present time by each clock.
struct DeviceClock {
  uint64_t unix_s;   // the wall clock
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

// Advances the ledger's time to now.
void AdvanceLedger(BudgetLedger* ledger, const DeviceClock& now);

// Adds a session, at the ledger's time. kNone: it is within the budgets. kHourSpent, kDaySpent, kWeekSpent: the first
// budget that it exceeds; *left_ms is what is left of that budget, and the ledger is unchanged.
Refusal SpendBudget(BudgetLedger* ledger, const ControlBudgets& budgets, uint32_t session_ms, uint64_t* left_ms);

// A session that spent reserved_ms has ended, and took used_ms: charges used_ms at the ledger's time, and gives back
// the rest.
void SettleBudget(BudgetLedger* ledger, uint32_t reserved_ms, uint32_t used_ms);

// For a ledger that was lost: as if more than any budget had been spent just now.
void ExhaustBudgets(BudgetLedger* ledger);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_BUDGET_H_
