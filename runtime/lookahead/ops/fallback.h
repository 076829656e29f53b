// What an op leaves behind when it cannot be computed: its results UNKNOWN, nothing else touched.
// Context: handler. Who calls: the vector and floating-point families.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FALLBACK_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FALLBACK_H_

#include "runtime/lookahead/ops/evaluator_state.h"

namespace softlbr {

// Bytes [0, bytes) of consecutive register slots become UNKNOWN; no other byte changes. bytes <= 64.
SOFTLBR_HANDLER_SAFE void ForgetBytes(MachineContext* context, uint32_t slot, uint32_t bytes);

// Every byte and flag that a vector or floating-point uop may write becomes UNKNOWN. Ops whose extent is not plain from the
// uop forget the whole register.
SOFTLBR_HANDLER_SAFE void ForgetResult(Evaluator* evaluator, const softlbr_uop& uop);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FALLBACK_H_
