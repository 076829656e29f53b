#include "tests/truth/step/step_classifier.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace softlbr::truth {
namespace {

StepClass Classify(std::initializer_list<int> bytes) {
  const std::vector<uint8_t> code(bytes.begin(), bytes.end());
  return ClassifyStep(code.data(), code.size());
}

TEST(StepClassifier, ShortConditionalHasLengthAndDisplacement) {
  const StepClass step = Classify({0x75, 0xfe});
  EXPECT_EQ(step.kind, StepKind::kConditional);
  EXPECT_EQ(step.length, 2);
  EXPECT_EQ(step.displacement, -2);
  EXPECT_EQ(step.condition_code, 5);
}

TEST(StepClassifier, LongConditionalCountsItsPrefixes) {
  const StepClass step = Classify({0x3e, 0x0f, 0x8c, 0x10, 0x02, 0x00, 0x00});
  EXPECT_EQ(step.kind, StepKind::kConditional);
  EXPECT_EQ(step.length, 7);
  EXPECT_EQ(step.displacement, 0x210);
}

TEST(StepClassifier, TruncatedConditionalIsOther) {
  EXPECT_EQ(Classify({0x0f, 0x84, 0x10, 0x02}).kind, StepKind::kOther);
}

TEST(StepClassifier, CallsJumpsAndReturnsAreUnconditional) {
  EXPECT_EQ(Classify({0xe8, 0, 0, 0, 0}).kind, StepKind::kUnconditional);
  EXPECT_EQ(Classify({0xeb, 0}).kind, StepKind::kUnconditional);
  EXPECT_EQ(Classify({0xe9, 0, 0, 0, 0}).kind, StepKind::kUnconditional);
  EXPECT_EQ(Classify({0xf3, 0xc3}).kind, StepKind::kUnconditional);  // rep ret
  EXPECT_EQ(Classify({0xc2, 8, 0}).kind, StepKind::kUnconditional);
  EXPECT_EQ(Classify({0x41, 0xff, 0xd4}).kind, StepKind::kUnconditional);  // call *%r12
  EXPECT_EQ(Classify({0x3e, 0xff, 0xe0}).kind, StepKind::kUnconditional);  // notrack jmp *%rax
  EXPECT_EQ(Classify({0xff, 0x25, 0, 0, 0, 0}).kind, StepKind::kUnconditional);
}

TEST(StepClassifier, OtherInstructionsOfTheSameOpcodeGroupAreOther) {
  EXPECT_EQ(Classify({0xff, 0xc0}).kind, StepKind::kOther);        // inc
  EXPECT_EQ(Classify({0xff, 0x30}).kind, StepKind::kOther);        // push
  EXPECT_EQ(Classify({0x0f, 0x1f, 0x00}).kind, StepKind::kOther);  // nop
  EXPECT_EQ(Classify({0x0f, 0x94, 0xc0}).kind, StepKind::kOther);  // sete
  EXPECT_EQ(Classify({0xc5, 0xf8, 0x77}).kind, StepKind::kOther);  // vzeroupper
  EXPECT_EQ(Classify({0x62, 0xf1, 0x7c, 0x48, 0x10, 0x00}).kind, StepKind::kOther);
  EXPECT_EQ(Classify({}).kind, StepKind::kOther);
}

TEST(StepClassifier, SystemCallsAndFarTransfersHaveTheirOwnKinds) {
  EXPECT_EQ(Classify({0x0f, 0x05}).kind, StepKind::kSystemCall);
  EXPECT_EQ(Classify({0xcd, 0x80}).kind, StepKind::kSystemCall);
  EXPECT_EQ(Classify({0x48, 0xcf}).kind, StepKind::kFar);
  EXPECT_EQ(Classify({0xff, 0x18}).kind, StepKind::kFar);
}

TEST(StepClassifier, ConditionsFollowTheFlags) {
  constexpr uint64_t kCarry = 1, kZero = 1 << 6, kSign = 1 << 7, kOverflow = 1 << 11;
  const StepClass below_or_equal = Classify({0x76, 0}), above = Classify({0x77, 0}), less = Classify({0x7c, 0});
  EXPECT_TRUE(IsConditionTrue(below_or_equal, kCarry, 0));
  EXPECT_TRUE(IsConditionTrue(below_or_equal, kZero, 0));
  EXPECT_FALSE(IsConditionTrue(below_or_equal, kSign, 0));
  EXPECT_TRUE(IsConditionTrue(above, kSign, 0));
  EXPECT_TRUE(IsConditionTrue(less, kSign, 0));
  EXPECT_FALSE(IsConditionTrue(less, kSign | kOverflow, 0));
}

TEST(StepClassifier, LoopsCountDownFirst) {
  const StepClass loop = Classify({0xe2, 0}), zero = Classify({0xe3, 0}), loop32 = Classify({0x67, 0xe2, 0});
  EXPECT_FALSE(IsConditionTrue(loop, 0, 1));
  EXPECT_TRUE(IsConditionTrue(loop, 0, 0));
  EXPECT_FALSE(IsConditionTrue(loop32, 0, 0x100000001));
  EXPECT_TRUE(IsConditionTrue(zero, 0, 0));
  EXPECT_FALSE(IsConditionTrue(zero, 0, 1));
}

}  // namespace
}  // namespace softlbr::truth
