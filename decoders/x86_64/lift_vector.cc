// Vector semantics: MMX, SSE, AVX, AVX-512 and mask registers, other than floating-point arithmetic.
#include "decoders/x86_64/lift.h"

namespace softlbr::x86 {

bool LiftVector(const Instruction& in, BlockBuilder* out) {
  (void)in;
  (void)out;
  return false;
}

}  // namespace softlbr::x86
