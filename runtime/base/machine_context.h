// The register file that the evaluator works on: cells (decoders/api/ir.h) and, per cell, which bytes are known.
//
// Writers: platform/cpu_context.h fills it from a signal frame; the evaluator changes it.
// Memory: about 3.4 KiB, one per traced thread, in the runtime's region.
// Invariant: bit i of known[c] is set iff byte i of cells[c] equals what the CPU would hold.
#ifndef SOFTLBR_RUNTIME_BASE_MACHINE_CONTEXT_H_
#define SOFTLBR_RUNTIME_BASE_MACHINE_CONTEXT_H_

#include <cstdint>

namespace softlbr {

inline constexpr uint32_t kCellCount = 384;  // SOFTLBR_CELL_COUNT; checked where both headers meet
inline constexpr uint8_t kAllKnown = 0xff;

struct MachineContext {
  uint64_t cells[kCellCount];
  uint8_t known[kCellCount];
  uint64_t pc;
  uint64_t sp;
  uint8_t flags;           // packed SOFTLBR_FLAG_* values
  uint8_t flags_known;     // the same bits: known or UNKNOWN
  bool rounding_is_default;  // MXCSR/FPCR: nearest even, no flush-to-zero, exceptions masked
  bool flushes_denormals;    // the same but for denormals, of which operands, results or both become 0
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BASE_MACHINE_CONTEXT_H_
