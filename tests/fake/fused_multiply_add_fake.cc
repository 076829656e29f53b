// Contract: fused_multiply_add_fake.h, and platform/fused_multiply_add.h over it, by libm.
#include "tests/fake/fused_multiply_add_fake.h"

#include <cmath>

#include "platform/fused_multiply_add.h"

namespace softlbr::fake {
namespace {
bool is_fusing = true;
}  // namespace

void SetFusingCpu(bool is_there) { is_fusing = is_there; }

}  // namespace softlbr::fake

namespace softlbr::platform {

void LearnFusedMultiplyAdd() {}

bool FusedMultiplyAdd(double a, double b, double* c) {
  if (fake::is_fusing) *c = std::fma(a, b, *c);
  return fake::is_fusing;
}

bool FusedMultiplyAdd(float a, float b, float* c) {
  if (fake::is_fusing) *c = std::fma(a, b, *c);
  return fake::is_fusing;
}

}  // namespace softlbr::platform
