// Breakpoints as perf events of type PERF_TYPE_BREAKPOINT with sigtrap (Linux 5.13 and later).
//
// The event is opened disabled, at a fixed address. Each arming moves it and turns it on with one MODIFY_ATTRIBUTES,
// which also carries the new sig_data. Kernels before 3c25fc97f559 keep the sig_data given at open; therefore callers
// check the generation.
#include <asm/unistd.h>
#include <linux/hw_breakpoint.h>

#include "platform/base/config.h"
#include "platform/breakpoint.h"
#include "platform/linux/sampling/cpu_events.h"
#include "platform/linux/sampling/event_use.h"
#include "platform/linux/sampling/perf_event_linux.h"
#include "platform/syscall.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

// Address of a disarmed event: no user code is there. Never armed.
constexpr uint64_t kNowhere = 4096;

perf_event_attr BreakpointAttributes(uint64_t address, uint64_t sig_data, bool is_disabled) {
  perf_event_attr attributes = TrapEventAttributes(PERF_TYPE_BREAKPOINT, 0, /*period=*/1, sig_data);
  attributes.bp_type = HW_BREAKPOINT_X;
  attributes.bp_addr = address;
  attributes.bp_len = kExecuteBreakpointBytes;
  attributes.disabled = is_disabled ? 1 : 0;
  return attributes;
}

}  // namespace

Status OpenBreakpoint(int32_t tid, Breakpoint* breakpoint) {
  const perf_event_attr attributes = BreakpointAttributes(kNowhere, 0, /*is_disabled=*/true);
  uint64_t id = 0;
  const long fd = OpenPerfEvent(attributes, tid, &id);
  if (fd < 0) return StatusOfOpen(fd);
  breakpoint->fd = static_cast<int32_t>(fd);
  breakpoint->id = id;
  breakpoint->is_armed = false;
  return Status::kOk;
}

void CloseBreakpoint(Breakpoint* breakpoint) {
  ClosePerfEvent(breakpoint->fd, breakpoint->id);
  breakpoint->fd = -1;
  breakpoint->id = 0;
  breakpoint->is_armed = false;
}

Status ArmBreakpoint(Breakpoint* breakpoint, uint64_t address, uint64_t sig_data) {
  const perf_event_attr attributes = BreakpointAttributes(address, sig_data, /*is_disabled=*/false);
  const EventUse event(breakpoint->fd);
  const long result = EventIoctl(event.fd(), PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attributes);
  if (SOFTLBR_LIKELY(result == 0)) {
    breakpoint->is_armed = true;
    return Status::kOk;
  }
  // A refused MODIFY leaves the event off, or (Linux 6.18) turns it on at the old address, even if it was off before.
  if (EventIoctl(event.fd(), PERF_EVENT_IOC_DISABLE, nullptr) == 0) breakpoint->is_armed = false;
  return StatusOfUse(result);
}

Status DisarmBreakpoint(Breakpoint* breakpoint) {
  const long result = PerfIoctl(breakpoint->fd, PERF_EVENT_IOC_DISABLE, nullptr);
  if (result != 0) return StatusOfUse(result);
  breakpoint->is_armed = false;
  return Status::kOk;
}

Status CountBreakpointHits(const Breakpoint& breakpoint, uint64_t* hits) {
  const EventUse event(breakpoint.fd);
  const long result = SysCall(__NR_read, event.fd(), reinterpret_cast<long>(hits), sizeof(*hits));
  if (result == static_cast<long>(sizeof(*hits))) return Status::kOk;
  return result < 0 ? StatusOfUse(result) : Status::kSystemError;
}

bool IsBreakpointOurs(const Breakpoint& breakpoint) { return IsPerfEvent(breakpoint.fd, breakpoint.id); }

}  // namespace softlbr::platform
