// Reads rdtsc without a fence: a few nanoseconds of error do not matter to overhead accounting.
#include "platform/base/config.h"
#include "platform/thread.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

namespace softlbr::platform {

uint64_t Ticks() { return __builtin_ia32_rdtsc(); }

}  // namespace softlbr::platform
