// The CPU-specific facts about breakpoints and sampling events. Functions: control.
#ifndef SOFTLBR_PLATFORM_LINUX_SAMPLING_CPU_EVENTS_H_
#define SOFTLBR_PLATFORM_LINUX_SAMPLING_CPU_EVENTS_H_

#include <cstdint>

namespace softlbr::platform {

// perf_event_attr.bp_len of an execution breakpoint.
extern const uint64_t kExecuteBreakpointBytes;

// The raw PMU event that counts taken branches on this CPU (branch_events.h); kNoBranchEvent if none is known.
uint64_t FindTakenBranchEvent();

// True if the machine has cores of different kinds (big and little). The kernel then has one PMU per kind and binds an
// event that names no PMU to one of them: the event does not count while the thread runs on another kind. cpuinfo: path
// of /proc/cpuinfo. False if the file cannot be read.
bool AreCpusDifferent(const char* cpuinfo);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_SAMPLING_CPU_EVENTS_H_
