// Lifted blocks, kept for all threads: an instruction becomes IR once, then not again until it is overwritten.
//
// Who: handlers look up and insert, lock-free, on any thread at once; the control thread invalidates.
// Memory: one index and two halves of a packed store, all in the session's region; nothing grows.
// Found: through the block before, which keeps where its two ways out led last; else by start address, and for entries into
//   the middle of a block through a hint per 64 bytes of code.
// Full: the half being filled is full. The other half, filled before it, is then given up and filled anew (first in, first
//   out by halves). A handler may still be reading blocks there, so filling waits until every handler that entered before the
//   switch has left; meanwhile new blocks stay uncached. Nothing is wrong, only lifted again.
//
// Invariants:
//   I1  A handler uses a block only between EnterBlockCache and LeaveBlockCache.
//   I2  Bytes of half h are written only in an epoch e with h == e & 1, after every handler of epochs < e has left.
//   I3  An index entry is valid only if its epoch is e or e - 1 (and not before the last invalidation).
//   I4  A block that is found stands in the index: one that is replaced there is not found by a way out of another either. So
//       whoever goes through the index has seen all code that may still be followed (code_check.h).
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
static_assert((kBlockCacheSets & (kBlockCacheSets - 1)) == 0 && (kBlockHints & (kBlockHints - 1)) == 0, "both are used as masks");

// Where the ways out of a cached block led last: [0] not taken, [1] taken; places as in IndexEntry. Any handler writes.
struct BlockLinks {
  std::atomic<uint64_t> place[2];
};

struct BlockCache {
  // pc, and where its block lies: epoch << 32 | offset / 16 in the store. Written place last, read place first and again.
  struct IndexEntry {
    std::atomic<uint64_t> pc;
    std::atomic<uint64_t> place;
  };
  IndexEntry index[kBlockCacheSets * kBlockCacheWays];
  std::atomic<uint64_t> hints[kBlockHints];  // start address of a block that touches the code line
  // epoch << 32 | 16-byte units used of the current half: one word, so that a claim can not fall into the wrong epoch.
  alignas(64) std::atomic<uint64_t> cursor;
  std::atomic<uint32_t> oldest_valid_epoch;  // entries before it were invalidated
  std::atomic<uint32_t> is_switching;
  alignas(64) std::atomic<uint32_t> readers[2];  // handlers inside, by epoch & 1
  uint8_t* store;                                // two halves
  uint32_t half_units;
};

// Control. store: 64-byte aligned, store_bytes a multiple of 128; the structure itself is zeroed memory.
void InitBlockCache(BlockCache* cache, uint8_t* store, uint64_t store_bytes);
// Any context: every block lifted so far is forgotten (code was unloaded or changed).
SOFTLBR_HANDLER_SAFE void InvalidateBlockCache(BlockCache* cache);

// Brackets of a handler. The value returned by Enter goes to every other call and to Leave.
SOFTLBR_HANDLER_SAFE uint32_t EnterBlockCache(BlockCache* cache);
SOFTLBR_HANDLER_SAFE void LeaveBlockCache(BlockCache* cache, uint32_t epoch);

// A block as found, and how the search for the next one gets shorter.
struct FoundBlock {
  BlockView view;
  uint32_t first;     // index of the instruction that was asked for
  BlockLinks* links;  // nullptr for a block that is not cached
};

// Block holding an instruction that starts at pc, preferring one that starts there. `link`: the way that led here, out of the
// last block found in this epoch, or nullptr. At most kBlockCacheWays + one block's instructions of steps.
SOFTLBR_HANDLER_SAFE bool FindBlock(BlockCache* cache, uint32_t epoch, uint64_t pc, std::atomic<uint64_t>* link, FoundBlock* found);
// Copies `block` into the store; on failure (no room right now) nothing is left behind and the caller uses its own copy.
// code: the bytes it was lifted from, where nobody writes; their sum is kept.
SOFTLBR_HANDLER_SAFE SOFTLBR_COLD bool InsertBlock(BlockCache* cache, uint32_t epoch, const softlbr_block& block,
                                                   const uint8_t* code);

// Of a block's code bytes: other bytes have another sum, but for one in 2^32.
SOFTLBR_HANDLER_SAFE uint32_t CodeSum(const uint8_t* code, uint64_t bytes);
// Control. Where cached blocks were lifted from, and the sum of the code there: up to `most`, from index entry *next on, which
// moves on and is 0 again at the end.
uint32_t ListCachedCode(BlockCache* cache, uint32_t* next, uint32_t most, platform::MemoryChunk* chunks, uint32_t* sums);

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
