// Signals that wait for threads which block them, read from /proc. Control.
#ifndef SOFTLBR_PLATFORM_LINUX_PENDING_SIGNALS_H_
#define SOFTLBR_PLATFORM_LINUX_PENDING_SIGNALS_H_

#include <cstdint>

namespace softlbr::platform {

// True if any thread, or the process, has one of `signals` (bit n-1 for signal n) pending, or if /proc cannot tell.
bool IsSignalPendingAnywhere(uint64_t signals);

// Waits until every other thread has been through the kernel's way back to user code, where the signal of an event that
// overflowed before it was closed is raised: the thread is not runnable, or has used CPU time since. False if one did neither
// within a fraction of a second. Why: a thread preempted right after the overflow gets its SIGTRAP only when it runs again.
bool WaitForLateSignals();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_PENDING_SIGNALS_H_
