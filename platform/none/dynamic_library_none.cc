// No loader on this target: decoders are linked statically and registered.
#include "platform/dynamic_library.h"

namespace softlbr::platform {

Status LoadSymbol(const char*, const char*, void**) { return Status::kUnsupported; }

}  // namespace softlbr::platform
