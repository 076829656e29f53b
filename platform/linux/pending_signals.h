// Signals that wait for threads which block them, read from /proc. Control.
#ifndef SOFTLBR_PLATFORM_LINUX_PENDING_SIGNALS_H_
#define SOFTLBR_PLATFORM_LINUX_PENDING_SIGNALS_H_

#include <cstdint>

namespace softlbr::platform {

// True if any thread, or the process, has one of `signals` (bit n-1 for signal n) pending, or if /proc cannot tell.
bool IsSignalPendingAnywhere(uint64_t signals);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_PENDING_SIGNALS_H_
