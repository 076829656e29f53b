// One execution breakpoint of one thread, delivered as a synchronous SIGTRAP before the instruction runs.
//
// Open, Close: control. Arm, Disarm, CountHits, IsOurs: handler-safe. sig_data is carried with the hit, so a hit of an
// earlier arming can be told from the current one. A failed Arm leaves the breakpoint off. Never uses PERF_EVENT_IOC_REFRESH
// (docs/kernel_limits.md).
#ifndef SOFTLBR_PLATFORM_BREAKPOINT_H_
#define SOFTLBR_PLATFORM_BREAKPOINT_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

struct Breakpoint {
  int32_t fd = -1;
  uint64_t id = 0;  // PERF_EVENT_IOC_ID at open
  bool is_armed = false;
};

// Opens a disarmed breakpoint on thread `tid`. kNoBreakpointSlot when every debug register is taken.
Status OpenBreakpoint(int32_t tid, Breakpoint* breakpoint);
// Disarms (a forked child may hold the event), then closes, if the descriptor is still ours.
void CloseBreakpoint(Breakpoint* breakpoint);

// Moves to `address` and turns on: one MODIFY_ATTRIBUTES (0.7 to 2 us).
SOFTLBR_HANDLER_SAFE Status ArmBreakpoint(Breakpoint* breakpoint, uint64_t address, uint64_t sig_data);
SOFTLBR_HANDLER_SAFE Status DisarmBreakpoint(Breakpoint* breakpoint);
// Hits the kernel has counted since open; compared with those handled, it shows a thread stuck over a breakpoint.
SOFTLBR_HANDLER_SAFE Status CountBreakpointHits(const Breakpoint& breakpoint, uint64_t* hits);
SOFTLBR_HANDLER_SAFE bool IsBreakpointOurs(const Breakpoint& breakpoint);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_BREAKPOINT_H_
