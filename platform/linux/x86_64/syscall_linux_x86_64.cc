// System calls by the syscall instruction.
#include "platform/base/config.h"
#include "platform/linux/raw_syscall.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

namespace softlbr::platform {

long RawSysCall(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

}  // namespace softlbr::platform
