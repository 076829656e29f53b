// Masks of one bit per lane, which the files of the mask ops share. Context: handler.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_VECTOR_LANE_MASK_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_VECTOR_LANE_MASK_H_

#include "runtime/lookahead/ops/evaluator_state.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {

// One bit per lane, at most 64, and which of them are known.
struct LaneMask {
  uint64_t bits;
  uint64_t known;
};

// The mask in a scalar register slot.
SOFTLBR_HANDLER_SAFE inline LaneMask ReadMask(const MachineContext& context, uint32_t slot) {
  return LaneMask{context.regs[slot], ExpandKnown(context.known[slot])};
}
// Bits [0, lanes) of the mask become dst, a scalar register slot; the bits above are 0.
SOFTLBR_HANDLER_SAFE void WriteMask(MachineContext* context, const softlbr_uop& uop, LaneMask mask, uint32_t lanes);

// The top bit of each lane of the low `width` bytes.
SOFTLBR_HANDLER_SAFE LaneMask TopBits(const VectorValue& v, uint32_t width, uint32_t lane_bytes);

// Lane i of the result is a's if the mask bit is 1, b's if it is 0. If the mask bit is UNKNOWN, only bytes equal in
// both are known.
SOFTLBR_HANDLER_SAFE void SelectLanes(MachineContext* context, const softlbr_uop& uop, LaneMask mask,
                                      const VectorValue& a, const VectorValue& b);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_VECTOR_LANE_MASK_H_
