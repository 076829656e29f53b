// No system calls on this target; the test filter works.
#include <atomic>

#include "platform/syscall.h"
#include "platform/syscall_filter.h"

namespace softlbr::platform {
namespace {

constexpr long kNotImplemented = -38;  // -ENOSYS
SOFTLBR_CONSTINIT std::atomic<SyscallFilter> g_filter{nullptr};

}  // namespace

void SetSyscallFilterForTest(SyscallFilter filter) { g_filter.store(filter, std::memory_order_relaxed); }

long LongSysCall(long number, long a, long b, long c, long d, long e, long f) {
  const SyscallFilter filter = g_filter.load(std::memory_order_relaxed);
  if (filter == nullptr) return kNotImplemented;
  long arguments[6] = {a, b, c, d, e, f};
  bool handled = false;
  const long result = filter(number, arguments, &handled);
  return handled ? result : kNotImplemented;
}

long SysCall(long number, long a, long b, long c) { return LongSysCall(number, a, b, c, 0, 0, 0); }

}  // namespace softlbr::platform
