// System calls by the svc instruction.
#include "platform/base/config.h"
#include "platform/linux/raw_syscall.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

long RawSysCall(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
  return x0;
}

}  // namespace softlbr::platform
