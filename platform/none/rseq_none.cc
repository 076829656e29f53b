// No critical sections on this target.
#include "platform/rseq.h"

namespace softlbr::platform {

const uint32_t kRseqSignature = 0;
bool FindRseqPointer(int64_t*) { return false; }

}  // namespace softlbr::platform
