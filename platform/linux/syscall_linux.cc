// System calls, after the test filter: one relaxed load and a predicted branch if no filter is set.
#include <atomic>

#include "platform/base/config.h"
#include "platform/linux/raw_syscall.h"
#include "platform/syscall.h"
#include "platform/syscall_filter.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

SOFTLBR_CONSTINIT std::atomic<SyscallFilter> g_filter{nullptr};

}  // namespace

void SetSyscallFilterForTest(SyscallFilter filter) { g_filter.store(filter, std::memory_order_relaxed); }

SOFTLBR_NOINLINE long LongSysCall(long number, long a, long b, long c, long d, long e, long f) {
  const SyscallFilter filter = g_filter.load(std::memory_order_relaxed);
  if (SOFTLBR_UNLIKELY(filter != nullptr)) {
    long arguments[6] = {a, b, c, d, e, f};
    bool handled = false;
    const long result = filter(number, arguments, &handled);
    if (handled) return result;
  }
  return RawSysCall(number, a, b, c, d, e, f);
}

long SysCall(long number, long a, long b, long c) { return LongSysCall(number, a, b, c, 0, 0, 0); }

}  // namespace softlbr::platform
