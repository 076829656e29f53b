// Breakpoint length, and detection of big and little cores. No architectural PMU event counts taken branches on every core. The
// kernel's "branches" event counts them on cores that have PC_WRITE_RETIRED, and counts all branches on others.
#include "platform/config.h"
#include "platform/linux/cpu_events.h"
#include "platform/linux/text_lines.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

const uint64_t kExecuteBreakpointBytes = 4;  // one instruction

bool FindTakenBranchEvent(uint64_t*) { return false; }

// The lines of /proc/cpuinfo name each CPU's kind as "CPU part<tab>: 0xd0b".
bool AreCpusDifferent(const char* cpuinfo) {
  char buffer[256];
  TextLines lines(cpuinfo, buffer, sizeof buffer);
  uint64_t first = 0;
  while (const char* line = lines.Next()) {
    if (!SkipPrefix(&line, "CPU part\t: 0x")) continue;
    const uint64_t part = ParseHex(&line) + 1;  // 0: no CPU seen yet
    if (first != 0 && part != first) return true;
    first = part;
  }
  return false;
}

}  // namespace softlbr::platform
