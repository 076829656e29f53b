// x86-64: breakpoint length, and the taken-branch event of vendors that document one.
#include <cpuid.h>

#include "platform/base/branch_events.h"
#include "platform/base/config.h"
#include "platform/linux/sampling/cpu_events.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

namespace softlbr::platform {
namespace {

constexpr uint32_t kFeatureLeaf = 7;
constexpr uint32_t kHybrid = 1u << 15;  // edx bit

}  // namespace

const uint64_t kExecuteBreakpointBytes = 8;  // the kernel accepts sizeof(long) only

uint64_t FindTakenBranchEvent() {
  X86Identity cpu = {};
  uint32_t leaves = 0, ebx = 0, ecx = 0, edx = 0;
  __cpuid(0, leaves, cpu.ebx, cpu.ecx, cpu.edx);
  __cpuid(1, cpu.signature, ebx, ecx, edx);
  return TakenBranchEventOf(cpu);
}

bool AreCpusDifferent(const char*) {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(kFeatureLeaf, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kHybrid) != 0;
}

}  // namespace softlbr::platform
