#include "runtime/blocks/block_cache.h"

#include "platform/base/bytes.h"
#include "platform/base/limits.h"

namespace softlbr {
namespace {

constexpr uint32_t kUnitBytes = 16;

// A block in the store, padded to whole units:
//   | PackedBlock | softlbr_uop[uop_count] | uint8_t length[instruction_count] | uint8_t uops_of[instruction_count] |
// Everything except pc and links is constant once the block's ref is published.
struct PackedBlock {
  std::atomic<uint64_t> pc;  // 0: evicted from the index (I4)
  uint32_t code_sum;
  uint16_t byte_length : 15;
  uint16_t is_generated : 1;
  uint8_t instruction_count;
  uint8_t uop_count;
  BlockLinks links;
  softlbr_terminator end;
};
static_assert(sizeof(PackedBlock) % kUnitBytes == 0, "uops follow and must be aligned");
static_assert(SOFTLBR_BLOCK_MAX_INSTRUCTIONS <= 255 && SOFTLBR_BLOCK_MAX_UOPS <= 255 && kCodeWindowBytes < 1 << 15,
              "they fit PackedBlock");

uint32_t UnitsOf(const softlbr_block& block) {
  const uint32_t bytes =
      static_cast<uint32_t>(sizeof(PackedBlock) + block.uop_count * sizeof(softlbr_uop)) + 2u * block.instruction_count;
  return (bytes + kUnitBytes - 1) / kUnitBytes;
}

uint64_t Hash(uint64_t value) {
  value *= 0x9e3779b97f4a7c15ull;
  return value ^ (value >> 29);
}

uint64_t MakeRef(uint32_t epoch, uint32_t unit) { return static_cast<uint64_t>(epoch) << 32 | unit; }
uint32_t EpochOf(uint64_t ref) { return static_cast<uint32_t>(ref >> 32); }

// I3. Epoch 0 is never used, so a zeroed entry is invalid.
bool IsValid(const BlockCache& cache, uint32_t epoch, uint64_t ref) {
  const uint32_t written_in = EpochOf(ref);
  return (written_in == epoch || written_in + 1 == epoch) &&
         written_in >= cache.oldest_valid_epoch.load(std::memory_order_relaxed) && written_in != 0;
}

PackedBlock* BlockAt(const BlockCache& cache, uint64_t ref) {
  return reinterpret_cast<PackedBlock*>(cache.store + static_cast<uint64_t>(static_cast<uint32_t>(ref)) * kUnitBytes);
}

// pc: the value of packed->pc when the block was found. The block may have been evicted since.
BlockView ViewOf(const PackedBlock* packed, uint64_t pc) {
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

// The cached block that starts at pc, and its ref. nullptr if there is none.
PackedBlock* FindStart(BlockCache* cache, uint32_t epoch, uint64_t pc, uint64_t* found_ref) {
  BlockCache::IndexEntry* set = cache->index + (Hash(pc) & (kBlockCacheSets - 1)) * kBlockCacheWays;
  for (uint32_t way = 0; way < kBlockCacheWays; ++way) {
    if (set[way].pc.load(std::memory_order_relaxed) != pc) continue;
    const uint64_t ref = set[way].ref.load(std::memory_order_acquire);
    if (!IsValid(*cache, epoch, ref)) continue;
    PackedBlock* packed = BlockAt(*cache, ref);
    // The entry may have been replaced between the two loads; the packed block holds the pc that the ref belongs to.
    if (packed->pc.load(std::memory_order_relaxed) != pc) continue;
    *found_ref = ref;
    return packed;
  }
  return nullptr;
}

uint32_t CurrentEpoch(const BlockCache& cache) { return EpochOf(cache.cursor.load(std::memory_order_seq_cst)); }

// Begins the next epoch, which evicts the blocks of the older half, unless another handler is doing so. The bytes of
// that half are not written until the readers of the old epoch have left (ClaimUnits checks).
SOFTLBR_COLD void SwitchHalf(BlockCache* cache, uint32_t epoch) {
  if (cache->is_switching.exchange(1, std::memory_order_acquire) != 0) return;
  // Only from the epoch that was found full, and only when no handler of the epoch before it is inside: such handlers
  // read the half that is filled next, and their reader counter becomes the new epoch's (I2).
  if (CurrentEpoch(*cache) == epoch && cache->readers[(epoch + 1) & 1].load(std::memory_order_seq_cst) == 0) {
    cache->cursor.store(MakeRef(epoch + 1, 0), std::memory_order_seq_cst);
  }
  cache->is_switching.store(0, std::memory_order_release);
}

// Reserves `units` of the half being filled and returns their ref; 0 if there is no room right now.
uint64_t ClaimUnits(BlockCache* cache, uint32_t epoch, uint32_t units) {
  if (epoch == 0 || CurrentEpoch(*cache) != epoch) return 0;
  if (cache->oldest_valid_epoch.load(std::memory_order_relaxed) > epoch) {
    SwitchHalf(cache, epoch);
    return 0;
  }
  // I2: handlers of the epoch before share the other counter and may read the half we fill.
  if (cache->readers[(epoch + 1) & 1].load(std::memory_order_seq_cst) != 0) return 0;
  // Do not add to the cursor of a full half: its unit count must never carry into the epoch.
  if (static_cast<uint32_t>(cache->cursor.load(std::memory_order_relaxed)) >= cache->half_units) {
    SwitchHalf(cache, epoch);
    return 0;
  }
  const uint64_t claimed = cache->cursor.fetch_add(units, std::memory_order_seq_cst);
  const uint32_t unit = static_cast<uint32_t>(claimed);
  // the halves were switched meanwhile: a few units of the new half stay unused
  if (EpochOf(claimed) != epoch) return 0;
  if (unit + units > cache->half_units) {
    SwitchHalf(cache, epoch);
    return 0;
  }
  return MakeRef(epoch, (epoch & 1) * cache->half_units + unit);
}

void PackBlock(const softlbr_block& block, const uint8_t* code, bool is_generated, PackedBlock* packed) {
  packed->pc.store(block.pc, std::memory_order_relaxed);
  packed->code_sum = CodeSum(code, block.byte_length);
  packed->byte_length = static_cast<uint16_t>(block.byte_length) & 0x7fff;
  packed->is_generated = is_generated ? 1 : 0;
  packed->instruction_count = static_cast<uint8_t>(block.instruction_count);
  packed->uop_count = static_cast<uint8_t>(block.uop_count);
  packed->links.successor[0].store(0, std::memory_order_relaxed);
  packed->links.successor[1].store(0, std::memory_order_relaxed);
  packed->end = block.end;
  auto* uops = reinterpret_cast<softlbr_uop*>(packed + 1);
  CopyBytes(uops, block.uops, block.uop_count * sizeof(softlbr_uop));
  auto* lengths = reinterpret_cast<uint8_t*>(uops + block.uop_count);
  CopyBytes(lengths, block.length, block.instruction_count);
  CopyBytes(lengths + block.instruction_count, block.uops_of, block.instruction_count);
}

// Publishes the packed block at `ref`. It goes to the way of the set that already holds this pc, else to an invalid
// way, else to the way that the low bits of the ref select, which change from block to block.
void EnterIntoIndex(BlockCache* cache, uint32_t epoch, uint64_t pc, uint64_t ref) {
  BlockCache::IndexEntry* set = cache->index + (Hash(pc) & (kBlockCacheSets - 1)) * kBlockCacheWays;
  uint32_t way = static_cast<uint32_t>(ref) % kBlockCacheWays;
  for (uint32_t i = 0; i < kBlockCacheWays; ++i) {
    const bool is_same = set[i].pc.load(std::memory_order_relaxed) == pc;
    if (is_same || !IsValid(*cache, epoch, set[i].ref.load(std::memory_order_relaxed))) {
      way = i;
      if (is_same) break;
    }
  }
  set[way].pc.store(pc, std::memory_order_relaxed);
  const uint64_t evicted = set[way].ref.exchange(ref, std::memory_order_acq_rel);
  // I4. The half of the evicted block is not refilled before we have left (I2), so this store touches no other block.
  if (IsValid(*cache, epoch, evicted)) BlockAt(*cache, evicted)->pc.store(0, std::memory_order_relaxed);
}

// Sets the hints for entries into the middle of the block.
void LeaveHints(BlockCache* cache, uint64_t pc, uint64_t bytes) {
  uint64_t lines = ((pc + bytes - 1) >> kCodeLineShift) - (pc >> kCodeLineShift) + 1;
  if (lines > kMaxHintedLines) lines = kMaxHintedLines;
  for (uint64_t line = 0; line < lines; ++line) {
    cache->hints[Hash((pc >> kCodeLineShift) + line) & (kBlockHints - 1)].store(pc, std::memory_order_relaxed);
  }
}

}  // namespace

SOFTLBR_COLD void InitBlockCache(BlockCache* cache, uint8_t* store, uint64_t store_bytes) {
  cache->store = store;
  cache->half_units = static_cast<uint32_t>(store_bytes / kUnitBytes / 2);
  cache->cursor.store(MakeRef(2, 0), std::memory_order_relaxed);
  cache->oldest_valid_epoch.store(2, std::memory_order_relaxed);
}

SOFTLBR_COLD void InvalidateBlockCache(BlockCache* cache) {
  // Invalidates the entries of the current epoch and those before it, and continues in the other half. If readers of
  // the epoch before prevent the switch now, nothing is cached until ClaimUnits succeeds in switching.
  const uint32_t epoch = CurrentEpoch(*cache);
  uint32_t oldest = cache->oldest_valid_epoch.load(std::memory_order_relaxed);
  // Only increases the value: another thread may have invalidated a later epoch meanwhile.
  while (oldest <= epoch &&
         !cache->oldest_valid_epoch.compare_exchange_weak(oldest, epoch + 1, std::memory_order_seq_cst))
    continue;
  SwitchHalf(cache, epoch);
}

uint32_t EnterBlockCache(BlockCache* cache) {
  // Retries happen only if the epoch changes between the two loads: when a half is full or code was invalidated.
  uint32_t epoch = 0;
  for (uint32_t attempt = 0; attempt < kCacheEnterAttempts; ++attempt) {
    epoch = CurrentEpoch(*cache);
    cache->readers[epoch & 1].fetch_add(1, std::memory_order_seq_cst);
    if (CurrentEpoch(*cache) == epoch) return epoch;
    cache->readers[epoch & 1].fetch_sub(1, std::memory_order_seq_cst);
  }
  return 0;  // no valid epoch: every look-up misses, every insertion is refused, and LeaveBlockCache does nothing
}

void LeaveBlockCache(BlockCache* cache, uint32_t epoch) {
  if (epoch != 0) cache->readers[epoch & 1].fetch_sub(1, std::memory_order_seq_cst);
}

uint32_t CodeSum(const uint8_t* code, uint64_t bytes) {
  uint64_t sum = bytes;
  for (uint64_t at = 0; at < bytes; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    CopyBytes(&word, code + at, bytes - at < sizeof word ? bytes - at : sizeof word);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
    sum ^= sum >> 32;
  }
  return static_cast<uint32_t>(sum);
}

SOFTLBR_COLD uint32_t ListCachedCode(BlockCache* cache, uint32_t* next, uint32_t most, platform::MemoryChunk* chunks,
                                     uint32_t* sums) {
  // No block is valid: the index need not be touched, whose pages take 0.7 ms at the first look of a session.
  const uint64_t cursor = cache->cursor.load(std::memory_order_relaxed);
  if (static_cast<uint32_t>(cursor) == 0 &&
      cache->oldest_valid_epoch.load(std::memory_order_relaxed) >= EpochOf(cursor))
    return 0;
  const uint32_t epoch = EnterBlockCache(cache);
  uint32_t count = 0;
  uint32_t at = *next;
  for (; at < kBlockCacheSets * kBlockCacheWays && count < most; ++at) {
    const uint64_t ref = cache->index[at].ref.load(std::memory_order_acquire);
    if (!IsValid(*cache, epoch, ref)) continue;
    const PackedBlock* packed = BlockAt(*cache, ref);
    const uint64_t pc = packed->pc.load(std::memory_order_relaxed);
    if (pc == 0 || packed->is_generated != 0) continue;
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
  uint64_t ref = link != nullptr ? link->load(std::memory_order_acquire) : 0;
  if (IsValid(*cache, epoch, ref)) {
    packed = BlockAt(*cache, ref);
    if (packed->pc.load(std::memory_order_relaxed) != pc) packed = nullptr;
  }
  if (packed == nullptr) {
    packed = FindStart(cache, epoch, pc, &ref);
    if (packed != nullptr && link != nullptr) link->store(ref, std::memory_order_release);
  }
  uint32_t first = 0;
  uint64_t start = pc;
  if (packed == nullptr) {
    start = cache->hints[Hash(pc >> kCodeLineShift) & (kBlockHints - 1)].load(std::memory_order_relaxed);
    if (start == 0 || start >= pc) return false;
    packed = FindStart(cache, epoch, start, &ref);
    if (packed == nullptr || pc - start >= packed->byte_length) return false;
    first = InstructionAt(ViewOf(packed, start), pc);
    if (first >= packed->instruction_count) return false;
  }
  *found = FoundBlock{ViewOf(packed, start), first, &packed->links, packed->code_sum, packed->is_generated != 0};
  return true;
}

bool InsertBlock(BlockCache* cache, uint32_t epoch, const softlbr_block& block, const uint8_t* code,
                 bool is_generated) {
  const uint64_t ref = ClaimUnits(cache, epoch, UnitsOf(block));
  if (ref == 0) return false;
  PackBlock(block, code, is_generated, BlockAt(*cache, ref));
  EnterIntoIndex(cache, epoch, block.pc, ref);
  LeaveHints(cache, block.pc, block.byte_length);
  return true;
}

}  // namespace softlbr
