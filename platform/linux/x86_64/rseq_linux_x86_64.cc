// The rseq signature of x86-64: a ud1 instruction with this displacement, which code does not contain by chance.
#include "platform/base/config.h"
#include "platform/rseq.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_X86_64
#error "platform/linux/x86_64 is for Linux on x86-64"
#endif

namespace softlbr::platform {

const uint32_t kRseqSignature = 0x53053053;

}  // namespace softlbr::platform
