// Advanced SIMD and floating point: bits 28:25 = x111.
#include "decoders/aarch64/a64_lift.h"

namespace softlbr::a64 {

// Everything that may be written becomes UNKNOWN.
Lifted LiftSimd(uint32_t word, BlockBuilder* out) {
  if (Field(word, 24, 5) == 0x1e && !Bit(word, 30)) {  // scalar floating point
    if (Bit(word, 21) && (Field(word, 10, 4) == 8 || Field(word, 10, 2) == 1)) {  // fcmp, fccmp
      out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, kNzcv);
      return Lifted::kNext;
    }
    out->AddUnknown(X(Rd(word)));
  }
  const bool is_copy = Field(word, 21, 8) == 0x70 && !Bit(word, 15) && Bit(word, 10);
  if (is_copy) out->AddUnknown(X(Rd(word)));
  out->Add(SOFTLBR_OP_UNKNOWN, 16, V(Rd(word)), 0);
  return Lifted::kNext;
}

}  // namespace softlbr::a64
