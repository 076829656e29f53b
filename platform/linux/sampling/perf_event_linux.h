// The perf-event code shared by sampler and breakpoint.
//
// OpenPerfEvent, ClosePerfEvent: control. The rest: handler-safe, one system call each, or four with those that borrow
// the event.
#ifndef SOFTLBR_PLATFORM_LINUX_SAMPLING_PERF_EVENT_LINUX_H_
#define SOFTLBR_PLATFORM_LINUX_SAMPLING_PERF_EVENT_LINUX_H_

#include <linux/perf_event.h>

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

// Attributes with the settings shared by all our events: disabled, user mode only, synchronous SIGTRAP with sig_data,
// removed on exec.
SOFTLBR_HANDLER_SAFE perf_event_attr TrapEventAttributes(uint32_t type, uint64_t config, uint64_t period,
                                                         uint64_t sig_data);

// Opens an event on thread tid, moves its descriptor to a high number and reads the event's id. Result: the descriptor,
// or negative errno with nothing left open.
long OpenPerfEvent(const perf_event_attr& attributes, int32_t tid, uint64_t* id);

// fd: the number in the process that opened the event; borrows the event if need be (event_use.h).
SOFTLBR_HANDLER_SAFE long PerfIoctl(int32_t fd, unsigned long request, const void* argument);
// fd: a number of the calling process.
SOFTLBR_HANDLER_SAFE long EventIoctl(int32_t fd, unsigned long request, const void* argument);
// True if fd is still the event with this id: the app may have closed it and reused the number.
SOFTLBR_HANDLER_SAFE bool IsPerfEvent(int32_t fd, uint64_t id);
// Call it in the process that opened the event. Disables, then closes; does nothing if fd is no longer ours. Disabling
// comes first, because a forked child's copy of the descriptor keeps the event alive.
void ClosePerfEvent(int32_t fd, uint64_t id);

// Converts negative errno of perf_event_open. ENOSPC means that no debug register is free.
Status StatusOfOpen(long error);
// Converts negative errno of an ioctl or read on an open event.
SOFTLBR_HANDLER_SAFE Status StatusOfUse(long error);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_SAMPLING_PERF_EVENT_LINUX_H_
