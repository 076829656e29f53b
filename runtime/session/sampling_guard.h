// Notices what makes our traps unsafe for the process, and stops them.
//
// What: the app has put its own SIGTRAP handler in place of ours (raw system call, linked runtime: no preload library stands
//   before sigaction): it would get our next sample, so sampling ends for good. A debugger is attached: it would stop at every
//   sample, so sampling pauses until it is gone. The app has closed our descriptors (a daemon closes all): they are opened anew.
// Context: control thread, every round. Cost: one system call; when thorough, 20 us and one to two calls per thread.
// What cannot be caught: a sample that is raised between the app's raw rt_sigaction and the next round (docs/kernel_limits.md).
#ifndef SOFTLBR_RUNTIME_SESSION_SAMPLING_GUARD_H_
#define SOFTLBR_RUNTIME_SESSION_SAMPLING_GUARD_H_

#include "runtime/session/session.h"

namespace softlbr {

void GuardSampling(Session* session, bool is_thorough);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_SAMPLING_GUARD_H_
