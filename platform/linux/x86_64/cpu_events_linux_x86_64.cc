// x86-64: breakpoint length, and the taken-branch event of vendors that document one.
#include <cpuid.h>

#include "platform/config.h"
#include "platform/linux/cpu_events.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

namespace softlbr::platform {
namespace {

constexpr uint32_t kIntelEbx = 0x756e6547;  // "Genu"
constexpr uint32_t kIntelEdx = 0x49656e69;  // "ineI"
constexpr uint32_t kIntelEcx = 0x6c65746e;  // "ntel"
constexpr uint32_t kFeatureLeaf = 7;
constexpr uint32_t kHybrid = 1u << 15;        // edx bit
constexpr uint64_t kIntelNearTaken = 0x20c4;  // BR_INST_RETIRED.NEAR_TAKEN

}  // namespace

const uint64_t kExecuteBreakpointBytes = 8;  // the kernel accepts sizeof(long) only

bool FindTakenBranchEvent(uint64_t* raw_config) {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if (ebx != kIntelEbx || ecx != kIntelEcx || edx != kIntelEdx) return false;
  *raw_config = kIntelNearTaken;
  return true;
}

bool AreCpusDifferent(const char*) {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(kFeatureLeaf, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kHybrid) != 0;
}

}  // namespace softlbr::platform
