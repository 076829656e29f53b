// One execution breakpoint of one thread, delivered as a synchronous SIGTRAP before the instruction runs.
//
// Open, Close: control. Arm, Disarm, CountHits, IsOurs: handler-safe. Each hit carries the sig_data of its arming, so
// the caller can recognise a hit of an earlier one. A failed Arm leaves the breakpoint off, if it can be reached at
// all. Never uses PERF_EVENT_IOC_REFRESH (docs/kernel_limits.md).
#ifndef SOFTLBR_PLATFORM_BREAKPOINT_H_
#define SOFTLBR_PLATFORM_BREAKPOINT_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/status.h"

namespace softlbr::platform {

struct Breakpoint {
  int32_t fd = -1;
  uint64_t id = 0;        // PERF_EVENT_IOC_ID at open
  bool is_armed = false;  // as last set by a call that succeeded
};

// Opens a disarmed breakpoint on thread `tid`. kNoBreakpointSlot if every debug register is in use.
Status OpenBreakpoint(int32_t tid, Breakpoint* breakpoint);
// Disarms (a forked child may still hold the event), then closes. Does nothing if the descriptor is no longer ours.
void CloseBreakpoint(Breakpoint* breakpoint);

// Moves the breakpoint to `address` and turns it on with one MODIFY_ATTRIBUTES (0.7 to 2 us).
SOFTLBR_HANDLER_SAFE Status ArmBreakpoint(Breakpoint* breakpoint, uint64_t address, uint64_t sig_data);
SOFTLBR_HANDLER_SAFE Status DisarmBreakpoint(Breakpoint* breakpoint);
// *hits = the kernel's count since open. A count above the number of handled hits shows that the thread executes the
// breakpoint's address with SIGTRAP blocked.
SOFTLBR_HANDLER_SAFE Status CountBreakpointHits(const Breakpoint& breakpoint, uint64_t* hits);
SOFTLBR_HANDLER_SAFE bool IsBreakpointOurs(const Breakpoint& breakpoint);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_BREAKPOINT_H_
