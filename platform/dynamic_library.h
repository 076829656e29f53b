// Loads a decoder plugin. Control. The system's loader may allocate and lock: call this before a session, never from a
// handler.
#ifndef SOFTLBR_PLATFORM_DYNAMIC_LIBRARY_H_
#define SOFTLBR_PLATFORM_DYNAMIC_LIBRARY_H_

#include "platform/base/status.h"

namespace softlbr::platform {

// Loads `path`, binds all symbols and looks up `symbol`. On success the library stays loaded for the life of the
// process.
Status LoadSymbol(const char* path, const char* symbol, void** address);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_DYNAMIC_LIBRARY_H_
