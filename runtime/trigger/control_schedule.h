// When the sessions of a schedule begin: at random times with a given average interval, so that devices of a fleet do
// not record in step.
//
// Pure functions of the time and of a random number, which the caller gives. Any context.
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_SCHEDULE_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_SCHEDULE_H_

#include <cstdint>

namespace softlbr {

inline constexpr uint64_t kNeverNs = ~uint64_t{0} >> 2;
inline constexpr uint32_t kLongestEveryMs = 7 * 24 * 3600 * 1000;

// The first start: uniform in [now, now + every). every_ms 0: kNeverNs.
uint64_t FirstScheduledNs(uint64_t now_ns, uint32_t every_ms, uint64_t random);
// The start after one that was due at due_ns and began before now_ns: uniform in [due + every / 2, due + 3 * every /
// 2). If that is less than half an interval from now, because the device slept or was busy, the interval is counted
// from now. So missed sessions are not made up for, and a session of up to half the interval ends before the next is
// due.
uint64_t NextScheduledNs(uint64_t due_ns, uint64_t now_ns, uint32_t every_ms, uint64_t random);
// True in skip_ppm of a million cases.
bool IsSkipped(uint32_t skip_ppm, uint64_t random);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_SCHEDULE_H_
