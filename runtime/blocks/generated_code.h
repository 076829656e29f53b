// Cached blocks of code that the program generates or changes: JIT compilers, trampolines, libraries not known yet.
//
// Why: lifting takes as long as evaluating, or longer. Such code may change at any time and nobody reports it, so a cached block of
//   it counts only while its bytes have the sum that they had when it was lifted.
// When: at the block's first use after each true state. What follows is a prediction from the memory at that moment, so that later
//   changes make no difference.
// Context: handler. Memory: kComparedBlocks entries in the scratch state. Full: an entry is overwritten, and its block compared again.
// Reads: as the lifter does, but through the cached lines where reads are guarded (lookahead/memory/guarded_read.h).
#ifndef SOFTLBR_RUNTIME_BLOCKS_GENERATED_CODE_H_
#define SOFTLBR_RUNTIME_BLOCKS_GENERATED_CODE_H_

#include "platform/base/attributes.h"
#include "runtime/blocks/block_cache.h"
#include "runtime/lookahead/scratch_state.h"

namespace softlbr {

// At each true state: no block counts as compared any more.
SOFTLBR_HANDLER_SAFE void ForgetComparisons(ScratchState* scratch);
// True if the code of a cached block has not changed since it was lifted. found.links must not be null. Overwrites scratch->code.
SOFTLBR_HANDLER_SAFE bool IsCodeCurrent(ScratchState* scratch, const FoundBlock& found);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BLOCKS_GENERATED_CODE_H_
