#include "runtime/trigger/control_schedule.h"

namespace softlbr {
namespace {

constexpr uint64_t kNsPerMs = 1000000;
constexpr uint64_t kMillion = 1000000;

// Uniform in [0, bound): the modulo's bias is below 2^-12 for the longest interval.
uint64_t Below(uint64_t bound, uint64_t random) { return bound == 0 ? 0 : random % bound; }

}  // namespace

uint64_t FirstScheduledNs(uint64_t now_ns, uint32_t every_ms, uint64_t random) {
  return every_ms == 0 ? kNeverNs : now_ns + Below(every_ms * kNsPerMs, random);
}

uint64_t NextScheduledNs(uint64_t due_ns, uint64_t now_ns, uint32_t every_ms, uint64_t random) {
  const uint64_t every_ns = every_ms * kNsPerMs;
  const uint64_t gap_ns = every_ns / 2 + Below(every_ns, random);
  return due_ns + gap_ns >= now_ns + every_ns / 2 ? due_ns + gap_ns : now_ns + gap_ns;
}

bool IsSkipped(uint32_t skip_ppm, uint64_t random) { return random % kMillion < skip_ppm; }

}  // namespace softlbr
