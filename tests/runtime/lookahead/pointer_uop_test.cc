// Signed pointers, on a CPU that has the keys (tests/fake/pointer_auth_fake.h) and on others; exclusive pairs.
#include <gtest/gtest.h>

#include "platform/base/limits.h"
#include "platform/pointer_auth.h"
#include "tests/fake/pointer_auth_fake.h"
#include "tests/runtime/lookahead/uop_harness.h"

namespace softlbr::lookahead_test {
namespace {

constexpr uint64_t kUnsigned = 0x0000007f12345678;
constexpr uint64_t kModifier = 0x7fffffffe010;
constexpr uint8_t kLowSix = 0x3f;

class PointerUop : public ::testing::Test {
 protected:
  void TearDown() override { fake::SetSigningCpu(0); }
  std::unique_ptr<UopRunner> Runner(uint32_t signing_bits) {
    fake::SetSigningCpu(signing_bits);
    auto runner = std::make_unique<UopRunner>(kMachineAarch64);
    runner->Set(kA, kUnsigned);
    runner->Set(kB, kModifier);
    return runner;
  }
  static softlbr_uop Uop(uint32_t op, uint32_t key = 0) { return MakeUop(op, 8, kC, kA, kB, 0, 0, key); }
};

TEST_F(PointerUop, CpuWithKeysSignsExactly) {
  for (const uint32_t bits : {39u, 48u, 52u}) {
    const auto runner = Runner(bits);
    EXPECT_EQ(runner->evaluator().address_bits, bits);
    for (const uint32_t key : {0u, 1u}) {
      uint64_t expected = 0;
      ASSERT_TRUE(platform::SignPointer(kUnsigned, kModifier, key, &expected));
      ASSERT_NE(expected, kUnsigned);
      runner->Set(kA, kUnsigned);
      (void)runner->Run(Uop(SOFTLBR_OP_POINTER_SIGN, key));
      EXPECT_EQ(runner->Get(kC), expected);
      EXPECT_EQ(runner->Known(kC), 0xff);
      runner->Set(kA, expected);
      (void)runner->Run(Uop(SOFTLBR_OP_POINTER_CHECK, key));
      EXPECT_EQ(runner->Get(kC), kUnsigned);
      EXPECT_EQ(runner->Known(kC), 0xff);
      (void)runner->Run(Uop(SOFTLBR_OP_POINTER_STRIP));
      EXPECT_EQ(runner->Get(kC), kUnsigned);
      EXPECT_EQ(runner->Known(kC), 0xff);
      // A wrong signature, one of the other key, one of another modifier: CPUs either trap or corrupt the pointer.
      runner->Set(kA, expected ^ uint64_t{1} << 53);
      (void)runner->Run(Uop(SOFTLBR_OP_POINTER_CHECK, key));
      EXPECT_EQ(runner->Known(kC), 0);
      runner->Set(kA, expected);
      (void)runner->Run(Uop(SOFTLBR_OP_POINTER_CHECK, 1 - key));
      EXPECT_EQ(runner->Known(kC), 0);
      runner->Set(kB, kModifier + 16);
      (void)runner->Run(Uop(SOFTLBR_OP_POINTER_CHECK, key));
      EXPECT_EQ(runner->Known(kC), 0);
      runner->Set(kB, kModifier);
    }
  }
}

TEST_F(PointerUop, UnsupportedKeysAndUnknownInputsGiveUnknown) {
  const auto runner = Runner(48);
  (void)runner->Run(Uop(SOFTLBR_OP_POINTER_SIGN, 2));  // a data key
  EXPECT_EQ(runner->Known(kC), 0);
  (void)runner->Run(Uop(SOFTLBR_OP_POINTER_CHECK, 3));
  EXPECT_EQ(runner->Known(kC), 0);
  runner->Set(kB, kModifier, 0x7f);
  (void)runner->Run(Uop(SOFTLBR_OP_POINTER_SIGN));
  EXPECT_EQ(runner->Known(kC), 0);
  runner->Set(kA, kUnsigned, 0xfe);
  (void)runner->Run(Uop(SOFTLBR_OP_POINTER_STRIP));
  EXPECT_EQ(runner->Known(kC), 0);
}

TEST_F(PointerUop, OnOtherCpusOnlyAddressBitsAreKnown) {
  const auto runner = Runner(0);
  for (const uint32_t op : {SOFTLBR_OP_POINTER_SIGN, SOFTLBR_OP_POINTER_CHECK, SOFTLBR_OP_POINTER_STRIP}) {
    runner->Set(kA, kUnsigned | uint64_t{0x2a} << 48);
    (void)runner->Run(Uop(op));
    EXPECT_EQ(runner->Known(kC), kLowSix);
    EXPECT_EQ(runner->Get(kC) & 0xffffffffffff, kUnsigned);
    runner->Set(kA, kUnsigned, 0xfd);
    (void)runner->Run(Uop(op));
    EXPECT_EQ(runner->Known(kC), kLowSix & 0xfd);
  }
  SetAddressBits(&runner->evaluator(), 39);  // bit 39 may belong to the signature
  runner->Set(kA, kUnsigned);
  (void)runner->Run(Uop(SOFTLBR_OP_POINTER_SIGN));
  EXPECT_EQ(runner->Known(kC), 0x0f);
}

softlbr_block IndirectJump(uint16_t slot) {
  BlockMaker maker;
  maker.AddInstruction({});
  maker.end().kind = SOFTLBR_END_INDIRECT_JUMP;
  maker.end().base = slot;
  return maker.block();
}

TEST_F(PointerUop, BranchNeedsOnlyAddressBitsOfItsTarget) {
  const auto runner = Runner(0);
  runner->Set(kA, kUnsigned | uint64_t{0xa5c3} << 48, kLowSix);
  BlockExit exit = runner->Run(IndirectJump(kA));
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_EQ(exit.next_pc, kUnsigned);
  runner->Set(kA, kUnsigned | uint64_t{0xa5} << 56);  // a tag
  EXPECT_EQ(runner->Run(IndirectJump(kA)).next_pc, kUnsigned);
  runner->Set(kA, kUnsigned, 0x1f);
  EXPECT_EQ(runner->Run(IndirectJump(kA)).outcome, BlockOutcome::kUnresolved);
  SetAddressBits(&runner->evaluator(), 39);
  EXPECT_EQ(runner->Run(IndirectJump(kA)).next_pc, kUnsigned);
  SetAddressBits(&runner->evaluator(), 52);  // bits 48..51 may be anything
  runner->Set(kA, kUnsigned, kLowSix);
  EXPECT_EQ(runner->Run(IndirectJump(kA)).outcome, BlockOutcome::kUnresolved);
}

TEST_F(PointerUop, X86TargetsAreWholePointers) {
  UopRunner runner(kMachineX86_64);
  runner.Set(kA, kUnsigned | uint64_t{1} << 60);
  EXPECT_EQ(runner.Run(IndirectJump(kA)).outcome, BlockOutcome::kAborted)
      << "a tag is part of the address, which faults";
  runner.Set(kA, kUnsigned, 0x7f);
  EXPECT_EQ(runner.Run(IndirectJump(kA)).outcome, BlockOutcome::kUnresolved);
}

softlbr_block Straight(uint32_t instructions, uint8_t flags) {
  BlockMaker maker;
  for (uint32_t i = 0; i < instructions; ++i) maker.Add(MakeUop(SOFTLBR_OP_NOP, 8, 0));
  maker.end().flags = flags;
  return maker.block();
}

TEST(ExclusiveRegion, LastsUntilABlockClosesIt) {
  UopRunner runner(kMachineAarch64);
  const Evaluator& evaluator = runner.evaluator();
  EXPECT_EQ(evaluator.exclusive_left, 0u);
  (void)runner.Run(Straight(3, SOFTLBR_END_FLAG_EXCLUSIVE_CLOSED));
  EXPECT_EQ(evaluator.exclusive_left, 0u);
  (void)runner.Run(Straight(3, SOFTLBR_END_FLAG_EXCLUSIVE_OPEN));
  EXPECT_EQ(evaluator.exclusive_left, kExclusiveInstructions);
  (void)runner.Run(Straight(5, 0));
  EXPECT_EQ(evaluator.exclusive_left, kExclusiveInstructions - 5);
  (void)runner.Run(Straight(1, SOFTLBR_END_FLAG_EXCLUSIVE_OPEN));  // another one
  EXPECT_EQ(evaluator.exclusive_left, kExclusiveInstructions);
  (void)runner.Run(Straight(1, SOFTLBR_END_FLAG_EXCLUSIVE_CLOSED));
  EXPECT_EQ(evaluator.exclusive_left, 0u);
}

TEST(ExclusiveRegion, IsBounded) {
  UopRunner runner(kMachineAarch64);
  (void)runner.Run(Straight(1, SOFTLBR_END_FLAG_EXCLUSIVE_OPEN));
  for (uint32_t done = 0; done < kExclusiveInstructions; done += 8) {
    EXPECT_NE(runner.evaluator().exclusive_left, 0u) << done;
    (void)runner.Run(Straight(8, 0));
  }
  EXPECT_EQ(runner.evaluator().exclusive_left, 0u);
}

TEST(ExclusiveRegion, EndsWhenTrueStateIsAdopted) {
  UopRunner runner(kMachineAarch64);
  (void)runner.Run(Straight(1, SOFTLBR_END_FLAG_EXCLUSIVE_OPEN));
  runner.Adopt();
  EXPECT_EQ(runner.evaluator().exclusive_left, 0u);
}

}  // namespace
}  // namespace softlbr::lookahead_test
