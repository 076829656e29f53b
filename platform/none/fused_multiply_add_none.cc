// No instruction for it on this target.
#include "platform/fused_multiply_add.h"

namespace softlbr::platform {

void LearnFusedMultiplyAdd() {}
bool FusedMultiplyAdd(double, double, double*) { return false; }
bool FusedMultiplyAdd(float, float, float*) { return false; }

}  // namespace softlbr::platform
