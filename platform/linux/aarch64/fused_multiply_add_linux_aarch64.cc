// Every AArch64 CPU has the instruction.
#include "platform/base/config.h"
#include "platform/fused_multiply_add.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

void LearnFusedMultiplyAdd() {}

bool FusedMultiplyAdd(double a, double b, double* c) {
  *c = __builtin_fma(a, b, *c);
  return true;
}

bool FusedMultiplyAdd(float a, float b, float* c) {
  *c = __builtin_fmaf(a, b, *c);
  return true;
}

}  // namespace softlbr::platform
