// Fault injection for tests: a filter that may answer a system call in the kernel's place.
//
// Control, tests only. The filter runs in whatever context made the call, handlers included, so it must be handler-safe
// itself. It sets *handled and returns the result (negative errno on failure), or leaves *handled false: the kernel is asked.
#ifndef SOFTLBR_PLATFORM_SYSCALL_FILTER_H_
#define SOFTLBR_PLATFORM_SYSCALL_FILTER_H_

namespace softlbr::platform {

using SyscallFilter = long (*)(long number, long arguments[6], bool* handled);

// nullptr removes it. Calls already past the check still see the old filter.
void SetSyscallFilterForTest(SyscallFilter filter);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_SYSCALL_FILTER_H_
