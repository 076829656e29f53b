// Floating-point semantics on vector registers, scalar and packed.
#include "decoders/x86_64/lift.h"

namespace softlbr::x86 {

bool LiftFloat(const Instruction& in, BlockBuilder* out) {
  (void)in;
  (void)out;
  return false;
}

}  // namespace softlbr::x86
