// The 64 bits that our events carry with their signal (perf's sig_data, a timer's si_value).
//
//   63           48 47           32 31                            0
//   | kSigDataMagic |  slot index   |          generation         |
//
// Magic:      distinguishes our traps from those of other users of perf and timers.
// Slot:       the ThreadSlot that the trap belongs to, so that the handler needs no thread-local storage and no search.
//             Generation: the arming of the breakpoint (ThreadSlot::arm_generation), so that a hit that was pending
//             when the breakpoint moved
//             is not taken for a hit of the next arming.
// Context: any.
#ifndef SOFTLBR_RUNTIME_TRACE_SIG_DATA_H_
#define SOFTLBR_RUNTIME_TRACE_SIG_DATA_H_

#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr {

inline constexpr uint64_t kSigDataMagic = 0x51b7ull << 48;
SOFTLBR_HANDLER_SAFE inline uint64_t MakeSigData(uint32_t slot, uint32_t generation) {
  return kSigDataMagic | static_cast<uint64_t>(slot & 0xffff) << 32 | generation;
}
SOFTLBR_HANDLER_SAFE inline bool IsOurSigData(uint64_t sig_data) {
  return (sig_data & 0xffffull << 48) == kSigDataMagic;
}
SOFTLBR_HANDLER_SAFE inline uint32_t SlotOfSigData(uint64_t sig_data) {
  return static_cast<uint32_t>(sig_data >> 32) & 0xffff;
}
SOFTLBR_HANDLER_SAFE inline uint32_t GenerationOfSigData(uint64_t sig_data) { return static_cast<uint32_t>(sig_data); }

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRACE_SIG_DATA_H_
