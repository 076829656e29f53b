// Tests the A64 classifier with words made by the assembler.
#include "tests/truth/step/step_classifier_a64.h"

#include <gtest/gtest.h>

namespace softlbr::truth {
namespace {

TEST(StepClassifierA64, ConditionalBranchesHaveTheirTargets) {
  const struct {
    uint32_t word;
    int32_t distance;  // from the instruction
  } kCases[] = {{0x54000041, 8},  {0x54ffffe0, -4}, {0xb4000041, 8},  {0x35ffff24, -28},       {0x37180081, 16},
                {0xb6ffffe3, -4}, {0x54000020, 4},  {0x3607ffe0, -4}, {0x54800000, -0x100000}, {0x547fffe0, 0xffffc}};
  for (const auto& c : kCases) {
    const StepClass step = ClassifyA64Step(c.word);
    EXPECT_EQ(step.kind, StepKind::kConditional) << std::hex << c.word;
    EXPECT_EQ(step.length, 4);
    EXPECT_EQ(step.displacement + 4, c.distance) << std::hex << c.word;
  }
}

TEST(StepClassifierA64, SeparatesBranchesFromOtherInstructions) {
  for (const uint32_t word : {0x14000000u, 0x97ffffffu, 0xd61f0200u, 0xd63f0020u, 0xd65f03c0u, 0xd65f0bffu, 0xd65f0fffu,
                              0xd71f0a11u, 0xd73f0a11u, 0xd61f0a1fu}) {
    // b bl br blr ret retaa retab braa ..
    EXPECT_EQ(ClassifyA64Step(word).kind, StepKind::kUnconditional) << std::hex << word;
  }
  for (const uint32_t word : {0xd4000001u, 0xd41fffe1u}) EXPECT_EQ(ClassifyA64Step(word).kind, StepKind::kSystemCall);
  for (const uint32_t word :
       {0xd503201fu, 0xd4200000u, 0x8b000000u, 0xd69f03e0u, 0xf9400000u, 0x00000000u, 0x1e604000u}) {
    EXPECT_EQ(ClassifyA64Step(word).kind, StepKind::kOther) << std::hex << word;  // nop brk add eret ldr udf fmov
  }
}

TEST(StepClassifierA64, ConditionsFollowTheFlags) {
  constexpr uint64_t kN = 1u << 31, kZ = 1u << 30, kC = 1u << 29, kV = 1u << 28;
  const auto is_true = [](uint32_t condition, uint64_t flags) {
    return IsA64ConditionTrue(0x54000020 | condition, flags, 0);
  };
  EXPECT_TRUE(is_true(0, kZ));
  EXPECT_FALSE(is_true(1, kZ));
  EXPECT_TRUE(is_true(2, kC));
  EXPECT_TRUE(is_true(4, kN));
  EXPECT_TRUE(is_true(6, kV));
  EXPECT_TRUE(is_true(8, kC));
  EXPECT_FALSE(is_true(8, kC | kZ));
  EXPECT_TRUE(is_true(9, kC | kZ));
  EXPECT_TRUE(is_true(10, kN | kV));
  EXPECT_TRUE(is_true(11, kN));
  EXPECT_TRUE(is_true(12, 0));
  EXPECT_FALSE(is_true(12, kZ));
  EXPECT_TRUE(is_true(13, kZ));
  EXPECT_TRUE(is_true(14, 0));
  EXPECT_TRUE(is_true(15, 0));
}

TEST(StepClassifierA64, ConditionsFollowTheRegister) {
  EXPECT_TRUE(IsA64ConditionTrue(0x34000020, 0, uint64_t{1} << 32));   // cbz w0
  EXPECT_FALSE(IsA64ConditionTrue(0xb4000020, 0, uint64_t{1} << 32));  // cbz x0
  EXPECT_TRUE(IsA64ConditionTrue(0xb5000020, 0, uint64_t{1} << 32));   // cbnz x0
  EXPECT_TRUE(IsA64ConditionTrue(0xb6000020, 0, 0));                   // tbz x0, #32
  EXPECT_TRUE(IsA64ConditionTrue(0xb7000020, 0, uint64_t{1} << 32));   // tbnz x0, #32
  EXPECT_TRUE(IsA64ConditionTrue(0x37180020, 0, 8));                   // tbnz w0, #3
}

TEST(StepClassifierA64, ExclusivePairEndsAtItsStore) {
  // ldaxr w0, [x1]; cmp w0, w2; b.ne +16; stlxr w4, w3, [x1]; cbnz w4, -16
  const uint32_t compare_and_swap[] = {0x885ffc20, 0x6b02001f, 0x54000081, 0x8804fc23, 0x35ffff84};
  A64ExclusivePair exclusive = FindA64ExclusivePair(compare_and_swap, 5);
  EXPECT_EQ(exclusive.instructions, 4u);
  ASSERT_EQ(exclusive.branch_count, 1u);
  EXPECT_EQ(exclusive.branches[0].at, 2u);
  EXPECT_EQ(exclusive.branches[0].distance, 24);
  EXPECT_EQ(FindA64ExclusivePair(compare_and_swap + 1, 4).instructions, 0u);  // no load
  EXPECT_EQ(FindA64ExclusivePair(compare_and_swap, 3).instructions, 0u);      // no store
  const uint32_t called[] = {0xc85f7c20, 0x94000010, 0xc8047c20};
  EXPECT_EQ(FindA64ExclusivePair(called, 3).instructions, 0u);
  const uint32_t pair[] = {0xc87f0440, 0xc8230440};  // ldxp, stxp
  EXPECT_EQ(FindA64ExclusivePair(pair, 2).instructions, 2u);
  EXPECT_FALSE(IsA64LoadExclusive(0x48607c82));  // caspa
  EXPECT_FALSE(IsA64LoadExclusive(0x88dffc20));  // ldar
}

}  // namespace
}  // namespace softlbr::truth
