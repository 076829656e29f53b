// Detects code that was patched in place after it had been lifted.
//
// Why: XRay, hot patches and tracers' trampolines write into the text of modules that stay mapped. Without this check, traces would
//   follow the cached blocks of the old code for ever.
// Who: the control thread, every tenth round (80 ms), kCheckedBlocks cached blocks at a time. The kernel copies the code, so it
//   need not be mapped any more.
// Cost: 0.4 us a block, so at most 27 us in 80 ms. One pass over the cache takes 1 s with a thousand blocks and 9 s when full.
// Missed: a patch that is undone before its block is checked. Nothing is detected where the kernel refuses process_vm_readv.
// Memory: kCheckedBlocks windows of code, 18 KiB, on the control thread's stack.
#ifndef SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_
#define SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_

#include <cstdint>

#include "runtime/blocks/block_cache.h"

namespace softlbr {

// True if the code of one of the next blocks has changed or is gone. *next: the position in the cache, 0 at first; updated.
bool IsCachedCodeStale(BlockCache* cache, uint32_t* next);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_
