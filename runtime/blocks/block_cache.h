// Lifted blocks, shared by all threads: code is lifted again only after its block was evicted or invalidated.
//
// Writers: handlers look up and insert concurrently, lock-free, on any thread. The control thread, and threads that
//   unload a library, invalidate everything.
// Memory:  one index and a store of two halves, in the session's region. Nothing grows.
// Look-up, cheapest first:
//   1. the successor link of the block before: where that block led last time;
//   2. the index, by start address;
//   3. for entries into the middle of a block, a hint for each 64 bytes of code: the start of a block that touches
//   them.
// Full:    each epoch fills one half, alternately. When the current half is full, the next epoch begins: the blocks of
//          the other half, filled in the epoch before, are evicted, and that half is filled again. Eviction is thus
//          first in, first out by halves. Handlers that entered before the switch may still read the other half, so no
//          block is cached until they have left.
//
// Invariants:
//   I1  A handler uses a block only between EnterBlockCache and LeaveBlockCache.
//   I2  Bytes of half h are written only in an epoch e with h == e & 1, after every handler of epochs < e has left.
//   I3  A ref is valid only if its epoch is e or e - 1, and not before the last invalidation.
//   I4  Every block that can be found is in the index. A block that is replaced there gets pc 0, so that no successor
//       link finds it either. A walk over the index therefore sees all code that may still be followed (patch_check.h).
//   I5  A block of generated code is used only after its code was compared (generated_code.h).
#ifndef SOFTLBR_RUNTIME_BLOCKS_BLOCK_CACHE_H_
#define SOFTLBR_RUNTIME_BLOCKS_BLOCK_CACHE_H_

#include <atomic>
#include <cstdint>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "platform/safe_read.h"
#include "runtime/lookahead/evaluator.h"

namespace softlbr {

inline constexpr uint32_t kCodeLineShift = 6;
static_assert((kBlockCacheSets & (kBlockCacheSets - 1)) == 0 && (kBlockHints & (kBlockHints - 1)) == 0,
              "both are used as masks");

// Refs of the blocks that last followed a cached block: [0] after a branch not taken, [1] after a taken one. Any
// handler writes.
struct BlockLinks {
  std::atomic<uint64_t> successor[2];
};

struct BlockCache {
  // A ref names a packed block: epoch << 32 | offset / 16 in the store. Writers store ref last. A reader compares pc,
  // loads ref and compares the pc of the packed block, as another writer may have replaced both in between.
  struct IndexEntry {
    std::atomic<uint64_t> pc;
    std::atomic<uint64_t> ref;
  };
  // epoch << 32 | 16-byte units used of the current half. One word, so that units are never claimed in the wrong epoch.
  std::atomic<uint64_t> cursor;
  std::atomic<uint32_t> oldest_valid_epoch;  // entries before it were invalidated
  std::atomic<uint32_t> is_switching;
  alignas(64) std::atomic<uint32_t> readers[2];  // handlers inside, by epoch & 1
  uint8_t* store;                                // two halves
  uint32_t half_units;
  alignas(64) IndexEntry index[kBlockCacheSets * kBlockCacheWays];
  std::atomic<uint64_t> hints[kBlockHints];  // start address of a block that touches the code line
};

// Control, once. *cache is zeroed memory. store: 64-byte aligned, store_bytes a multiple of 128; it need not be zero.
void InitBlockCache(BlockCache* cache, uint8_t* store, uint64_t store_bytes);
// Any thread: every block lifted so far is forgotten (code was unloaded or changed).
void InvalidateBlockCache(BlockCache* cache);

// A handler makes every other call between these two, with the epoch that EnterBlockCache returned. At most
// kCacheEnterAttempts attempts; an epoch of 0 means that nothing can be found or inserted this time.
SOFTLBR_HANDLER_SAFE uint32_t EnterBlockCache(BlockCache* cache);
SOFTLBR_HANDLER_SAFE void LeaveBlockCache(BlockCache* cache, uint32_t epoch);

struct FoundBlock {
  BlockView view;
  uint32_t first;     // index of the instruction that was asked for
  BlockLinks* links;  // for the next FindBlock; nullptr for a block that is not cached
  uint32_t code_sum;
  bool is_generated;  // its code may change at any time: compare it before use (generated_code.h)
};

// Finds a block with an instruction that starts at pc, preferably a block that itself starts there. `link`: the
// successor link that led here, from the block found before in this epoch, or nullptr; it is corrected if it led
// elsewhere. Cost: at most
// 2 * kBlockCacheWays index entries and one block's instructions.
SOFTLBR_HANDLER_SAFE bool FindBlock(BlockCache* cache, uint32_t epoch, uint64_t pc, std::atomic<uint64_t>* link,
                                    FoundBlock* found);
// Copies `block` into the store. False if there is no room right now: nothing is left behind and the caller uses its
// own copy. code: the bytes that it was lifted from, in memory that nobody writes; the cache keeps their sum.
// is_generated: of no module.
SOFTLBR_HANDLER_SAFE SOFTLBR_COLD bool InsertBlock(BlockCache* cache, uint32_t epoch, const softlbr_block& block,
                                                   const uint8_t* code, bool is_generated);

// Checksum of a block's code bytes. Two different byte strings have equal sums with a probability of 2^-32.
SOFTLBR_HANDLER_SAFE uint32_t CodeSum(const uint8_t* code, uint64_t bytes);
// Control. Lists the code of up to `most` cached blocks of modules, and its sums, starting at index entry *next. Sets
// *next to the entry at which to continue; 0 after the last entry.
uint32_t ListCachedCode(BlockCache* cache, uint32_t* next, uint32_t most, platform::MemoryChunk* chunks,
                        uint32_t* sums);

// Index of the instruction of `view` that starts at pc; instruction_count if none does.
SOFTLBR_HANDLER_SAFE inline uint32_t InstructionAt(const BlockView& view, uint64_t pc) {
  uint64_t at = view.pc;
  for (uint32_t i = 0; i < view.instruction_count; ++i) {
    if (at == pc) return i;
    at += view.length[i];
  }
  return view.instruction_count;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_BLOCKS_BLOCK_CACHE_H_
