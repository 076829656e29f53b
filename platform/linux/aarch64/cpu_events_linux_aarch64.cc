// Breakpoint length, the taken-branch event, and detection of big and little cores.
#include "platform/base/branch_events.h"
#include "platform/base/config.h"
#include "platform/linux/sampling/cpu_events.h"
#include "platform/linux/text_lines.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

const uint64_t kExecuteBreakpointBytes = 4;  // one instruction

uint64_t FindTakenBranchEvent() { return kTakenBranchEventOfA64; }

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
