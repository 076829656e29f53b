// Notices what makes our traps unsafe for the process, and stops them.
//
// The app has put its own SIGTRAP handler in place of ours (by a raw system call, or in a program that has the runtime linked in,
//   where no preload library stands before sigaction): it would get our next sample, so sampling ends for good.
// A debugger is attached: it would stop at every sample, so sampling pauses until it is gone.
// The app has closed our descriptors (a daemon closes all): they are opened anew.
// Context: control thread. Cost: one system call; when thorough, 20 us and one to two calls per thread.
// Not caught: a sample that is raised between the app's raw rt_sigaction and the next round (docs/kernel_limits.md).
#ifndef SOFTLBR_RUNTIME_SESSION_SAMPLING_GUARD_H_
#define SOFTLBR_RUNTIME_SESSION_SAMPLING_GUARD_H_

namespace softlbr {

struct Session;

// Every round.
void GuardSampling(Session* session, bool is_thorough);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SAMPLING_GUARD_H_
