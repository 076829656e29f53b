// The code of a perf event's SIGTRAP, which not every libc defines.
#ifndef SOFTLBR_PLATFORM_BASE_TRAP_CODE_H_
#define SOFTLBR_PLATFORM_BASE_TRAP_CODE_H_

#include <cstdint>

namespace softlbr {

inline constexpr int32_t kTrapPerf = 6;  // TRAP_PERF

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_TRAP_CODE_H_
