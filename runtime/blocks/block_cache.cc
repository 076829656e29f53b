#include "runtime/blocks/block_cache.h"

#include "platform/base/bytes.h"
#include "platform/base/limits.h"

namespace softlbr {
namespace {

constexpr uint32_t kUnitBytes = 16;

// A block as it lies in the store: this, then uops, then lengths, then uop counts.
struct PackedBlock {
  std::atomic<uint64_t> pc;  // 0: no longer in the index (I4)
  uint32_t code_sum;
  uint16_t byte_length;
  uint8_t instruction_count;
  uint8_t uop_count;
  BlockLinks links;
  softlbr_terminator end;
};
static_assert(sizeof(PackedBlock) % kUnitBytes == 0, "uops follow and want their alignment");
static_assert(SOFTLBR_BLOCK_MAX_INSTRUCTIONS <= 255 && SOFTLBR_BLOCK_MAX_UOPS <= 255 && kCodeWindowBytes <= 65535,
              "they fit PackedBlock");

SOFTLBR_HANDLER_SAFE uint32_t UnitsOf(const softlbr_block& block) {
  const uint32_t bytes =
      static_cast<uint32_t>(sizeof(PackedBlock) + block.uop_count * sizeof(softlbr_uop)) + 2u * block.instruction_count;
  return (bytes + kUnitBytes - 1) / kUnitBytes;
}

SOFTLBR_HANDLER_SAFE uint64_t Hash(uint64_t value) {
  value *= 0x9e3779b97f4a7c15ull;
  return value ^ (value >> 29);
}

SOFTLBR_HANDLER_SAFE uint64_t Place(uint32_t epoch, uint32_t unit) { return static_cast<uint64_t>(epoch) << 32 | unit; }
SOFTLBR_HANDLER_SAFE uint32_t EpochOf(uint64_t place) { return static_cast<uint32_t>(place >> 32); }

// I3. Epoch 0 is never used, so a zeroed entry is invalid.
SOFTLBR_HANDLER_SAFE bool IsValid(const BlockCache& cache, uint32_t epoch, uint64_t place) {
  const uint32_t of = EpochOf(place);
  return (of == epoch || of + 1 == epoch) && of >= cache.oldest_valid_epoch.load(std::memory_order_relaxed) && of != 0;
}

SOFTLBR_HANDLER_SAFE PackedBlock* BlockAt(const BlockCache& cache, uint64_t place) {
  return reinterpret_cast<PackedBlock*>(cache.store + static_cast<uint64_t>(static_cast<uint32_t>(place)) * kUnitBytes);
}

// pc: what packed->pc was found to be; it may be gone from there.
SOFTLBR_HANDLER_SAFE BlockView ViewOf(const PackedBlock* packed, uint64_t pc) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(packed);
  const uint8_t* uops = bytes + sizeof(PackedBlock);
  const uint8_t* lengths = uops + packed->uop_count * sizeof(softlbr_uop);
  return BlockView{pc,
                   packed->byte_length,
                   packed->instruction_count,
                   packed->uop_count,
                   &packed->end,
                   lengths,
                   lengths + packed->instruction_count,
                   reinterpret_cast<const softlbr_uop*>(uops)};
}

// The cached block that starts at pc, and its place; nullptr if there is none.
SOFTLBR_HANDLER_SAFE PackedBlock* FindStart(BlockCache* cache, uint32_t epoch, uint64_t pc, uint64_t* found_place) {
  BlockCache::IndexEntry* set = cache->index + (Hash(pc) & (kBlockCacheSets - 1)) * kBlockCacheWays;
  for (uint32_t way = 0; way < kBlockCacheWays; ++way) {
    if (set[way].pc.load(std::memory_order_relaxed) != pc) continue;
    const uint64_t place = set[way].place.load(std::memory_order_acquire);
    if (!IsValid(*cache, epoch, place)) continue;
    PackedBlock* packed = BlockAt(*cache, place);
    // The entry may have been replaced between the two loads; the packed block says whose it is.
    if (packed->pc.load(std::memory_order_relaxed) != pc) continue;
    *found_place = place;
    return packed;
  }
  return nullptr;
}

SOFTLBR_HANDLER_SAFE uint32_t CurrentEpoch(const BlockCache& cache) {
  return EpochOf(cache.cursor.load(std::memory_order_seq_cst));
}

// Gives up the older half, if nobody else is doing so. The bytes are not touched before the readers of the old epoch have
// left (ClaimUnits checks).
SOFTLBR_HANDLER_SAFE SOFTLBR_COLD void SwitchHalf(BlockCache* cache, uint32_t epoch) {
  if (cache->is_switching.exchange(1, std::memory_order_acquire) != 0) return;
  // Only from the epoch that was found full, and only when the half to come is quiet: no handler of the epoch before is
  // inside (its counter will be that of the new epoch, I2).
  if (CurrentEpoch(*cache) == epoch && cache->readers[(epoch + 1) & 1].load(std::memory_order_seq_cst) == 0) {
    cache->cursor.store(Place(epoch + 1, 0), std::memory_order_seq_cst);
  }
  cache->is_switching.store(0, std::memory_order_release);
}

}  // namespace

