// Raw system calls: no libc, no errno.
//
// Context: handler-safe. Result: the kernel's, negative errno on failure (-4095..-1).
// Fault injection: tests may install a filter that answers in place of the kernel (syscall_filter.h).
#ifndef SOFTLBR_PLATFORM_SYSCALL_H_
#define SOFTLBR_PLATFORM_SYSCALL_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

SOFTLBR_HANDLER_SAFE long SysCall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_SYSCALL_H_
