#include "decoders/x86_64/lift_instruction.h"

#include "decoders/x86_64/clobber/clobber.h"
#include "decoders/x86_64/lift/lift.h"

namespace softlbr::x86 {

bool LiftInstruction(const Instruction& in, const uint8_t* code, const softlbr_decoder* decoder, BlockBuilder* out) {
  if (in.encoding == Encoding::kLegacy && !in.has_modrm && in.map == Map::kOneByte) {
    if (LiftInteger(in, out)) return true;
  } else {
    if (LiftInteger(in, out)) return true;
    out->Rewind();
    if (LiftVector(in, out)) return true;
    out->Rewind();
    if (LiftFloat(in, out)) return true;
  }
  out->Rewind();
  return ClobberInstruction(in, code, decoder, out);
}

}  // namespace softlbr::x86
