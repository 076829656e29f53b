// Replaces the other capstone_*.cc and clobber_capstone.cc in the static archive: forms that only Capstone describes
// (prefixes that no manual defines) are refused, and the decoder needs no library.
#include "decoders/x86_64/clobber/clobber.h"
#include "decoders/x86_64/clobber/decoder_handle.h"

namespace softlbr::x86 {

bool OpenCapstone(void* arena, size_t, softlbr_decoder** out) {
  *out = static_cast<softlbr_decoder*>(arena);
  **out = softlbr_decoder{};
  return true;
}

bool ClobberByCapstone(const Instruction&, const uint8_t*, const softlbr_decoder*, BlockBuilder*) { return false; }

}  // namespace softlbr::x86