SOFTLBR_COLD void InitBlockCache(BlockCache* cache, uint8_t* store, uint64_t store_bytes) {
  cache->store = store;
  cache->half_units = static_cast<uint32_t>(store_bytes / kUnitBytes / 2);
  cache->cursor.store(Place(2, 0), std::memory_order_relaxed);
  cache->oldest_valid_epoch.store(2, std::memory_order_relaxed);
}

SOFTLBR_COLD void InvalidateBlockCache(BlockCache* cache) {
  // Entries of the current epoch and before become invalid; filling goes on after a switch of halves. If a switch is barred
  // just now (readers of the epoch before), new blocks of this epoch stay unusable until one succeeds.
  const uint32_t epoch = CurrentEpoch(*cache);
  cache->oldest_valid_epoch.store(epoch + 1, std::memory_order_seq_cst);
  SwitchHalf(cache, epoch);
}

uint32_t EnterBlockCache(BlockCache* cache) {
  // Bounded: an epoch changes only when a half has been filled, thousands of blocks apart.
  uint32_t epoch = 0;
  for (uint32_t attempt = 0; attempt < kCacheEnterAttempts; ++attempt) {
    epoch = CurrentEpoch(*cache);
    cache->readers[epoch & 1].fetch_add(1, std::memory_order_seq_cst);
    if (CurrentEpoch(*cache) == epoch) return epoch;
    cache->readers[epoch & 1].fetch_sub(1, std::memory_order_seq_cst);
  }
  return 0;  // no valid epoch: every lookup misses, every insert is refused, Leave does nothing
}

void LeaveBlockCache(BlockCache* cache, uint32_t epoch) {
  if (epoch != 0) cache->readers[epoch & 1].fetch_sub(1, std::memory_order_seq_cst);
}

uint32_t CodeSum(const uint8_t* code, uint64_t bytes) {
  uint64_t sum = bytes;
  for (uint64_t i = 0; i < bytes; ++i) sum = (sum ^ code[i]) * 0x9e3779b97f4a7c15ull;
  return static_cast<uint32_t>(sum >> 32);
}

SOFTLBR_COLD uint32_t ListCachedCode(BlockCache* cache, uint32_t* next, uint32_t most, platform::MemoryChunk* chunks,
                                     uint32_t* sums) {
  const uint32_t epoch = EnterBlockCache(cache);
  uint32_t count = 0;
  uint32_t at = *next;
  for (; at < kBlockCacheSets * kBlockCacheWays && count < most; ++at) {
    const uint64_t place = cache->index[at].place.load(std::memory_order_acquire);
    if (!IsValid(*cache, epoch, place)) continue;
    const PackedBlock* packed = BlockAt(*cache, place);
    const uint64_t pc = packed->pc.load(std::memory_order_relaxed);
    if (pc == 0) continue;
    chunks[count] = {pc, packed->byte_length};
    sums[count++] = packed->code_sum;
  }
  LeaveBlockCache(cache, epoch);
  *next = at % (kBlockCacheSets * kBlockCacheWays);
  return count;
}

bool FindBlock(BlockCache* cache, uint32_t epoch, uint64_t pc, std::atomic<uint64_t>* link, FoundBlock* found) {
  if (epoch == 0) return false;
  PackedBlock* packed = nullptr;
  uint64_t place = link != nullptr ? link->load(std::memory_order_acquire) : 0;
  if (IsValid(*cache, epoch, place)) {
    packed = BlockAt(*cache, place);
    if (packed->pc.load(std::memory_order_relaxed) != pc) packed = nullptr;
  }
  if (packed == nullptr) {
    packed = FindStart(cache, epoch, pc, &place);
    if (packed != nullptr && link != nullptr) link->store(place, std::memory_order_release);
  }
  uint32_t first = 0;
  uint64_t start = pc;
  if (packed == nullptr) {
    start = cache->hints[Hash(pc >> kCodeLineShift) & (kBlockHints - 1)].load(std::memory_order_relaxed);
    if (start == 0 || start >= pc) return false;
    packed = FindStart(cache, epoch, start, &place);
    if (packed == nullptr || pc - start >= packed->byte_length) return false;
    first = InstructionAt(ViewOf(packed, start), pc);
    if (first >= packed->instruction_count) return false;
  }
  *found = FoundBlock{ViewOf(packed, start), first, &packed->links};
  return true;
}

