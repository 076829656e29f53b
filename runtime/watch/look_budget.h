// The control thread's share of the budget: how long it rests, so that its work follows the app's CPU time and not the
// clock.
//
// Why: a look and an account take 0.1 to 1 ms. Every 128 ms that is nothing beside a program that computes, but 2.5 %
//   of an app that uses a ninth of a CPU, like a loop of frames: more than its limit, before the first sample.
// Budget: each nanosecond of the app's CPU time adds a fifth of max_overhead_ppm, looks spend it. After a look that
//   could not be paid, the next one waits until the app, at its present rate, has paid; but no longer than
//   kLongestRestNs, or kSparsePeriodNs if we share the app's descriptors, whose files we keep open after its end. What
//   is not spent is kept for a twentieth of a second; the start of a session with events gives twice that, so that the
//   first accounts soon tell what context switches cost.
// Not limited: looks while a breakpoint is armed, those that a handler asks for, and all looks of a session without a
// budget. Context: control thread.
#ifndef SOFTLBR_RUNTIME_WATCH_LOOK_BUDGET_H_
#define SOFTLBR_RUNTIME_WATCH_LOOK_BUDGET_H_

#include <cstdint>

namespace softlbr {

struct Session;

// At the end of the start, whose cost does not delay the first looks.
void BeginLooks(Session* session, uint64_t now_ns, uint64_t cpu_ns);
// After a look. Result: the least time until the next one, in ns; 0 if it is paid. cpu_ns: CPU time of the app, 0 if it
// is gone.
uint64_t RestAfterLook(Session* session, uint64_t now_ns, uint64_t cpu_ns);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_LOOK_BUDGET_H_
