// Sessions that start once the process works: in children that are forked and execute no program (workers of servers,
// subshells, multiprocessing), and in programs that a recorded process has executed, most of which end before their
// first sample.
//
// How: a handler of pthread_atfork runs in the child. It sets an alarm on the child's CPU time (platform/cpu_alarm.h)
//   and nothing else, because most children execute a program at once, which is recorded anyway. The alarm's trap
//   starts the session, in the signal handler, on a stack of its own
//   (docs/decisions/0008-a-forked-child-is-recorded-once-it-works.md).
// The child of a process of several threads may only make async-signal-safe calls: all of this makes raw system calls
//   only, and waits for no lock that another thread may have held at the fork.
// What the child inherits: the parent's events do not fire in it, and it neither enables nor disables them; the
//   parent's region is not there; SIGTRAP keeps our handler, and the program's action of it is remembered as in the
//   parent.
// Not covered: children made by system call instructions, _Fork or clone(), which run no pthread_atfork handler; a
//   child made by vfork, which shares its parent's memory; kernels before 5.19.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_FORKED_CHILD_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_FORKED_CHILD_H_

#include "platform/trap_signal.h"

namespace softlbr {

// In OnLoad, once the session has started: from now on forked children are recorded.
void FollowForks();
// In OnLoad, for a program that a recorded process has executed: sets the alarm. False: there is none, so start the
// session now.
bool StartOnceItWorks();
// The program has closed the descriptor of the alarm, so no session has started.
bool IsAlarmLost();
// The calling process is about to execute a program, to enter a sandbox or to be traced: no session starts any more.
// Does nothing in a vforked child, whose alarm is its parent's. One load if there is no alarm.
void CloseForkAlarm();
// The callback of platform::InstallTrapHandler in the preload library: the alarm's trap, or one of the session.
bool DispatchTrapOrAlarm(const platform::Trap& trap);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_FORKED_CHILD_H_
