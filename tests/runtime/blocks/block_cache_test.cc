#include "runtime/blocks/block_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace softlbr {
namespace {

constexpr uint64_t kStoreBytes = 64 * 1024;
constexpr uint8_t kCode[64] = {};  // its content does not matter here

struct Cache {
  Cache() : cache(new (std::align_val_t{64}) BlockCache{}), store(new (std::align_val_t{64}) uint8_t[kStoreBytes]) {
    InitBlockCache(cache, store, kStoreBytes);
  }
  ~Cache() {
    operator delete (cache, std::align_val_t{64});
    operator delete[](store, std::align_val_t{64});
  }
  BlockCache* cache;
  uint8_t* store;
};

// A block whose content is a function of its address, so that a reader can detect a torn one.
softlbr_block MakeBlock(uint64_t pc) {
  softlbr_block block;
  std::memset(&block, 0, sizeof(block));
  block.pc = pc;
  block.instruction_count = static_cast<uint16_t>(1 + pc % 7);
  block.uop_count = static_cast<uint16_t>(2 * block.instruction_count);
  for (uint32_t i = 0; i < block.instruction_count; ++i) {
    block.length[i] = static_cast<uint8_t>(2 + (pc + i) % 5);
    block.uops_of[i] = 2;
    block.byte_length += block.length[i];
  }
  for (uint32_t i = 0; i < block.uop_count; ++i) block.uops[i].imm = static_cast<int32_t>(pc * 31 + i);
  block.end.kind = SOFTLBR_END_JUMP;
  block.end.disp = static_cast<int64_t>(pc ^ 0x5555);
  return block;
}

bool IsWhole(const BlockView& view) {
  const softlbr_block want = MakeBlock(view.pc);
  if (view.instruction_count != want.instruction_count || view.uop_count != want.uop_count) return false;
  if (view.byte_length != want.byte_length || view.end->disp != want.end.disp) return false;
  if (std::memcmp(view.length, want.length, want.instruction_count) != 0) return false;
  if (std::memcmp(view.uops_of, want.uops_of, want.instruction_count) != 0) return false;
  return std::memcmp(view.uops, want.uops, want.uop_count * sizeof(softlbr_uop)) == 0;
}

TEST(BlockCache, FindsInsertedBlock) {
  Cache c;
  const uint32_t epoch = EnterBlockCache(c.cache);
  FoundBlock found_block;
  EXPECT_FALSE(FindBlock(c.cache, epoch, 0x1000, nullptr, &found_block));
  ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x1000), kCode, false));
  ASSERT_TRUE(FindBlock(c.cache, epoch, 0x1000, nullptr, &found_block));
  EXPECT_EQ(found_block.first, 0u);
  EXPECT_TRUE(IsWhole(found_block.view));
  EXPECT_FALSE(found_block.is_generated);
  ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x2000), kCode, true));
  ASSERT_TRUE(FindBlock(c.cache, epoch, 0x2000, nullptr, &found_block));
  EXPECT_TRUE(IsWhole(found_block.view));
  EXPECT_TRUE(found_block.is_generated);
  EXPECT_EQ(found_block.code_sum, CodeSum(kCode, found_block.view.byte_length));
  LeaveBlockCache(c.cache, epoch);
}

TEST(BlockCache, FindsContainingBlockOnlyAtInstructionStarts) {
  Cache c;
  const uint32_t epoch = EnterBlockCache(c.cache);
  const softlbr_block block = MakeBlock(0x1005);  // seven instructions
  ASSERT_GT(block.instruction_count, 2u);
  ASSERT_TRUE(InsertBlock(c.cache, epoch, block, kCode, false));
  FoundBlock found_block;
  const uint64_t second = 0x1005 + block.length[0];
  ASSERT_TRUE(FindBlock(c.cache, epoch, second, nullptr, &found_block));
  EXPECT_EQ(found_block.first, 1u);
  EXPECT_FALSE(FindBlock(c.cache, epoch, second + 1, nullptr, &found_block));
  EXPECT_FALSE(FindBlock(c.cache, epoch, 0x1005 + block.byte_length, nullptr, &found_block));
  LeaveBlockCache(c.cache, epoch);
}

