// The control thread: aggregates and writes what the traced threads record, and watches them.
//
// Context: a raw thread without libc state (platform/thread.h). It may block; it never allocates.
// Place: usually a process of its own, the helper (platform/helper.h), so that the host does not see the thread. The
//   helper lends the threads' events to their handlers. If handlers may not fetch them, or if the sink is a function,
//   which may use the app's files, the helper shares the app's descriptors instead. The thread runs in the host if a
//   helper may not open the threads' events, for example because the host is not dumpable, and with the thread timer,
//   which only a thread of the same process can open.
// Life: started by StartSession. Once StopClaimedSession has set stop_requested, it completes the profile and ends. A
//   helper does the same when the host has ended otherwise or executes another program; it first closes the host's
//   files.
// A look: sleep until a handler wakes the thread or the period has passed; check that traps are still safe; follow the
//   host's user ids; free stuck threads; open slots for new threads and close those of ended ones; compare some cached
//   code; drain buffers and read the modules, if that is due.
// An account, part of some looks: measure what the session costs, adjust the sampling period, count threads that block
//   their signals, write what is due.
// Periods: a look takes at least 50 us, mostly in the kernel because the process wakes up with cold caches, so looks
//   are usually kLookPeriodNs apart. They are kRestPeriodNs apart for kNewThreadsNs after a thread was born, and
//   kControlPeriodNs while a breakpoint is armed; arming one wakes the thread. Accounts begin kRestPeriodNs apart; each
//   interval is twice the one before, up to kSparsePeriodNs. While the app uses hardly any CPU time, a look takes place
//   only with each account, until the next sample. A handler that asks for unknown code to be read is served as soon as
//   the modules may be read again. All of these are longer in an app that uses too little CPU time to pay for them
//   (look_budget.h).
#ifndef SOFTLBR_RUNTIME_WATCH_CONTROL_LOOP_H_
#define SOFTLBR_RUNTIME_WATCH_CONTROL_LOOP_H_

namespace softlbr {

// Thread entry; the argument is the Session.
void RunControlLoop(void* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_CONTROL_LOOP_H_
