// HostCpu() on a host that is not x86-64: the lifted code runs on another machine.
#include "decoders/x86_64/decode/cpu.h"

namespace softlbr::x86 {

uint8_t HostCpu() { return kUnknownCpu; }

}  // namespace softlbr::x86