TEST(BlockCache, FollowsSuccessorLink) {
  Cache c;
  const uint32_t epoch = EnterBlockCache(c.cache);
  ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x1000), kCode, false));
  ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x2000), kCode, false));
  FoundBlock from;
  ASSERT_TRUE(FindBlock(c.cache, epoch, 0x1000, nullptr, &from));
  std::atomic<uint64_t>* link = &from.links->successor[1];
  FoundBlock to;
  ASSERT_TRUE(FindBlock(c.cache, epoch, 0x2000, link, &to));
  EXPECT_NE(link->load(), 0u);
  EXPECT_EQ(from.links->successor[0].load(), 0u);
  // The link works without the index.
  for (auto& entry : c.cache->index) entry.pc.store(0);
  ASSERT_TRUE(FindBlock(c.cache, epoch, 0x2000, link, &to));
  EXPECT_TRUE(IsWhole(to.view));
  EXPECT_FALSE(FindBlock(c.cache, epoch, 0x2000, nullptr, &to));
  EXPECT_FALSE(FindBlock(c.cache, epoch, 0x3000, link, &to)) << "the link leads to another block";
  LeaveBlockCache(c.cache, epoch);
}

TEST(BlockCache, InvalidationBreaksSuccessorLinks) {
  Cache c;
  uint32_t epoch = EnterBlockCache(c.cache);
  ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x1000), kCode, false));
  ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x2000), kCode, false));
  FoundBlock from;
  ASSERT_TRUE(FindBlock(c.cache, epoch, 0x1000, nullptr, &from));
  FoundBlock to;
  ASSERT_TRUE(FindBlock(c.cache, epoch, 0x2000, &from.links->successor[0], &to));
  InvalidateBlockCache(c.cache);
  EXPECT_FALSE(FindBlock(c.cache, epoch, 0x2000, &from.links->successor[0], &to));
  LeaveBlockCache(c.cache, epoch);
}

TEST(BlockCache, EvictsOlderHalfWhenFull) {
  Cache c;
  uint64_t inserted = 0;
  for (uint64_t i = 0; i < 20000; ++i) {
    const uint32_t epoch = EnterBlockCache(c.cache);
    if (InsertBlock(c.cache, epoch, MakeBlock(0x4000 + 64 * i), kCode, false)) ++inserted;
    LeaveBlockCache(c.cache, epoch);
  }
  // One insertion in some hundreds finds a full half and is refused.
  EXPECT_GT(inserted, 19500u);
  const uint32_t epoch = EnterBlockCache(c.cache);
  FoundBlock found_block;
  EXPECT_FALSE(FindBlock(c.cache, epoch, 0x4000, nullptr, &found_block)) << "the oldest must be gone";
  uint32_t found = 0;
  for (uint64_t i = 19900; i < 20000; ++i) {
    if (FindBlock(c.cache, epoch, 0x4000 + 64 * i, nullptr, &found_block)) {
      ++found;
      EXPECT_TRUE(IsWhole(found_block.view));
    }
  }
  EXPECT_GT(found, 90u) << "the newest must be there";
  LeaveBlockCache(c.cache, epoch);
}

TEST(BlockCache, KeepsBlocksOfReadersInPreviousEpoch) {
  Cache c;
  const uint32_t reader = EnterBlockCache(c.cache);
  ASSERT_TRUE(InsertBlock(c.cache, reader, MakeBlock(0x1000), kCode, false));
  FoundBlock found_block;
  ASSERT_TRUE(FindBlock(c.cache, reader, 0x1000, nullptr, &found_block));
  for (uint64_t i = 0; i < 20000; ++i) {
    const uint32_t epoch = EnterBlockCache(c.cache);
    (void)InsertBlock(c.cache, epoch, MakeBlock(0x4000 + 64 * i), kCode, false);
    LeaveBlockCache(c.cache, epoch);
  }
  EXPECT_TRUE(IsWhole(found_block.view));
  LeaveBlockCache(c.cache, reader);
}

