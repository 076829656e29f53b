// Sets the results of an op that cannot be computed to UNKNOWN and leaves everything else alone.
// Context: handler. Who calls: the vector and floating-point families.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FALLBACK_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FALLBACK_H_

#include "runtime/lookahead/ops/evaluator_state.h"

namespace softlbr {

// Bytes [0, bytes) of consecutive register slots become UNKNOWN; no other byte changes. bytes <= 64.
SOFTLBR_HANDLER_SAFE void ForgetBytes(MachineContext* context, uint32_t slot, uint32_t bytes);

// Every byte and flag that a vector or floating-point uop may write becomes UNKNOWN. If the uop does not show how much
// it writes, the whole register does.
SOFTLBR_HANDLER_SAFE void ForgetResult(Evaluator* evaluator, const softlbr_uop& uop);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FALLBACK_H_
