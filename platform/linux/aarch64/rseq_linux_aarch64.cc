// The rseq signature of AArch64: brk #0x45e0.
#include "platform/base/config.h"
#include "platform/rseq.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

const uint32_t kRseqSignature = 0xd428bc00;

}  // namespace softlbr::platform
