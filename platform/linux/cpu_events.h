// What the CPU says about breakpoints and about events to sample by. Control, but for the constants.
#ifndef SOFTLBR_PLATFORM_LINUX_CPU_EVENTS_H_
#define SOFTLBR_PLATFORM_LINUX_CPU_EVENTS_H_

#include <cstdint>

namespace softlbr::platform {

// perf_event_attr.bp_len of an execution breakpoint.
extern const uint64_t kExecuteBreakpointBytes;

// The raw PMU event that counts taken branches on this CPU. False where none is known.
bool FindTakenBranchEvent(uint64_t* raw_config);

// True where the CPUs differ (big and little cores). The kernel then has a PMU for each kind, takes one of them for an event that
// names none, and that event stands still while the thread runs on another kind. cpuinfo: path of the kernel's list of CPUs;
// what cannot be read counts as alike.
bool AreCpusDifferent(const char* cpuinfo);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_CPU_EVENTS_H_