TEST(BlockCache, InvalidationRemovesAllBlocks) {
  Cache c;
  uint32_t epoch = EnterBlockCache(c.cache);
  ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x1000), kCode, false));
  LeaveBlockCache(c.cache, epoch);
  InvalidateBlockCache(c.cache);
  epoch = EnterBlockCache(c.cache);
  FoundBlock found_block;
  EXPECT_FALSE(FindBlock(c.cache, epoch, 0x1000, nullptr, &found_block));
  EXPECT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x1000), kCode, false)) << "insertion works after an invalidation";
  EXPECT_TRUE(FindBlock(c.cache, epoch, 0x1000, nullptr, &found_block));
  LeaveBlockCache(c.cache, epoch);
}

// The pcs of all listed blocks, read in several calls.
std::vector<uint64_t> ListedPcs(BlockCache* cache) {
  std::vector<uint64_t> pcs;
  uint32_t next = 0;
  do {
    platform::MemoryChunk chunks[3];
    uint32_t sums[3];
    const uint32_t count = ListCachedCode(cache, &next, 3, chunks, sums);
    for (uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(chunks[i].bytes, MakeBlock(chunks[i].begin).byte_length);
      EXPECT_EQ(sums[i], CodeSum(kCode, chunks[i].bytes));
      pcs.push_back(chunks[i].begin);
    }
  } while (next != 0);
  std::sort(pcs.begin(), pcs.end());
  return pcs;
}

TEST(BlockCache, ListsCodeOfEveryFindableBlockOfAModule) {
  Cache c;
  EXPECT_TRUE(ListedPcs(c.cache).empty());
  std::vector<uint64_t> inserted;
  const uint32_t epoch = EnterBlockCache(c.cache);
  for (uint64_t i = 0; i < 40; ++i) {
    ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x4000 + 64 * i), kCode, false));
    inserted.push_back(0x4000 + 64 * i);
    ASSERT_TRUE(InsertBlock(c.cache, epoch, MakeBlock(0x8000 + 64 * i), kCode, true));
  }
  EXPECT_EQ(ListedPcs(c.cache), inserted);
  LeaveBlockCache(c.cache, epoch);
  InvalidateBlockCache(c.cache);
  EXPECT_TRUE(ListedPcs(c.cache).empty());
}

// When a half is full, nothing is in the next one yet, and the blocks of the full one are valid.
TEST(BlockCache, ListsTheCodeOfAFullHalf) {
  Cache c;
  const uint32_t epoch = EnterBlockCache(c.cache);
  uint64_t pc = 0x4000;
  while (InsertBlock(c.cache, epoch, MakeBlock(pc), kCode, false)) pc += 64;
  LeaveBlockCache(c.cache, epoch);
  ASSERT_GT(pc, 0x4000u);
  EXPECT_FALSE(ListedPcs(c.cache).empty());
}

