// Vector semantics: MMX, SSE, AVX, AVX-512 and mask registers, other than floating-point arithmetic.
//
// Deliberately without semantics: gathers and scatters, compress and expand, maskmov (per-byte stores), AES and SHA
// rounds, GF2 arithmetic, explicit-length string compares, EVEX forms with a rounding override.
#include "decoders/x86_64/lift/vector/vector_operands.h"

namespace softlbr::x86 {

bool LiftVector(const Instruction& in, BlockBuilder* out) {
  if (in.map == Map::kOneByte || in.encoding == Encoding::k3dNow || in.has_lock) return false;
  if (in.IsMemory() && (in.is_vsib || !in.is_disp_exact)) return false;
  if (IsEvex(in) && in.is_broadcast && in.IsRegister()) return false;
  if (LiftVectorMove(in, out)) return true;
  out->Rewind();
  if (LiftVectorInteger(in, out)) return true;
  out->Rewind();
  if (LiftVectorComposed(in, out)) return true;
  out->Rewind();
  if (LiftVectorShuffle(in, out)) return true;
  out->Rewind();
  if (LiftVectorElement(in, out)) return true;
  out->Rewind();
  if (LiftVectorMask(in, out)) return true;
  out->Rewind();
  return LiftMmx(in, out);
}

}  // namespace softlbr::x86
