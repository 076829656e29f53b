// Is a micro-operation, or a terminator, one that the evaluator can run without reading or writing outside its context?
//
// Who calls: runtime/blocks/block_check.cc, once per lifted block: a plugin is foreign code. Context: handler. Cost: a few ns.
// What is refused is exactly what ops_*.cc rely on: register slots and vector extents in range, widths and lanes that exist, shift
// amounts below 64, register slots named by imm.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_UOP_CHECK_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_UOP_CHECK_H_

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"

namespace softlbr {

SOFTLBR_HANDLER_SAFE bool IsUopWellFormed(const softlbr_uop& uop);
SOFTLBR_HANDLER_SAFE bool IsTerminatorWellFormed(const softlbr_terminator& end);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_UOP_CHECK_H_