// I4: more blocks than the sets of the index hold. A link leads to each block; evicted blocks must not be found by it.
TEST(BlockCache, LinkDoesNotFindEvictedBlock) {
  constexpr uint64_t kBigStore = 4 << 20;
  auto cache = std::unique_ptr<BlockCache, void (*)(BlockCache*)>(
      new (std::align_val_t{64}) BlockCache{}, [](BlockCache* it) { operator delete (it, std::align_val_t{64}); });
  auto store = std::unique_ptr<uint8_t[], void (*)(uint8_t*)>(
      new (std::align_val_t{64}) uint8_t[kBigStore], [](uint8_t* it) { operator delete[](it, std::align_val_t{64}); });
  InitBlockCache(cache.get(), store.get(), kBigStore);
  const uint32_t epoch = EnterBlockCache(cache.get());
  constexpr uint64_t kBlocks = 2 * kBlockCacheSets * kBlockCacheWays / 3;
  std::vector<std::atomic<uint64_t>> links(kBlocks);
  for (uint64_t i = 0; i < kBlocks; ++i) {
    const uint64_t pc = 0x4000 + 64 * i;
    if (!InsertBlock(cache.get(), epoch, MakeBlock(pc), kCode, false)) break;
    FoundBlock found;
    ASSERT_TRUE(FindBlock(cache.get(), epoch, pc, &links[i], &found));
  }
  const std::vector<uint64_t> listed = ListedPcs(cache.get());
  uint64_t found_count = 0;
  uint64_t lost_count = 0;
  for (uint64_t i = 0; i < kBlocks; ++i) {
    const uint64_t pc = 0x4000 + 64 * i;
    FoundBlock found;
    const bool is_listed = std::binary_search(listed.begin(), listed.end(), pc);
    const bool is_found = links[i].load() != 0 && FindBlock(cache.get(), epoch, pc, &links[i], &found) &&
                          found.first == 0 && found.view.pc == pc;
    EXPECT_EQ(is_found, is_listed) << pc;
    if (links[i].load() != 0) (is_found ? found_count : lost_count) += 1;
  }
  EXPECT_GT(found_count, 1000u);
  EXPECT_GT(lost_count, 10u) << "no set was ever full";
  LeaveBlockCache(cache.get(), epoch);
}

TEST(BlockCache, ConcurrentReadersSeeNoTornBlock) {
  Cache c;
  std::atomic<uint64_t> torn{0};
  std::atomic<uint64_t> hits{0};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&c, &torn, &hits, t] {
      std::mt19937_64 random(t + 1);
      // Nothing is inserted while a preempted thread holds an epoch, so a busy machine needs more rounds.
      for (uint32_t round = 0; round < 40000 || (hits.load() < 2000 && round < 10000000); ++round) {
        const uint32_t epoch = EnterBlockCache(c.cache);
        std::atomic<uint64_t>* link = nullptr;
        for (uint32_t i = 0; i < 4; ++i) {
          const uint64_t pc = 0x10000 + random() % 3000 * 32;
          FoundBlock found_block;
          if (FindBlock(c.cache, epoch, pc, link, &found_block)) {
            hits.fetch_add(1);
            if (!IsWhole(found_block.view) || found_block.view.pc != pc) torn.fetch_add(1);
            link = &found_block.links->successor[random() % 2];
          } else {
            link = nullptr;
            (void)InsertBlock(c.cache, epoch, MakeBlock(pc), kCode, false);
          }
        }
        if (round % 5000 == 0) InvalidateBlockCache(c.cache);
        LeaveBlockCache(c.cache, epoch);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(torn.load(), 0u);
  EXPECT_GT(hits.load(), 1000u);
}

// As with threads that unload libraries at the same time.
TEST(BlockCache, ConcurrentInvalidationsForgetWhatWasInsertedBefore) {
  Cache c;
  std::atomic<uint64_t> inserted{0};
  std::atomic<uint64_t> found_after{0};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&c, &inserted, &found_after, t] {
      const uint64_t pc = 0x1000 * (t + 1);  // no other thread inserts it
      for (uint32_t round = 0; round < 20000 || (inserted.load() < 2000 && round < 10000000); ++round) {
        uint32_t epoch = EnterBlockCache(c.cache);
        if (InsertBlock(c.cache, epoch, MakeBlock(pc), kCode, false)) inserted.fetch_add(1);
        LeaveBlockCache(c.cache, epoch);
        InvalidateBlockCache(c.cache);
        epoch = EnterBlockCache(c.cache);
        FoundBlock found;
        if (FindBlock(c.cache, epoch, pc, nullptr, &found)) found_after.fetch_add(1);
        LeaveBlockCache(c.cache, epoch);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(found_after.load(), 0u);
  EXPECT_GT(inserted.load(), 1000u);
}

}  // namespace
}  // namespace softlbr
