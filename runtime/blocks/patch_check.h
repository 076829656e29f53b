// Has code been patched in place since it was lifted?
//
// Why: XRay, hot patches and trampolines of tracers write into the text of modules that stay where they are. What was lifted
//   before would be followed for ever.
// Who: the control thread, every tenth round, kCheckedBlocks blocks a time; the kernel reads the code for us, so
//   none of it needs to be there still.
// Cost: 0.4 us a block (27 us in 80 ms at most). All cached blocks have been looked at after their number / kCheckedBlocks times
//   80 ms: 9 s where the cache is full, one for a program of a thousand blocks.
// Not seen: a patch that is undone before its turn comes. Where the kernel refuses process_vm_readv nothing is seen.
// Memory: kCheckedBytes on the stack.
#ifndef SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_
#define SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_

#include <cstdint>

#include "runtime/blocks/block_cache.h"

namespace softlbr {

// True if one of the next blocks was lifted from other bytes than stand there now. *next: where to go on, 0 at first.
bool IsCachedCodeStale(BlockCache* cache, uint32_t* next);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_
