// No breakpoints on this target.
#include "platform/breakpoint.h"

namespace softlbr::platform {

Status OpenBreakpoint(int32_t, Breakpoint*) { return Status::kUnsupported; }
void CloseBreakpoint(Breakpoint* breakpoint) { *breakpoint = Breakpoint{}; }
Status ArmBreakpoint(Breakpoint* breakpoint, uint64_t, uint64_t) {
  breakpoint->is_armed = false;
  return Status::kUnsupported;
}
Status DisarmBreakpoint(Breakpoint* breakpoint) {
  breakpoint->is_armed = false;
  return Status::kUnsupported;
}
Status CountBreakpointHits(const Breakpoint&, uint64_t*) { return Status::kUnsupported; }
bool IsBreakpointOurs(const Breakpoint&) { return false; }

}  // namespace softlbr::platform
