#include "decoders/x86_64/lift_instruction.h"

#include "decoders/x86_64/clobber/clobber.h"

namespace softlbr::x86 {

bool LiftOther(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder, BlockBuilder* out) {
  if (in.has_modrm || in.map != Map::kOneByte || in.encoding != Encoding::kLegacy) {
    out->Rewind();
    if (LiftVector(in, out)) return true;
    out->Rewind();
    if (LiftFloat(in, out)) return true;
  }
  out->Rewind();
  return ClobberInstruction(in, code, decoder, out);
}

}  // namespace softlbr::x86
