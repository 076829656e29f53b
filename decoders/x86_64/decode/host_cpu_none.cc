// HostCpu() where the host is no x86-64: the code that is lifted runs elsewhere.
#include "decoders/x86_64/decode/cpu.h"

namespace softlbr::x86 {

uint8_t HostCpu() { return kUnknownCpu; }

}  // namespace softlbr::x86
