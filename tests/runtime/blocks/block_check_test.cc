#include "runtime/blocks/block_check.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace softlbr {
namespace {

std::unique_ptr<softlbr_block> GoodBlock() {
  auto block = std::make_unique<softlbr_block>();
  std::memset(block.get(), 0, sizeof(*block));
  block->pc = 0x1000;
  block->instruction_count = 2;
  block->length[0] = 3;
  block->length[1] = 2;
  block->byte_length = 5;
  block->uops_of[0] = 1;
  block->uop_count = 1;
  block->uops[0].op = SOFTLBR_OP_ADD;
  block->uops[0].width = 8;
  block->end.kind = SOFTLBR_END_JUMP;
  return block;
}

TEST(BlockCheck, AcceptsWellFormedBlock) { EXPECT_TRUE(IsBlockWellFormed(*GoodBlock(), 0x1000, 5)); }

TEST(BlockCheck, RefusesBlocksThatBreakTheAbi) {
  auto expect_refused = [](const char* what, auto change) {
    auto block = GoodBlock();
    change(block.get());
    EXPECT_FALSE(IsBlockWellFormed(*block, 0x1000, 16)) << what;
  };
  expect_refused("other pc", [](softlbr_block* b) { b->pc = 1; });
  expect_refused("longer than the window", [](softlbr_block* b) { b->byte_length = 17; });
  expect_refused("too many instructions", [](softlbr_block* b) { b->instruction_count = 65; });
  expect_refused("too many uops", [](softlbr_block* b) { b->uop_count = 193; });
  expect_refused("an instruction of length 0", [](softlbr_block* b) { b->length[1] = 0; });
  expect_refused("lengths that do not add up", [](softlbr_block* b) { b->length[1] = 4; });
  expect_refused("uops that do not add up", [](softlbr_block* b) { b->uops_of[1] = 1; });
  expect_refused("unknown op", [](softlbr_block* b) { b->uops[0].op = SOFTLBR_OP_MAX_VALUE + 1; });
  expect_refused("register slot out of range", [](softlbr_block* b) { b->uops[0].dst = SOFTLBR_REG_COUNT; });
  expect_refused("vector beyond the register file", [](softlbr_block* b) {
    b->uops[0].width = 64;
    b->uops[0].a = SOFTLBR_REG_COUNT - 7;
  });
  expect_refused("terminator register slot", [](softlbr_block* b) { b->end.base = SOFTLBR_REG_COUNT; });
  expect_refused("terminator kind", [](softlbr_block* b) { b->end.kind = SOFTLBR_END_MAX_VALUE + 1; });
  expect_refused("more after_uops than the last instruction has", [](softlbr_block* b) { b->end.after_uops = 1; });
}

}  // namespace
}  // namespace softlbr
