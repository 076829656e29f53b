// The register file of the shadow context: register slots (decoders/api/ir.h) and, for each slot, which bytes are
// known.
//
// Writers: platform/cpu_context.h fills it from a signal frame; the evaluator changes it.
// Memory: about 3.4 KiB, one in each scratch state (runtime/lookahead/scratch_state.h).
// Invariant: if bit i of known[s] is set, byte i of regs[s] equals what the CPU would hold.
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
  uint8_t flags_known;       // the same bits: 1 if the flag is known
  bool rounding_is_default;  // MXCSR/FPCR: round to nearest even, no flush-to-zero, exceptions masked
  bool flushes_denormals;    // differs from the default only in denormals: operands, results or both are flushed to 0
};

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_MACHINE_CONTEXT_H_
