// Raw system calls: no libc, no errno.
//
// Context: handler-safe. Result: the kernel's, negative errno on failure (-4095..-1).
// Fault injection: tests may install a filter that answers in place of the kernel (syscall_filter.h).
#ifndef SOFTLBR_PLATFORM_SYSCALL_H_
#define SOFTLBR_PLATFORM_SYSCALL_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr::platform {

// Most calls have at most three arguments; this separate form for them saves half a KB at the callers.
SOFTLBR_HANDLER_SAFE long SysCall(long number, long a = 0, long b = 0, long c = 0);
// Always inlined, because handler_graph.pl distinguishes functions by their names only.
SOFTLBR_HANDLER_SAFE long LongSysCall(long number, long a, long b, long c, long d, long e, long f);
__attribute__((always_inline)) inline long SysCall(long number, long a, long b, long c, long d, long e = 0,
                                                   long f = 0) {
  return LongSysCall(number, a, b, c, d, e, f);
}

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_SYSCALL_H_
