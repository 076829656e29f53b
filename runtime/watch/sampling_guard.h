// Detects conditions under which our traps would harm the process, and stops the traps.
//
// Handler replaced: the app has installed its own SIGTRAP handler, by a raw system call or, if the runtime is linked in
//   and no preload library intercepts it, by sigaction. That handler would get our next sample, so sampling ends for
//   good.
// Debugger attached: it would stop at every sample, so sampling pauses until the debugger is gone.
// Descriptors closed: the app has closed ours, as daemons do. They are opened again.
// Context: control thread. Cost: one system call; when thorough, 30 to 80 us, and one or two calls per thread where
// descriptors are shared. Thorough: every kGuardPeriodNs, and when the app has used hardly any CPU time since the last
// look, because a debugger stops the app
//   when it attaches.
// Missed: a sample raised between the app's raw rt_sigaction and the next look, or between a debugger's short stop and
//   the next thorough look.
#ifndef SOFTLBR_RUNTIME_WATCH_SAMPLING_GUARD_H_
#define SOFTLBR_RUNTIME_WATCH_SAMPLING_GUARD_H_

namespace softlbr {

struct Session;

// Called at each look.
void GuardSampling(Session* session, bool is_thorough);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_SAMPLING_GUARD_H_
