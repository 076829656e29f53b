// Pending signals of threads that block them, read from /proc. Control.
#ifndef SOFTLBR_PLATFORM_LINUX_SIGNALS_PENDING_SIGNALS_H_
#define SOFTLBR_PLATFORM_LINUX_SIGNALS_PENDING_SIGNALS_H_

#include <cstdint>

namespace softlbr::platform {

// True if any thread, or the process, has one of `signals` (bit n-1 for signal n) pending, or if that cannot be read
// for some thread.
bool IsSignalPendingAnywhere(uint64_t signals);

// Waits until every other thread has returned to user code once, or is not runnable. On that return the kernel raises
// the signal of an event that overflowed before it was closed: a thread preempted right after the overflow gets its
// SIGTRAP only when it runs again. A thread counts as returned when it has used CPU time since. False if some thread
// did neither within half a second.
bool WaitForLateSignals();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_SIGNALS_PENDING_SIGNALS_H_
