// Cached blocks of code that the program generates or changes: JIT compilers, trampolines, libraries not known yet.
//
// Why: lifting takes as long as evaluating, or longer, so blocks are cached. Such code may change at any time without
//   notice, so a cached block of it is used only while the checksum of its bytes is the same as when it was lifted.
// When: at the block's first use after each true state. The path from there is predicted from the memory of that
//   moment, so later changes need not be seen.
// Context: handler. Memory: kComparedBlocks entries in the scratch state. Full: an entry is overwritten, and its block
// compared again. Reads: as the lifter does, but through the cached lines where reads are guarded
// (lookahead/memory/guarded_read.h).
#ifndef SOFTLBR_RUNTIME_BLOCKS_GENERATED_CODE_H_
#define SOFTLBR_RUNTIME_BLOCKS_GENERATED_CODE_H_

#include "platform/base/attributes.h"
#include "runtime/blocks/block_cache.h"
#include "runtime/lookahead/scratch_state.h"

namespace softlbr {

// At each true state: no block counts as compared any more.
SOFTLBR_HANDLER_SAFE void ForgetComparisons(ScratchState* scratch);
// True if the code of a cached block has not changed since it was lifted. found.links must not be null. Overwrites
// scratch->code.
SOFTLBR_HANDLER_SAFE bool IsCodeCurrent(ScratchState* scratch, const FoundBlock& found);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BLOCKS_GENERATED_CODE_H_
