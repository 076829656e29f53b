// What the kernel told this process at exec, read from /proc/self/auxv. Control (it reads a file), but lock- and heap-free.
#ifndef SOFTLBR_PLATFORM_LINUX_AUXILIARY_VECTOR_H_
#define SOFTLBR_PLATFORM_LINUX_AUXILIARY_VECTOR_H_

#include <cstdint>

namespace softlbr::platform {

// 0 if absent or if /proc is not to be had.
uint64_t AuxiliaryValue(uint64_t type);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_AUXILIARY_VECTOR_H_
