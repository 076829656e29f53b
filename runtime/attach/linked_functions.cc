// FindNextFunction where the runtime is linked into the program: whoever links libsoftlbr_signals.a has a dlsym, and
// only that knows which libraries a plugin sees. In a static program there is no next function.
#include <dlfcn.h>

#include "runtime/libc/loaded_functions.h"

namespace softlbr {

void* FindNextFunction(const char* name) { return dlsym(RTLD_NEXT, name); }

}  // namespace softlbr
