// timer_create with SIGEV_THREAD_ID by raw system call. Timer ids are the kernel's, not libc's.
#include "platform/linux/sampling/thread_timer_linux.h"

#include <asm/errno.h>
#include <asm/unistd.h>

#include "platform/base/config.h"
#include "platform/linux/kernel_abi.h"
#include "platform/syscall.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

struct KernelSigevent {
  uint64_t value;
  int32_t signal;
  int32_t notify;
  int32_t tid;
  uint8_t padding[44];
};
static_assert(sizeof(KernelSigevent) == 64, "struct sigevent of the kernel");

constexpr int32_t kSigevThreadId = 4;

struct KernelTimerSpec {
  KernelTimespec interval;
  KernelTimespec value;
};

}  // namespace

long CreateThreadTimer(int32_t tid, uint64_t sig_data) {
  KernelSigevent event = {};
  event.value = sig_data;
  event.signal = kSigTrap;
  event.notify = kSigevThreadId;
  event.tid = tid;
  int32_t timer_id = -1;
  const long result = SysCall(__NR_timer_create, ThreadCpuClock(tid), reinterpret_cast<long>(&event),
                              reinterpret_cast<long>(&timer_id));
  if (result == -EINVAL) return -ESRCH;  // every other argument is valid: the thread is gone
  return result < 0 ? result : timer_id;
}

void DeleteThreadTimer(int32_t timer_id) { SysCall(__NR_timer_delete, timer_id); }

long SetThreadTimer(int32_t timer_id, uint64_t period_ns, bool is_single) {
  if (is_single) {
    constexpr long kClockOfTicks = 5;  // CLOCK_REALTIME_COARSE
    KernelTimespec tick = {};
    SysCall(__NR_clock_getres, kClockOfTicks, reinterpret_cast<long>(&tick));
    const uint64_t wait_ns = NsOf(tick) / 4 * 3;
    period_ns -= wait_ns < period_ns / 2 ? wait_ns : period_ns / 2;
  }
  KernelTimerSpec spec;
  spec.value = TimespecOf(period_ns);
  spec.interval = TimespecOf(is_single ? 0 : period_ns);
  return SysCall(__NR_timer_settime, timer_id, 0, reinterpret_cast<long>(&spec), 0);
}

}  // namespace softlbr::platform
