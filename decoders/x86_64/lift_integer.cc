// Dispatch of general-purpose instructions to their families.
#include "decoders/x86_64/lift.h"

namespace softlbr::x86 {

bool LiftInteger(const Instruction& in, BlockBuilder* out) {
  (void)in;
  (void)out;
  return false;
}

}  // namespace softlbr::x86
