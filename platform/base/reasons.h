// AbortReason and LossReason, from reasons.def.
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
inline constexpr uint32_t kAbortReasonCount = 25;

// What was lost. Every loss is counted; none is silent.
enum class LossReason : uint8_t {
#define SOFTLBR_LOSS(name, key, value, meaning) name = value,
#include "platform/base/reasons.def"
#undef SOFTLBR_LOSS
};
inline constexpr uint32_t kLossReasonCount = 15;

#define SOFTLBR_ABORT(name, key, value, meaning) static_assert(value < kAbortReasonCount, "raise kAbortReasonCount");
#define SOFTLBR_LOSS(name, key, value, meaning) static_assert(value < kLossReasonCount, "raise kLossReasonCount");
#include "platform/base/reasons.def"
#undef SOFTLBR_ABORT
#undef SOFTLBR_LOSS

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_REASONS_H_
