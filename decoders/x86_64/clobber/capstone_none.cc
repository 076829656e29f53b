// Replaces the other capstone_*.cc and clobber_capstone.cc if SOFTLBR_DECODER_CAPSTONE is OFF: forms that only Capstone describes
// (AMD's SSE4a, meaningless prefixes) are refused, and the plugin needs no library.
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
