// Contract: own_library.h.
#include "platform/own_library.h"

namespace softlbr::platform {

void KeepOwnLibrary() {}

}  // namespace softlbr::platform
