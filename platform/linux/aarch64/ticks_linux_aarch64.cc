// Reads the virtual counter without isb: the error is below the counter's own granularity (10 to 50 ns).
#include "platform/base/config.h"
#include "platform/thread.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

uint64_t Ticks() {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

}  // namespace softlbr::platform
