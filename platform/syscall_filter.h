// Fault injection for tests: a filter that may answer a system call in place of the kernel.
//
// Control, tests only. The filter runs in the context of the call, which may be a handler, so it must be handler-safe
// itself. It sets *handled and returns the result (negative errno on failure), or leaves *handled false: then the
// kernel makes the call.
#ifndef SOFTLBR_PLATFORM_SYSCALL_FILTER_H_
#define SOFTLBR_PLATFORM_SYSCALL_FILTER_H_

namespace softlbr::platform {

using SyscallFilter = long (*)(long number, long arguments[6], bool* handled);

// nullptr removes the filter. Calls in progress may still use the old one.
void SetSyscallFilterForTest(SyscallFilter filter);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_SYSCALL_FILTER_H_
