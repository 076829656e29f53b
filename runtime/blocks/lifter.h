// Turns the program's code at a pc into a block of IR, with the decoder plugin.
//
// Who calls: the tracer, for a block that the cache does not hold; the search for the exit of a critical section.
// Context: handler. Cost: two page look-ups, and 60 to 300 ns for each instruction lifted.
// Memory: the caller's scratch state. The code is copied to scratch->code and lifted from there, so that the bytes
//   summed for the patch check (patch_check.h) are the bytes lifted, even while another thread patches them.
// Reads: at most kCodeWindowBytes from pc on, and only from pages found readable. While another thread may unmap pages,
//   the kernel copies the code (memory.is_guarded, lookahead/memory/guarded_read.h).
// Trust: a plugin is foreign code. Its block is checked (block_check.h) before it is run or cached.
#ifndef SOFTLBR_RUNTIME_BLOCKS_LIFTER_H_
#define SOFTLBR_RUNTIME_BLOCKS_LIFTER_H_

#include <cstdint>

#include "decoders/api/plugin.h"
#include "platform/base/attributes.h"
#include "platform/base/reasons.h"
#include "runtime/lookahead/scratch_state.h"

namespace softlbr {

// Lifts the block at pc into scratch->block and leaves its bytes in scratch->code. Returns kNone. On failure both are
// undefined and the result is
//   kUnreadableCode  the first byte cannot be read;
//   kUndecodable     the bytes at pc are no known instruction, or the rest of the instruction cannot be read;
//   kDecoderFailed   the plugin failed, or broke the ABI's promises.
// A block ends with the last instruction that lies entirely in the window; the next block starts after it.
SOFTLBR_HANDLER_SAFE AbortReason LiftBlock(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder,
                                           ScratchState* scratch, uint64_t pc);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BLOCKS_LIFTER_H_