bool InsertBlock(BlockCache* cache, uint32_t epoch, const softlbr_block& block, const uint8_t* code) {
  if (epoch == 0 || CurrentEpoch(*cache) != epoch) return false;
  if (cache->oldest_valid_epoch.load(std::memory_order_relaxed) > epoch) {
    SwitchHalf(cache, epoch);
    return false;
  }
  // I2: handlers of the epoch before share the other counter and may read the half we fill.
  if (cache->readers[(epoch + 1) & 1].load(std::memory_order_seq_cst) != 0) return false;
  const uint32_t units = UnitsOf(block);
  // A full half is not added to any further: the count must never reach the epoch's bits.
  if (static_cast<uint32_t>(cache->cursor.load(std::memory_order_relaxed)) >= cache->half_units) {
    SwitchHalf(cache, epoch);
    return false;
  }
  const uint64_t claimed = cache->cursor.fetch_add(units, std::memory_order_seq_cst);
  const uint32_t unit = static_cast<uint32_t>(claimed);
  if (EpochOf(claimed) != epoch) return false;  // switched meanwhile: a few units of the new half stay unused
  if (unit + units > cache->half_units) {
    SwitchHalf(cache, epoch);
    return false;
  }
  const uint32_t absolute = (epoch & 1) * cache->half_units + unit;
  uint8_t* bytes = cache->store + static_cast<uint64_t>(absolute) * kUnitBytes;
  auto* packed = reinterpret_cast<PackedBlock*>(bytes);
  packed->pc.store(block.pc, std::memory_order_relaxed);
  packed->code_sum = CodeSum(code, block.byte_length);
  packed->byte_length = static_cast<uint16_t>(block.byte_length);
  packed->instruction_count = static_cast<uint8_t>(block.instruction_count);
  packed->uop_count = static_cast<uint8_t>(block.uop_count);
  packed->links.place[0].store(0, std::memory_order_relaxed);
  packed->links.place[1].store(0, std::memory_order_relaxed);
  packed->end = block.end;
  auto* uops = reinterpret_cast<softlbr_uop*>(bytes + sizeof(PackedBlock));
  CopyBytes(uops, block.uops, block.uop_count * sizeof(softlbr_uop));
  auto* lengths = reinterpret_cast<uint8_t*>(uops + block.uop_count);
  CopyBytes(lengths, block.length, block.instruction_count);
  CopyBytes(lengths + block.instruction_count, block.uops_of, block.instruction_count);

  // Which way: one that is invalid, else by the hash of the clock the store itself is.
  BlockCache::IndexEntry* set = cache->index + (Hash(block.pc) & (kBlockCacheSets - 1)) * kBlockCacheWays;
  uint32_t way = unit % kBlockCacheWays;
  for (uint32_t i = 0; i < kBlockCacheWays; ++i) {
    const bool is_same = set[i].pc.load(std::memory_order_relaxed) == block.pc;
    if (is_same || !IsValid(*cache, epoch, set[i].place.load(std::memory_order_relaxed))) {
      way = i;
      if (is_same) break;
    }
  }
  set[way].pc.store(block.pc, std::memory_order_relaxed);
  const uint64_t evicted = set[way].place.exchange(Place(epoch, absolute), std::memory_order_acq_rel);
  // Its half is not filled anew before we have left (I2).
  if (IsValid(*cache, epoch, evicted)) BlockAt(*cache, evicted)->pc.store(0, std::memory_order_relaxed);
  const uint64_t last = block.pc + block.byte_length - 1;
  uint64_t lines = (last >> kCodeLineShift) - (block.pc >> kCodeLineShift) + 1;
  if (lines > kMaxHintedLines) lines = kMaxHintedLines;
  for (uint64_t line = 0; line < lines; ++line) {
    cache->hints[Hash((block.pc >> kCodeLineShift) + line) & (kBlockHints - 1)].store(block.pc, std::memory_order_relaxed);
  }
  return true;
}

}  // namespace softlbr
