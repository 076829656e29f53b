// Checks that the evaluator can run a micro-operation or a terminator without reading or writing outside its context.
//
// Who calls: runtime/blocks/block_check.cc, once per lifted block: a plugin is foreign code. Context: handler. Cost: a
// few ns.
// It checks exactly what evaluator.cc and ops/ rely on: register slots (also those in imm) and vector extents are in
// range, widths and lanes exist, shift amounts are below 64.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_UOP_CHECK_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_UOP_CHECK_H_

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"

namespace softlbr {

SOFTLBR_HANDLER_SAFE bool IsUopWellFormed(const softlbr_uop& uop);
SOFTLBR_HANDLER_SAFE bool IsTerminatorWellFormed(const softlbr_terminator& end);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_UOP_CHECK_H_
