// An x86-64 CPU has no pointer authentication. AArch64 code evaluated on it has signatures made with keys that are not
// known here.
#include "platform/base/config.h"
#include "platform/pointer_auth.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

namespace softlbr::platform {

bool SignPointer(uint64_t, uint64_t, uint32_t, uint64_t*) { return false; }
bool StripPointer(uint64_t, uint64_t*) { return false; }

}  // namespace softlbr::platform
