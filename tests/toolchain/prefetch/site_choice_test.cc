// Paths and choices for made-up code: a ring of blocks, each in a line of its own, that all miss.
#include "toolchain/prefetch/site_choice.h"

#include <gtest/gtest.h>

#include <map>

namespace softlbr::toolchain {
namespace {

constexpr uint32_t kRingBlocks = 40;
constexpr uint32_t kBlockInstructions = 16;  // of 4 bytes: a line
constexpr uint64_t kSpacing = 1024;          // in a cache of 8 KiB and 8 ways, all lines share a set

uint64_t BlockStart(uint32_t block) { return 0x10000 + block * kSpacing; }
uint64_t BlockEnd(uint32_t block) { return BlockStart(block) + (kBlockInstructions - 1) * 4; }

ExecutedCode RingCode() {
  ExecutedCode code;
  ExecutedModule module;
  module.module = 0;
  for (uint32_t block = 0; block < kRingBlocks; ++block) {
    for (uint32_t i = 0; i < kBlockInstructions; ++i) {
      ExecutedInstruction instruction;
      instruction.address = BlockStart(block) + i * 4;
      instruction.bytes = 4;
      instruction.is_target = i == 0;
      if (i + 1 == kBlockInstructions) instruction.end = SOFTLBR_END_JUMP;
      module.instructions.push_back(instruction);
    }
  }
  code.modules.push_back(module);
  return code;
}

// `branches` times round the ring from a block on. The block behind a `fork` is every other time the block at the
// ring's other side.
Trace RingTrace(uint32_t first, uint32_t branches, uint32_t fork = kRingBlocks) {
  Trace trace;
  uint32_t at = first;
  bool is_far = false;
  for (uint32_t i = 0; i < branches; ++i) {
    uint32_t next = (at + 1) % kRingBlocks;
    if (at == fork) {
      if (is_far) next = (at + kRingBlocks / 2) % kRingBlocks;
      is_far = !is_far;
    }
    trace.branches.emplace_back(Location{0, BlockEnd(at)}, Location{0, BlockStart(next)});
    at = next;
  }
  return trace;
}

CodeCacheShape SmallCache() {
  CodeCacheShape shape;
  shape.l1_bytes = 8u << 10;
  shape.next_lines = 0;
  return shape;
}

SiteLimits WideLimits() {
  SiteLimits limits;
  limits.most_executions = 1;
  limits.window = 60;
  return limits;
}

SiteChoice Choose(const TracePath& path, const SiteLimits& limits, uint32_t buffer_lines = 16,
                  std::vector<ChosenHint> given = {}) {
  CodeCacheShape shape = SmallCache();
  shape.buffer_lines = buffer_lines;
  return ChooseSites(
      path, 2, shape, limits, std::move(given), [](BlockNumber) { return true; },
      [](uint32_t, uint64_t) { return true; });
}

TEST(TracePath, GoesOnWhereAnotherTraceCameOverTheSameBlocks) {
  TracePath path(RingCode());
  ASSERT_EQ(path.blocks().size(), kRingBlocks);
  EXPECT_EQ(path.blocks()[1].start, BlockStart(1));
  EXPECT_EQ(path.blocks()[1].instructions, kBlockInstructions);
  for (uint32_t first = 0; first < 5; ++first) path.Add(RingTrace(first * 7, 401));
  std::map<BlockNumber, uint64_t> visits;
  uint64_t blocks = 0, cuts = 0;
  BlockNumber before = 0;
  path.Walk(3, [&](BlockNumber block, bool is_cut) {
    if (is_cut) {
      ++cuts;
    } else {
      EXPECT_EQ(block, (before + 1) % kRingBlocks);
    }
    before = block;
    ++blocks;
    ++visits[block];
  });
  EXPECT_GE(blocks, 3u * 5 * 400);
  EXPECT_LE(blocks, 4u * 5 * 400);
  EXPECT_EQ(visits.size(), kRingBlocks);
  EXPECT_LE(cuts, 5u);
}

TEST(TracePath, EndsATraceWhereTheCodeHasNoSuchWay) {
  TracePath path(RingCode());
  Trace trace = RingTrace(0, 201);
  trace.branches[100].first.address += 2;  // inside an instruction
  path.Add(trace);
  uint64_t cuts = 0, blocks = 0;
  path.Walk(1, [&](BlockNumber, bool is_cut) {
    cuts += is_cut;
    ++blocks;
  });
  EXPECT_GE(cuts, 1u);
  EXPECT_GE(blocks, 199u);
  path.Add(RingTrace(3, 10));  // too short to be of use
  Trace foreign;
  for (int i = 0; i < 200; ++i) foreign.branches.emplace_back(Location{7, 16}, Location{7, 16});
  path.Add(foreign);
  uint64_t blocks_after = 0;
  path.Walk(1, [&](BlockNumber, bool) { ++blocks_after; });
  EXPECT_EQ(blocks_after, blocks);
}

TEST(SiteChoice, CoversEveryMissOfARing) {
  TracePath path(RingCode());
  for (uint32_t first = 0; first < 10; ++first) path.Add(RingTrace(first * 3, 401));
  const SiteChoice choice = Choose(path, WideLimits());
  EXPECT_EQ(choice.hints.size(), kRingBlocks);
  EXPECT_GT(choice.misses, 3000u);
  EXPECT_EQ(choice.misses, choice.plain_misses);
  EXPECT_EQ(choice.instructions, choice.misses * kBlockInstructions);
  EXPECT_GT(choice.covered * 100, choice.misses * 98) << "all but those at the beginning";
  for (const ChosenHint& hint : choice.hints) {
    const uint32_t target = static_cast<uint32_t>((hint.target - BlockStart(0)) / kSpacing);
    // Blocks begin at multiples of 16 instructions before the miss: 64, 80 and 96 are from 51 to 111.
    const uint32_t ahead = (target + kRingBlocks - hint.site) % kRingBlocks;
    EXPECT_GE(ahead, 4u);
    EXPECT_LE(ahead, 6u);
  }
  ASSERT_EQ(choice.fan_in.size(), 20u);
  EXPECT_EQ(choice.fan_in[0].blocks, (std::array<uint64_t, 6>{1, 1, 1, 1, 1, 1}));
}

TEST(SiteChoice, CountsWhatHintsEvict) {
  TracePath path(RingCode());
  for (uint32_t first = 0; first < 10; ++first) path.Add(RingTrace(first * 3, 401));
  const SiteChoice with_buffer = Choose(path, WideLimits());
  const SiteChoice without = Choose(path, WideLimits(), 0);
  EXPECT_EQ(without.hints.size(), kRingBlocks);
  // All lines share a set of 8 ways; up to 6 of them wait to be fetched, and as many were fetched last.
  EXPECT_LT(without.covered, with_buffer.covered);
  uint64_t brought = 0;
  for (const ChosenHint& hint : with_buffer.hints) brought += hint.covered;
  EXPECT_EQ(brought, with_buffer.covered);
}

TEST(SiteChoice, KeepsItsLimits) {
  TracePath path(RingCode());
  for (uint32_t first = 0; first < 10; ++first) path.Add(RingTrace(first * 3, 401));
  SiteLimits limits = WideLimits();
  limits.most_hints = 7;
  EXPECT_EQ(Choose(path, limits).hints.size(), 7u);
  limits = WideLimits();
  limits.most_executions = 0.025;  // each of the 40 hints is executed once in 640 instructions
  const SiteChoice choice = Choose(path, limits);
  EXPECT_LE(choice.hints.size(), 16u);
  EXPECT_GE(choice.hints.size(), 15u);
  EXPECT_LE(static_cast<double>(choice.executions), 0.025 * static_cast<double>(choice.instructions));
}

TEST(SiteChoice, KeepsGivenHintsThatAreUsefulAndFillsTheGaps) {
  TracePath path(RingCode());
  for (uint32_t first = 0; first < 10; ++first) path.Add(RingTrace(first * 3, 401));
  std::vector<ChosenHint> given = Choose(path, WideLimits()).hints;
  ASSERT_EQ(given.size(), kRingBlocks);
  // One is no longer there, and one asks for the line that is being executed.
  given.pop_back();
  given[0].target = BlockStart(given[0].site);
  SiteLimits limits = WideLimits();
  limits.replaced = 0;
  const SiteChoice again = Choose(path, limits, 16, given);
  EXPECT_EQ(again.hints.size(), kRingBlocks);
  EXPECT_LT(again.given_covered * 100, again.misses * 96) << "without two of 40 hints";
  EXPECT_GT(again.given_covered * 100, again.misses * 92);
  EXPECT_GT(again.covered * 100, again.misses * 98);
  uint64_t kept = 0;
  for (const ChosenHint& hint : again.hints) {
    for (size_t i = 1; i < given.size(); ++i) kept += hint.site == given[i].site && hint.target == given[i].target;
    EXPECT_FALSE(hint.site == given[0].site && hint.target == given[0].target);
  }
  EXPECT_EQ(kept, given.size() - 1);
  limits.replaced = 0.5;
  limits.most_hints = kRingBlocks / 2;
  EXPECT_EQ(Choose(path, limits, 16, given).hints.size(), kRingBlocks / 2)
      << "half of them are dropped, and no room is left";
}

TEST(SiteChoice, ChoosesForTheLinesOfTheLayout) {
  // The rebuilt program has a block's code 1 KiB farther on, as the 16 KiB before it have grown.
  CodePlaces recorded, rebuilt;
  for (uint32_t block = 0; block < kRingBlocks; ++block) {
    const std::string name = "block" + std::to_string(block);
    recorded.functions.emplace_back(name, BlockStart(block));
    rebuilt.functions.emplace_back(name, BlockStart(block) + block * kCodeLineBytes);
  }
  // Now the ring's lines are spread over all sets of a cache of 8 KiB, where they have room.
  TracePath path(RingCode(), CodeLayout(0, recorded, rebuilt));
  EXPECT_EQ(path.LineOf(0, BlockStart(3)), PathLine(0, BlockStart(3)) + 3);
  EXPECT_EQ(path.blocks()[3].lines[0].line, path.LineOf(0, BlockStart(3)));
  EXPECT_EQ(path.blocks()[3].lines[0].pc, BlockStart(3));
  for (uint32_t first = 0; first < 10; ++first) path.Add(RingTrace(first * 3, 401));
  const SiteChoice choice = Choose(path, WideLimits());
  EXPECT_EQ(choice.instructions, 0u) << "the caches never fill";
}

TEST(SiteChoice, LeavesOutSitesThatSeldomLeadToTheMiss) {
  // Behind block 0 it goes on in block 1 or in block 20, so blocks 36 to 0 lead to each only every other time.
  TracePath path(RingCode());
  for (uint32_t first = 0; first < 10; ++first) path.Add(RingTrace(first * 3, 801, 0));
  SiteLimits limits = WideLimits();
  const auto leads_to = [&](uint32_t block) {
    const SiteChoice choice = Choose(path, limits);
    uint64_t hints = 0;
    for (const ChosenHint& hint : choice.hints) hints += hint.target == BlockStart(block);
    return hints;
  };
  limits.fan_out = 0.3;
  EXPECT_EQ(leads_to(1), 1u);
  limits.fan_out = 0.8;
  EXPECT_EQ(leads_to(1), 0u);
  EXPECT_EQ(leads_to(15), 1u) << "its sites are behind block 1";
}

}  // namespace
}  // namespace softlbr::toolchain
