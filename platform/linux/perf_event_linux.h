// What sampler and breakpoint share about perf events.
//
// OpenPerfEvent: control. The rest: handler-safe, one system call each.
#ifndef SOFTLBR_PLATFORM_LINUX_PERF_EVENT_LINUX_H_
#define SOFTLBR_PLATFORM_LINUX_PERF_EVENT_LINUX_H_

#include <linux/perf_event.h>

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

// A zeroed attribute with everything that all our events share: disabled, user mode only, synchronous SIGTRAP with sig_data,
// gone on exec.
SOFTLBR_HANDLER_SAFE perf_event_attr TrapEventAttributes(uint32_t type, uint64_t config, uint64_t period, uint64_t sig_data);

// Opens on thread tid, moves the descriptor out of the app's way and reads the event's id. Result: the descriptor, or
// negative errno with nothing left open.
long OpenPerfEvent(const perf_event_attr& attributes, int32_t tid, uint64_t* id);

SOFTLBR_HANDLER_SAFE long PerfIoctl(int32_t fd, unsigned long request, const void* argument);
// Is fd still the event with this id? The app may have closed it and reused the number.
SOFTLBR_HANDLER_SAFE bool IsPerfEvent(int32_t fd, uint64_t id);
// Disables, then closes, if still ours. Disabling comes first: a forked child's copy of the descriptor keeps the event.
void ClosePerfEvent(int32_t fd, uint64_t id);

// Negative errno of perf_event_open as a Status. ENOSPC means that no debug register is free.
Status StatusOfOpen(long error);
// Negative errno of an ioctl or read on an event that was ours.
SOFTLBR_HANDLER_SAFE Status StatusOfUse(long error);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_PERF_EVENT_LINUX_H_
