// One lane of a floating-point op, which the files of the floating-point ops share. Context: handler.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FLOAT_LANE_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FLOAT_LANE_H_

#include "runtime/lookahead/ops/evaluator_state.h"

namespace softlbr {

inline constexpr uint32_t kScalarBytes = 16;  // written by SCALAR ops

// The result of uop.op for lanes of uop.aux bytes: exact or UNKNOWN, as ops_float.cc says. z: the third operand of
// FMADD.
SOFTLBR_HANDLER_SAFE Value RunFloatLane(const MachineContext& context, const softlbr_uop& uop, Value x, Value y,
                                        Value z);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_OPS_FLOAT_LANE_H_
