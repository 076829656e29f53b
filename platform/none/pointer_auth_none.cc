// No pointer authentication on this target.
#include "platform/pointer_auth.h"

namespace softlbr::platform {

bool SignPointer(uint64_t, uint64_t, uint32_t, uint64_t*) { return false; }
bool StripPointer(uint64_t, uint64_t*) { return false; }

}  // namespace softlbr::platform
