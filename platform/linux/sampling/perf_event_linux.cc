// Contract: perf_event_linux.h.
#include "platform/linux/sampling/perf_event_linux.h"

#include <asm/errno.h>
#include <asm/unistd.h>

#include "platform/base/config.h"
#include "platform/linux/high_descriptor.h"
#include "platform/linux/sampling/event_use.h"
#include "platform/syscall.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {

perf_event_attr TrapEventAttributes(uint32_t type, uint64_t config, uint64_t period, uint64_t sig_data) {
  perf_event_attr attributes = {};
  attributes.type = type;
  attributes.size = sizeof(attributes);
  attributes.config = config;
  attributes.sample_period = period;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.remove_on_exec = 1;  // the kernel requires it for sigtrap events
  attributes.sigtrap = 1;
  attributes.sig_data = sig_data;
  return attributes;
}

long OpenPerfEvent(const perf_event_attr& attributes, int32_t tid, uint64_t* id) {
  const long low = SysCall(__NR_perf_event_open, reinterpret_cast<long>(&attributes), tid, /*cpu=*/-1, /*group_fd=*/-1,
                           PERF_FLAG_FD_CLOEXEC);
  if (low < 0) return low;
  const long high = MoveDescriptorHigh(low);
  const long fd = high < 0 ? low : high;
  // F_DUPFD fails with EINVAL, not EMFILE, if the limit leaves no high number.
  const long result = high < 0 ? -EMFILE : EventIoctl(static_cast<int32_t>(fd), PERF_EVENT_IOC_ID, id);
  if (result < 0) {
    SysCall(__NR_close, fd);
    return result;
  }
  return fd;
}

long EventIoctl(int32_t fd, unsigned long request, const void* argument) {
  return SysCall(__NR_ioctl, fd, static_cast<long>(request), reinterpret_cast<long>(argument));
}

long PerfIoctl(int32_t fd, unsigned long request, const void* argument) {
  const EventUse event(fd);
  return EventIoctl(event.fd(), request, argument);
}

bool IsPerfEvent(int32_t fd, uint64_t id) {
  if (fd < 0) return false;  // no system call: the reason for having none may be a sandbox that kills for these calls
  uint64_t present = 0;
  return PerfIoctl(fd, PERF_EVENT_IOC_ID, &present) == 0 && present == id;
}

void ClosePerfEvent(int32_t fd, uint64_t id) {
  uint64_t present = 0;
  if (fd < 0 || EventIoctl(fd, PERF_EVENT_IOC_ID, &present) != 0 || present != id) return;
  EventIoctl(fd, PERF_EVENT_IOC_DISABLE, nullptr);
  SysCall(__NR_close, fd);
}

Status StatusOfOpen(long error) {
  switch (-error) {
    case EACCES:
    case EPERM: return Status::kPermissionDenied;
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
    case EINVAL:
    case E2BIG:  // the kernel's perf_event_attr ends before sig_data: it is older than sigtrap
    case ENOSYS: return Status::kUnsupported;
    case ESRCH: return Status::kNoSuchThread;
    case EMFILE:
    case ENFILE: return Status::kNoDescriptor;
    case ENOSPC: return Status::kNoBreakpointSlot;
    default: return Status::kSystemError;
  }
}

Status StatusOfUse(long error) {
  switch (-error) {
    case EBADF:
    case ENOTTY:  // the number now belongs to another kind of file
      return Status::kStaleDescriptor;
    case EINVAL: return Status::kInvalidArgument;
    case ENOSPC: return Status::kNoBreakpointSlot;
    case EPERM:
    case EACCES: return Status::kPermissionDenied;
    default: return Status::kSystemError;
  }
}

}  // namespace softlbr::platform
