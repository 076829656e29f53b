// The register file that the evaluator works on: register slots (decoders/api/ir.h) and, per register slot, which bytes are known.
//
// Writers: platform/cpu_context.h fills it from a signal frame; the evaluator changes it.
// Memory: about 3.4 KiB, one in each scratch state (runtime/lookahead/scratch_state.h).
// Invariant: bit i of known[c] is set iff byte i of register slots[c] equals what the CPU would hold.
#ifndef SOFTLBR_PLATFORM_BASE_MACHINE_CONTEXT_H_
#define SOFTLBR_PLATFORM_BASE_MACHINE_CONTEXT_H_

#include <cstdint>

namespace softlbr {

inline constexpr uint32_t kRegisterSlotCount = 384;  // SOFTLBR_REG_COUNT; checked where both headers meet
inline constexpr uint8_t kAllKnown = 0xff;

struct MachineContext {
  uint64_t regs[kRegisterSlotCount];
  uint8_t known[kRegisterSlotCount];
  uint64_t pc;
  uint64_t sp;
  uint8_t flags;             // packed SOFTLBR_FLAG_* values
  uint8_t flags_known;       // the same bits: known or UNKNOWN
  bool rounding_is_default;  // MXCSR/FPCR: nearest even, no flush-to-zero, exceptions masked
  bool flushes_denormals;    // the same but for denormals, of which operands, results or both become 0
};

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_MACHINE_CONTEXT_H_
