// Defines AbortReason and LossReason from reasons.def.
#ifndef SOFTLBR_PLATFORM_BASE_REASONS_H_
#define SOFTLBR_PLATFORM_BASE_REASONS_H_

#include <cstdint>

namespace softlbr {

// Why a trace ended before it was full.
enum class AbortReason : uint8_t {
#define SOFTLBR_ABORT(name, key, value, meaning) name = value,
#include "platform/base/reasons.def"
#undef SOFTLBR_ABORT
};

// What was lost. Every loss is counted; none is silent.
enum class LossReason : uint8_t {
#define SOFTLBR_LOSS(name, key, value, meaning) name = value,
#include "platform/base/reasons.def"
#undef SOFTLBR_LOSS
};

#define SOFTLBR_ABORT(name, key, value, meaning) +1
inline constexpr uint32_t kAbortReasonCount = 0
#include "platform/base/reasons.def"
    ;
#undef SOFTLBR_ABORT
#define SOFTLBR_LOSS(name, key, value, meaning) +1
inline constexpr uint32_t kLossReasonCount = 0
#include "platform/base/reasons.def"
    ;
#undef SOFTLBR_LOSS

#define SOFTLBR_ABORT(name, key, value, meaning) static_assert(value < kAbortReasonCount, "the values have no gaps");
#define SOFTLBR_LOSS(name, key, value, meaning) static_assert(value < kLossReasonCount, "the values have no gaps");
#include "platform/base/reasons.def"
#undef SOFTLBR_ABORT
#undef SOFTLBR_LOSS

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_REASONS_H_
