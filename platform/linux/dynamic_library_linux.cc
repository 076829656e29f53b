// The system's loader. The only file of platform/ that calls libc.
#include <dlfcn.h>

#include "platform/base/config.h"
#include "platform/dynamic_library.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {

Status LoadSymbol(const char* path, const char* symbol, void** address) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Status::kSystemError;
  void* found = dlsym(library, symbol);
  if (found == nullptr) {
    dlclose(library);
    return Status::kIncompatiblePlugin;
  }
  *address = found;
  return Status::kOk;
}

}  // namespace softlbr::platform
