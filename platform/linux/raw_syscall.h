// The CPU-specific part of a system call. Other code uses platform/syscall.h.
//
// Context: handler-safe. Result: the kernel's, negative errno on failure.
#ifndef SOFTLBR_PLATFORM_LINUX_RAW_SYSCALL_H_
#define SOFTLBR_PLATFORM_LINUX_RAW_SYSCALL_H_

#include "platform/base/attributes.h"

namespace softlbr::platform {

SOFTLBR_HANDLER_SAFE long RawSysCall(long number, long a, long b, long c, long d, long e, long f);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_RAW_SYSCALL_H_
