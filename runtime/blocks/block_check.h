// Does a block that a plugin handed over keep the ABI's promises? Asked once per lifted block, before it is run or cached.
//
// Context: handler. Cost: a few compares per uop. A plugin is foreign code to the runtime: a register slot number or a count out of
// range would make the evaluator write outside its context.
#ifndef SOFTLBR_RUNTIME_BLOCKS_BLOCK_CHECK_H_
#define SOFTLBR_RUNTIME_BLOCKS_BLOCK_CHECK_H_

#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"

namespace softlbr {

// True if counts, lengths and register slots are in range and the block lies in [pc, pc + bytes).
SOFTLBR_HANDLER_SAFE bool IsBlockWellFormed(const softlbr_block& block, uint64_t pc, uint32_t bytes);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BLOCKS_BLOCK_CHECK_H_
