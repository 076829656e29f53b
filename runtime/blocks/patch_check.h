// Detects code that was patched in place after it had been lifted.
//
// Why: XRay, hot patches and tracers' trampolines write into the text of modules that stay mapped. Without this check,
//   traces would follow the cached blocks of the old code for ever.
// Who: the control thread checks kCheckedBlocks cached blocks at each look while no breakpoint is armed (128 ms). The
//   kernel copies the code, so the check is safe if the code is no longer mapped.
// Cost: about 10 us. One pass over the cache takes 2 s with a thousand blocks and 13 s when full.
// Missed: a patch that is undone before its block is checked; every patch where the kernel refuses process_vm_writev
//   and process_vm_readv.
// Memory: kCheckedBlocks windows of code, 18 KiB, on the control thread's stack.
#ifndef SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_
#define SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_

#include <cstdint>

#include "runtime/blocks/block_cache.h"

namespace softlbr {

// True if the code of one of the next blocks has changed or is gone. *next: the position in the cache, 0 at first;
// updated.
bool IsCachedCodeStale(BlockCache* cache, uint32_t* next);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BLOCKS_PATCH_CHECK_H_
