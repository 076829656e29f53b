// The auxiliary vector that the kernel passed to this process at exec, read from /proc/self/auxv.
// Control: it reads a file. No lock, no heap.
#ifndef SOFTLBR_PLATFORM_LINUX_AUXILIARY_VECTOR_H_
#define SOFTLBR_PLATFORM_LINUX_AUXILIARY_VECTOR_H_

#include <cstdint>

namespace softlbr::platform {

// The value of the entry `type`; 0 if it is absent or /proc is not available.
uint64_t AuxiliaryValue(uint64_t type);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_AUXILIARY_VECTOR_H_
