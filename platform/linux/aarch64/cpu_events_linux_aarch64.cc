// AArch64: breakpoint length. No event of the PMU architecture counts taken branches on every core.
#include "platform/config.h"
#include "platform/linux/cpu_events.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

const uint64_t kExecuteBreakpointBytes = 4;  // one instruction

bool FindTakenBranchEvent(uint64_t*) { return false; }

}  // namespace softlbr::platform
