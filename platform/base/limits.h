// Defines each line of limits.def as a constant.
#ifndef SOFTLBR_PLATFORM_BASE_LIMITS_H_
#define SOFTLBR_PLATFORM_BASE_LIMITS_H_

#include <cstdint>

namespace softlbr {

#define SOFTLBR_LIMIT(name, value, reason) inline constexpr uint64_t name = value;
#include "platform/base/limits.def"
#undef SOFTLBR_LIMIT

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_LIMITS_H_
