// Loading a decoder plugin. Control; the loader below may allocate and lock: call it before a session, never from a handler.
#ifndef SOFTLBR_PLATFORM_DYNAMIC_LIBRARY_H_
#define SOFTLBR_PLATFORM_DYNAMIC_LIBRARY_H_

#include "platform/base/status.h"

namespace softlbr::platform {

// Loads path with all symbols bound and finds `symbol` in it. The library stays loaded for the life of the process.
Status LoadSymbol(const char* path, const char* symbol, void** address);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_DYNAMIC_LIBRARY_H_
