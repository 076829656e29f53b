// Checks that a block keeps the promises of the decoder ABI: once for each lifted block, before it is run or cached.
//
// Why: a plugin is foreign code. A register slot or a count out of range would make the evaluator write outside its
// context. Context: handler. Cost: a few comparisons per uop. Memory: none.
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
