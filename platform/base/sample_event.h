// Defines SampleEvent from sample_events.def.
#ifndef SOFTLBR_PLATFORM_BASE_SAMPLE_EVENT_H_
#define SOFTLBR_PLATFORM_BASE_SAMPLE_EVENT_H_

#include <cstdint>

namespace softlbr::platform {

#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) +1
inline constexpr uint8_t kSampleEventCount = 0
#include "platform/base/sample_events.def"
    ;

enum class SampleEvent : uint8_t {
#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) name = number,
#include "platform/base/sample_events.def"
  kMaxValue = kSampleEventCount - 1,
};

#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) \
  static_assert(number < kSampleEventCount, "the numbers have no gaps");
#include "platform/base/sample_events.def"

// True if the event's period is in nanoseconds. False also for a value that is not an event.
constexpr bool IsClock(SampleEvent event) {
#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) || (is_clock && event == SampleEvent::name)
  return false
#include "platform/base/sample_events.def"
      ;
}

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_BASE_SAMPLE_EVENT_H_
