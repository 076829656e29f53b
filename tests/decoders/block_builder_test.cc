// decoders/api/block_builder.h: full blocks, dropped instructions, `after` uops.
#include "decoders/api/block_builder.h"

#include <gtest/gtest.h>

namespace softlbr::decoder {
namespace {

TEST(BlockBuilder, EmptyBlock) {
  softlbr_block block;
  BlockBuilder out(&block, 0x1000);
  EXPECT_EQ(block.pc, 0x1000u);
  EXPECT_EQ(block.instruction_count, 0);
  EXPECT_EQ(block.byte_length, 0u);
  EXPECT_EQ(out.offset(), 0u);
}

TEST(BlockBuilder, InstructionsOwnTheirUops) {
  softlbr_block block;
  BlockBuilder out(&block, 0x1000);
  ASSERT_TRUE(out.Begin(3));
  EXPECT_EQ(out.next_offset(), 3u);
  out.Add(SOFTLBR_OP_NOP, 8, 0, 0);
  out.Add(SOFTLBR_OP_NOP, 8, 0, 0);
  ASSERT_TRUE(out.End());
  ASSERT_TRUE(out.Begin(2));
  ASSERT_TRUE(out.End());
  EXPECT_EQ(block.uops_of[0], 2);
  EXPECT_EQ(block.uops_of[1], 0);
  EXPECT_EQ(block.length[1], 2);
  EXPECT_EQ(block.byte_length, 5u);
  EXPECT_EQ(out.offset(), 5u);
}

TEST(BlockBuilder, TakesAllInstructionsThatFit) {
  softlbr_block block;
  BlockBuilder out(&block, 0);
  for (int i = 0; i < SOFTLBR_BLOCK_MAX_INSTRUCTIONS; ++i) {
    ASSERT_TRUE(out.Begin(1));
    ASSERT_TRUE(out.End());
  }
  EXPECT_FALSE(out.Begin(1));
  EXPECT_EQ(block.instruction_count, SOFTLBR_BLOCK_MAX_INSTRUCTIONS);
}

TEST(BlockBuilder, DropsAnInstructionWhoseUopsDoNotFit) {
  softlbr_block block;
  BlockBuilder out(&block, 0);
  ASSERT_TRUE(out.Begin(1));
  for (int i = 0; i < SOFTLBR_BLOCK_MAX_UOPS - 1; ++i) out.Add(SOFTLBR_OP_MOV, 8, 1, 2);
  ASSERT_TRUE(out.End());
  ASSERT_TRUE(out.Begin(7));
  out.Add(SOFTLBR_OP_MOV, 8, 3, 4);
  out.Add(SOFTLBR_OP_MOV, 8, 5, 6);  // one too many
  EXPECT_FALSE(out.End());
  EXPECT_EQ(block.instruction_count, 1);
  EXPECT_EQ(block.uop_count, SOFTLBR_BLOCK_MAX_UOPS - 1);
  EXPECT_EQ(block.byte_length, 1u);
  // An instruction that fits exactly is kept.
  ASSERT_TRUE(out.Begin(7));
  out.Add(SOFTLBR_OP_MOV, 8, 3, 4);
  EXPECT_TRUE(out.End());
  EXPECT_EQ(block.uop_count, SOFTLBR_BLOCK_MAX_UOPS);
  EXPECT_EQ(block.uops[SOFTLBR_BLOCK_MAX_UOPS - 1].dst, 3);
}

TEST(BlockBuilder, RewindLeavesNothingBehind) {
  softlbr_block block;
  BlockBuilder out(&block, 0);
  ASSERT_TRUE(out.Begin(1));
  out.BeginAfter();
  out.Add(SOFTLBR_OP_MOV, 8, 1, 2);
  EXPECT_EQ(out.Temp(), SOFTLBR_REG_TEMP);
  out.Rewind();
  EXPECT_EQ(out.after_uops(), 0u);
  EXPECT_EQ(out.Temp(), SOFTLBR_REG_TEMP);
  out.Add(SOFTLBR_OP_NOT, 8, 3, 4);
  ASSERT_TRUE(out.End());
  EXPECT_EQ(block.uop_count, 1);
  EXPECT_EQ(block.uops[0].op, SOFTLBR_OP_NOT);
}

TEST(BlockBuilder, CountsAfterUops) {
  softlbr_block block;
  BlockBuilder out(&block, 0);
  ASSERT_TRUE(out.Begin(1));
  out.Add(SOFTLBR_OP_MOV, 8, 1, 2);
  out.BeginAfter();
  out.Add(SOFTLBR_OP_MOV, 8, 1, 2);
  out.Add(SOFTLBR_OP_MOV, 8, 1, 2);
  softlbr_terminator end{};
  end.kind = SOFTLBR_END_RETURN;
  out.SetEnd(end);
  ASSERT_TRUE(out.End());
  EXPECT_EQ(block.end.after_uops, 2);
  EXPECT_EQ(block.uops_of[0], 3);
}

TEST(BlockBuilder, ConstantsTakeTwoUopsOnlyIfNeeded) {
  softlbr_block block;
  BlockBuilder out(&block, 0);
  ASSERT_TRUE(out.Begin(1));
  out.AddConst(5, -1);
  out.AddConst(5, INT32_MIN);
  out.AddConst(5, int64_t{1} << 31);
  ASSERT_TRUE(out.End());
  ASSERT_EQ(block.uop_count, 4);
  EXPECT_EQ(block.uops[2].imm, INT32_MIN);
  EXPECT_EQ(block.uops[3].op, SOFTLBR_OP_CONST_HIGH);
  EXPECT_EQ(block.uops[3].imm, 0);
}

}  // namespace
}  // namespace softlbr::decoder
