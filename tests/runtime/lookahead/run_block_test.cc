// Outcomes of RunBlock: each terminator, each policy, each reason that ends a path.
#include <gtest/gtest.h>

#include "tests/runtime/lookahead/uop_harness.h"

namespace softlbr::lookahead_test {
namespace {

constexpr uint64_t kTarget = 0x402000;
constexpr uint32_t kImm = SOFTLBR_UOP_B_IMM;

// add kA, 1 | nop | terminator, direct to kTarget
BlockMaker DirectBlock(uint8_t kind) {
  BlockMaker maker;
  maker.Add(MakeUop(SOFTLBR_OP_ADD, 8, kA, kA, 0, kImm | kSet, 1))
      .Add(MakeUop(SOFTLBR_OP_NOP, 8, 0))
      .AddInstruction({});
  maker.end().kind = kind;
  maker.end().base = SOFTLBR_REG_BLOCK;
  maker.end().disp = static_cast<int64_t>(kTarget - kBlockPc);
  return maker;
}

class RunBlockTest : public testing::Test {
 protected:
  RunBlockTest() {
    std::memset(memory_, 0, sizeof(memory_));
    fake::ForgetReadable();
    fake::AllowReading(memory_, sizeof(memory_));
  }
  uint64_t MemoryAddress() { return reinterpret_cast<uint64_t>(memory_); }
  alignas(4096) static inline uint64_t memory_[1024];  // far from the stack
  UopRunner runner_;
};

TEST_F(RunBlockTest, FallthroughContinuesAfterTheBlock) {
  const BlockExit exit = runner_.Run(DirectBlock(SOFTLBR_END_FALLTHROUGH).block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_FALSE(exit.is_taken);
  EXPECT_EQ(exit.next_pc, kBlockPc + 12);
  EXPECT_EQ(exit.instructions, 3u);
  EXPECT_EQ(runner_.Get(kA), 1u);
  EXPECT_EQ(runner_.context().pc, exit.next_pc);
}

TEST_F(RunBlockTest, DirectBranchesAreTaken) {
  for (const uint8_t kind : {SOFTLBR_END_JUMP, SOFTLBR_END_CALL}) {
    const BlockExit exit = runner_.Run(DirectBlock(kind).block());
    EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
    EXPECT_TRUE(exit.is_taken);
    EXPECT_EQ(exit.branch_pc, kBlockPc + 8);
    EXPECT_EQ(exit.next_pc, kTarget);
  }
}

TEST_F(RunBlockTest, ConditionalFollowsTheFlagsOfTheBlock) {
  BlockMaker block = DirectBlock(SOFTLBR_END_CONDITIONAL);
  block.end().condition = SOFTLBR_COND_Z;
  runner_.Set(kA, ~uint64_t{0});
  BlockExit exit = runner_.Run(block.block());
  EXPECT_TRUE(exit.is_taken);
  EXPECT_EQ(exit.next_pc, kTarget);
  exit = runner_.Run(block.block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_FALSE(exit.is_taken);
  EXPECT_EQ(exit.next_pc, kBlockPc + 12);
}

TEST_F(RunBlockTest, TakenConditionalToItsFallthroughIsTaken) {
  BlockMaker block = DirectBlock(SOFTLBR_END_CONDITIONAL);
  block.end().condition = SOFTLBR_COND_NZ;
  block.end().disp = 12;
  const BlockExit exit = runner_.Run(block.block());
  EXPECT_TRUE(exit.is_taken);
  EXPECT_EQ(exit.next_pc, kBlockPc + 12);
}

TEST_F(RunBlockTest, UnknownConditionIsUnresolvedAtTheBranch) {
  BlockMaker block = DirectBlock(SOFTLBR_END_CONDITIONAL);
  block.end().condition = SOFTLBR_COND_Z;
  runner_.Set(kA, 0, 0);
  const BlockExit exit = runner_.Run(block.block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kUnresolved);
  EXPECT_FALSE(exit.is_taken);
  EXPECT_EQ(exit.branch_pc, kBlockPc + 8);
  EXPECT_EQ(exit.instructions, 2u);
}

TEST_F(RunBlockTest, ConditionWithoutSemanticsIsAlwaysUnresolved) {
  BlockMaker block = DirectBlock(SOFTLBR_END_CONDITIONAL);
  block.end().condition = SOFTLBR_COND_UNKNOWN;
  EXPECT_EQ(runner_.Run(block.block()).outcome, BlockOutcome::kUnresolved);
}

TEST_F(RunBlockTest, RegisterConditionsTestOnlyTheirWidth) {
  struct {
    uint8_t condition;
    uint64_t bits;
    uint8_t known;
    uint8_t width;
    uint8_t bit;
    uint8_t flags;
    Truth want;
  } cases[] = {
      {SOFTLBR_COND_REG_ZERO, 0xffff000000000000, 0xff, 4, 0, 0, Truth::kTrue},
      {SOFTLBR_COND_REG_ZERO, 0xffff000000000000, 0xff, 8, 0, 0, Truth::kFalse},
      {SOFTLBR_COND_REG_ZERO, 0xff00, 0x02, 8, 0, 0, Truth::kFalse},
      {SOFTLBR_COND_REG_ZERO, 0, 0x7f, 8, 0, 0, Truth::kUnknown},
      {SOFTLBR_COND_REG_NONZERO, 5, 0xff, 8, 0, 0, Truth::kTrue},
      {SOFTLBR_COND_REG_NONZERO, 0, 0xff, 8, 0, 0, Truth::kFalse},
      {SOFTLBR_COND_BIT_ONE, uint64_t{1} << 35, 0x10, 8, 35, 0, Truth::kTrue},
      {SOFTLBR_COND_BIT_ONE, uint64_t{1} << 35, 0xef, 8, 35, 0, Truth::kUnknown},
      {SOFTLBR_COND_BIT_ZERO, uint64_t{1} << 35, 0xff, 8, 36, 0, Truth::kTrue},
      {SOFTLBR_COND_REG_NONZERO_AND_Z, 7, 0xff, 8, 0, SOFTLBR_FLAG_Z, Truth::kTrue},
      {SOFTLBR_COND_REG_NONZERO_AND_Z, 7, 0xff, 8, 0, 0, Truth::kFalse},
      {SOFTLBR_COND_REG_NONZERO_AND_Z, 0, 0xff, 8, 0, SOFTLBR_FLAG_Z, Truth::kFalse},
      {SOFTLBR_COND_REG_NONZERO_AND_NZ, 7, 0xff, 8, 0, 0, Truth::kTrue},
      {SOFTLBR_COND_REG_NONZERO_AND_NZ, 7, 0x00, 8, 0, SOFTLBR_FLAG_Z, Truth::kFalse},
      {SOFTLBR_COND_REG_NONZERO_AND_NZ, 7, 0x00, 8, 0, 0, Truth::kUnknown},
  };
  for (const auto& c : cases) {
    BlockMaker maker;
    maker.AddInstruction({});
    maker.end().kind = SOFTLBR_END_CONDITIONAL;
    maker.end().condition = c.condition;
    maker.end().cond_reg = kC;
    maker.end().cond_width = c.width;
    maker.end().cond_bit = c.bit;
    maker.end().base = SOFTLBR_REG_BLOCK;
    maker.end().disp = 0x100;
    runner_.Set(kC, c.bits, c.known);
    runner_.SetFlags(c.flags);
    const BlockExit exit = runner_.Run(maker.block());
    const Truth got = exit.outcome == BlockOutcome::kUnresolved ? Truth::kUnknown : TruthOf(exit.is_taken);
    EXPECT_EQ(got, c.want) << int{c.condition} << " " << std::hex << c.bits << " " << int{c.known};
  }
}

TEST_F(RunBlockTest, IndirectTargetsAreSumsOrLoads) {
  memory_[3] = 0x405000;
  BlockMaker maker;
  maker.AddInstruction({});
  maker.end().kind = SOFTLBR_END_INDIRECT_JUMP;
  maker.end().base = kA;
  maker.end().index = kB;
  maker.end().scale = 3;
  maker.end().disp = 8;
  runner_.Set(kA, MemoryAddress());
  runner_.Set(kB, 2);
  EXPECT_EQ(runner_.Run(maker.block()).next_pc, MemoryAddress() + 24);
  maker.end().load_bytes = 8;
  const BlockExit exit = runner_.Run(maker.block());
  EXPECT_EQ(exit.next_pc, 0x405000u);
  EXPECT_TRUE(exit.is_taken);
  runner_.Set(kB, 0, 0xfe);
  EXPECT_EQ(runner_.Run(maker.block()).outcome, BlockOutcome::kUnresolved);
  runner_.Set(kB, 0x100000);
  const BlockExit unreadable = runner_.Run(maker.block());
  EXPECT_EQ(unreadable.outcome, BlockOutcome::kAborted);
  EXPECT_EQ(unreadable.reason, AbortReason::kUnreadableData);
}

// The CPU faults at the branch and does not take it.
TEST_F(RunBlockTest, BranchToAnAddressThatCannotBeIsNotTaken) {
  BlockMaker maker;
  maker.AddInstruction({});
  maker.end().kind = SOFTLBR_END_INDIRECT_JUMP;
  maker.end().base = kA;
  for (const uint64_t target : {uint64_t{0x0000800000000000}, uint64_t{0xffff7fffffffffff}, uint64_t{1} << 63}) {
    runner_.Set(kA, target);
    const BlockExit exit = runner_.Run(maker.block());
    EXPECT_EQ(exit.outcome, BlockOutcome::kAborted) << std::hex << target;
    EXPECT_EQ(exit.reason, AbortReason::kUnreadableCode);
    EXPECT_FALSE(exit.is_taken);
  }
  for (const uint64_t target : {uint64_t{0x00007fffffffffff}, uint64_t{0xffff800000000000}}) {
    runner_.Set(kA, target);
    EXPECT_TRUE(runner_.Run(maker.block()).is_taken) << std::hex << target << ": faults at the target";
  }
}

TEST_F(RunBlockTest, CallPushesAfterItsTargetIsKnown) {
  // An indirect call; kA serves as the stack pointer.
  BlockMaker maker;
  maker.AddInstruction({MakeUop(SOFTLBR_OP_SUB, 8, kA, kA, 0, kImm, 8),
                        MakeUop(SOFTLBR_OP_ADDRESS, 8, SOFTLBR_REG_TEMP, SOFTLBR_REG_BLOCK, 0, 0, 4),
                        MakeUop(SOFTLBR_OP_STORE, 8, SOFTLBR_REG_TEMP, kA)});
  maker.end().kind = SOFTLBR_END_INDIRECT_CALL;
  maker.end().base = kA;  // like `call *rsp`: the target is evaluated before the push
  maker.end().after_uops = 3;
  runner_.Set(kA, MemoryAddress() + 64);
  BlockExit exit = runner_.Run(maker.block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_EQ(exit.next_pc, MemoryAddress() + 64);
  EXPECT_EQ(runner_.Get(kA), MemoryAddress() + 56);
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kB, kA));
  EXPECT_EQ(runner_.Get(kB), kBlockPc + 4);
  EXPECT_EQ(memory_[7], 0u);  // the program's memory is never written
  // Unresolved: the push must not have happened.
  maker.end().index = kC;
  runner_.Set(kC, 0, 0);
  exit = runner_.Run(maker.block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kUnresolved);
  EXPECT_EQ(runner_.Get(kA), MemoryAddress() + 56);
}

TEST_F(RunBlockTest, BeforeUopsOfTheTerminatorRunBeforeItsCondition) {
  // loop: dec kC; jump if not 0
  BlockMaker maker;
  maker.AddInstruction({MakeUop(SOFTLBR_OP_SUB, 8, kC, kC, 0, kImm, 1)});
  maker.end().kind = SOFTLBR_END_CONDITIONAL;
  maker.end().condition = SOFTLBR_COND_REG_NONZERO;
  maker.end().cond_reg = kC;
  maker.end().cond_width = 8;
  maker.end().base = SOFTLBR_REG_BLOCK;
  runner_.Set(kC, 2);
  EXPECT_TRUE(runner_.Run(maker.block()).is_taken);
  EXPECT_FALSE(runner_.Run(maker.block()).is_taken);
}

TEST_F(RunBlockTest, StartsAtAnInstruction) {
  BlockMaker block = DirectBlock(SOFTLBR_END_JUMP);
  const BlockExit exit = runner_.Run(block.block(), 1);
  EXPECT_EQ(runner_.Get(kA), 0u);  // instruction 0 was not run
  EXPECT_EQ(exit.instructions, 2u);
  EXPECT_EQ(runner_.Run(block.block(), 2).instructions, 1u);
}

TEST_F(RunBlockTest, SystemCallStopsAfterIt) {
  const BlockExit exit = runner_.Run(DirectBlock(SOFTLBR_END_SYSCALL).block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kSystemCall);
  EXPECT_EQ(exit.branch_pc, kBlockPc + 8);
  EXPECT_EQ(exit.next_pc, kBlockPc + 12);
  EXPECT_FALSE(exit.is_taken);
}

// rt_sigreturn: a breakpoint behind it would never be hit.
TEST_F(RunBlockTest, SystemCallThatReturnsElsewhereAborts) {
  BlockMaker block = DirectBlock(SOFTLBR_END_SYSCALL);
  block.end().cond_reg = kC;
  block.end().disp = 15;
  runner_.Set(kC, 14);
  EXPECT_EQ(runner_.Run(block.block()).outcome, BlockOutcome::kSystemCall);
  runner_.Set(kC, 0xabcd'0000'0000'000f);
  const BlockExit exit = runner_.Run(block.block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kAborted) << "only the low four bytes count";
  EXPECT_EQ(exit.reason, AbortReason::kFarTransfer);
  EXPECT_EQ(exit.branch_pc, kBlockPc + 8);
  runner_.Set(kC, 15, 0x0e);
  EXPECT_EQ(runner_.Run(block.block()).outcome, BlockOutcome::kSystemCall) << "UNKNOWN number";
}

TEST_F(RunBlockTest, TrapsAndFarTransfersAbort) {
  const struct {
    uint8_t kind;
    AbortReason reason;
  } cases[] = {{SOFTLBR_END_TRAP, AbortReason::kTrapInstruction},
               {SOFTLBR_END_FAR, AbortReason::kFarTransfer},
               {SOFTLBR_END_UNDECODABLE, AbortReason::kUndecodable}};
  for (const auto& c : cases) {
    const BlockExit exit = runner_.Run(DirectBlock(c.kind).block());
    EXPECT_EQ(exit.outcome, BlockOutcome::kAborted);
    EXPECT_EQ(exit.reason, c.reason);
    EXPECT_FALSE(exit.is_taken);
  }
}

TEST_F(RunBlockTest, BlockCutByTheWindowContinuesUnlessEmpty) {
  BlockMaker block = DirectBlock(SOFTLBR_END_UNDECODABLE);
  block.end().flags = SOFTLBR_END_FLAG_CUT_BY_WINDOW;
  const BlockExit exit = runner_.Run(block.block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_EQ(exit.next_pc, kBlockPc + 12);
  EXPECT_EQ(exit.instructions, 3u);
  BlockMaker empty;
  empty.end().kind = SOFTLBR_END_UNDECODABLE;
  empty.end().flags = SOFTLBR_END_FLAG_CUT_BY_WINDOW;
  EXPECT_EQ(runner_.Run(empty.block()).reason, AbortReason::kUndecodable);
}

TEST_F(RunBlockTest, UnreadableDataAbortsAtItsInstruction) {
  BlockMaker maker;
  maker.Add(MakeUop(SOFTLBR_OP_NOP, 8, 0))
      .AddInstruction({MakeUop(SOFTLBR_OP_NOP, 8, 0), MakeUop(SOFTLBR_OP_LOAD, 8, kB, kA)})
      .Add(MakeUop(SOFTLBR_OP_CONST, 8, kC, 0, 0, 0, 77));
  runner_.Set(kA, 0x1000);
  runner_.Set(kC, 0);
  const BlockExit exit = runner_.Run(maker.block());
  EXPECT_EQ(exit.outcome, BlockOutcome::kAborted);
  EXPECT_EQ(exit.reason, AbortReason::kUnreadableData);
  EXPECT_EQ(exit.branch_pc, kBlockPc + 4);
  EXPECT_EQ(exit.instructions, 2u);
  EXPECT_EQ(runner_.Get(kC), 0u);
}

TEST_F(RunBlockTest, LoadIntoUnreadablePageAborts) {
  runner_.Set(kA, MemoryAddress() + sizeof(memory_) - 4);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 4, kB, kA)).outcome, BlockOutcome::kNext);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kB, kA)).outcome, BlockOutcome::kAborted);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_VLOAD, 16, kVA, kA)).outcome, BlockOutcome::kAborted);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STORE, 8, kB, kA)).outcome, BlockOutcome::kAborted);
}

TEST_F(RunBlockTest, LoadFromUnknownAddressGivesUnknown) {
  runner_.Set(kA, 0x1000, 0x7f);
  const BlockExit exit = runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kB, kA));
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_EQ(runner_.Known(kB), 0);
}

TEST_F(RunBlockTest, StoreToUnknownAddressPoisonsLoads) {
  runner_.Set(kA, MemoryAddress());
  runner_.Set(kD, 0, 0);
  runner_.Run(MakeUop(SOFTLBR_OP_STORE, 8, kB, kD));
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA));
  EXPECT_EQ(runner_.Known(kC), 0);
  runner_.Set(kB, 0x1234);
  runner_.Run(MakeUop(SOFTLBR_OP_STORE, 4, kB, kA));  // stored after the poison: known again
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA));
  EXPECT_EQ(runner_.Known(kC), 0x0f);
  EXPECT_EQ(runner_.Get(kC) & 0xffffffff, 0x1234u);
  runner_.Adopt();
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA));
  EXPECT_EQ(runner_.Known(kC), 0xff);
  EXPECT_EQ(runner_.Get(kC), 0u);
}

TEST_F(RunBlockTest, SpecialPagesStayUnknownAfterStore) {
  SpecialRanges special = {};
  special.count = 1;
  special.ranges[0] = {MemoryAddress(), MemoryAddress() + 4096, PageState::kSpecial};
  runner_.evaluator().memory.pages.special = &special;
  runner_.Adopt();
  runner_.Set(kA, MemoryAddress());
  runner_.Set(kB, 5);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA)).outcome, BlockOutcome::kNext);
  EXPECT_EQ(runner_.Known(kC), 0);
  runner_.Run(MakeUop(SOFTLBR_OP_STORE, 8, kB, kA));
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA));
  EXPECT_EQ(runner_.Known(kC), 0);
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA, 0, 0, 4096));
  EXPECT_EQ(runner_.Known(kC), 0xff);
}

TEST_F(RunBlockTest, StoreToMemoryMappedTwiceEndsThePath) {
  SpecialRanges special = {};
  special.count = 1;
  special.ranges[0] = {MemoryAddress(), MemoryAddress() + 4096, PageState::kTwice};
  runner_.evaluator().memory.pages.special = &special;
  runner_.Adopt();
  runner_.Set(kA, MemoryAddress());
  runner_.Set(kB, 5);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA)).outcome, BlockOutcome::kNext);
  EXPECT_EQ(runner_.Known(kC), 0xff) << "reads are as any other";
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STORE, 8, kB, kA)).outcome, BlockOutcome::kAborted);
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STORE, 8, kB, kA, 0, 0, 4092)).outcome, BlockOutcome::kAborted)
      << "half of it there";
  EXPECT_EQ(runner_.Run(MakeUop(SOFTLBR_OP_STORE, 8, kB, kA, 0, 0, 4096)).outcome, BlockOutcome::kNext);
}

// The handler runs on the program's stack: its frames are below the program's stack pointer.
TEST_F(RunBlockTest, StackBelowTheRedZoneIsUnknownUntilStored) {
  alignas(16) volatile uint64_t stack[1024] = {};  // the top of the program's stack is above this test's frame
  const uint64_t sp = reinterpret_cast<uint64_t>(stack + 512);
  fake::AllowReading(reinterpret_cast<const void*>(sp / 4096 * 4096 - 8192), 16384);
  runner_.context().sp = sp;
  runner_.Adopt();
  runner_.Set(kA, sp);
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA, 0, 0, -128));
  EXPECT_EQ(runner_.Known(kC), 0xff);  // the red zone is the program's
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA, 0, 0, -129));
  EXPECT_EQ(runner_.Known(kC), 0);
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 1, kC, kA, 0, 0, -130));
  EXPECT_EQ(runner_.Known(kC), 0xfe);
  runner_.Set(kB, 99);
  runner_.Run(MakeUop(SOFTLBR_OP_STORE, 8, kB, kA, 0, 0, -200));
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA, 0, 0, -200));
  EXPECT_EQ(runner_.Known(kC), 0xff);
  EXPECT_EQ(runner_.Get(kC), 99u);
}

TEST_F(RunBlockTest, HandlerOnAnotherStackLeavesProgramStackKnown) {
  runner_.context().sp = MemoryAddress() + 4096;
  runner_.Adopt();
  runner_.Set(kA, MemoryAddress() + 4096);
  runner_.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA, 0, 0, -1000));
  EXPECT_EQ(runner_.Known(kC), 0xff);
}

TEST_F(RunBlockTest, TaggedAddressesReferToTheSameMemory) {
  UopRunner a64(kMachineAarch64);
  a64.Set(kA, MemoryAddress() | uint64_t{0x5a} << 56);
  a64.Set(kB, 0x77);
  a64.Run(MakeUop(SOFTLBR_OP_STORE, 8, kB, kA));
  for (const uint64_t tag : {0x00, 0x5a, 0xff}) {
    a64.Set(kA, MemoryAddress() | tag << 56);
    a64.Run(MakeUop(SOFTLBR_OP_LOAD, 8, kC, kA));
    EXPECT_EQ(a64.Get(kC), 0x77u);
    EXPECT_EQ(a64.Known(kC), 0xff);
  }
}

TEST_F(RunBlockTest, RegZeroStaysZeroAndRegBlockIsTheAddress) {
  runner_.Run(MakeUop(SOFTLBR_OP_CONST, 8, SOFTLBR_REG_ZERO, 0, 0, 0, 5));
  runner_.Run(MakeUop(SOFTLBR_OP_UNKNOWN, 8, SOFTLBR_REG_ZERO));
  runner_.Run(MakeUop(SOFTLBR_OP_CONST_HIGH, 8, SOFTLBR_REG_ZERO, 0, 0, 0, 5));
  EXPECT_EQ(runner_.Get(SOFTLBR_REG_ZERO), 0u);
  EXPECT_EQ(runner_.Known(SOFTLBR_REG_ZERO), 0xff);
  runner_.Run(MakeUop(SOFTLBR_OP_ADDRESS, 8, kA, SOFTLBR_REG_BLOCK, 0, 0, 0x10));
  EXPECT_EQ(runner_.Get(kA), kBlockPc + 0x10);
}

TEST_F(RunBlockTest, EverythingIsUnknownBeforeAdoption) {
  Evaluator evaluator;
  std::memset(&evaluator, 0x5a, sizeof(evaluator));
  InitEvaluator(&evaluator, ResolvePolicy::kLookahead, kMachineX86_64);
  for (uint32_t slot = 1; slot < kRegisterSlotCount; ++slot) ASSERT_EQ(evaluator.context.known[slot], 0);
  EXPECT_EQ(evaluator.context.known[SOFTLBR_REG_ZERO], 0xff);
  EXPECT_TRUE(evaluator.memory.stores.is_poisoned);
  EXPECT_EQ(EvaluateCondition(evaluator.lazy, SOFTLBR_COND_Z), Truth::kUnknown);
}

// --- static policy ---

class StaticPolicy : public RunBlockTest {
 protected:
  UopRunner static_{kMachineX86_64, ResolvePolicy::kStatic};
};

TEST_F(StaticPolicy, FollowsDirectBranchesWithoutState) {
  for (int i = 0; i < 3; ++i) {
    const BlockExit exit = static_.Run(DirectBlock(SOFTLBR_END_JUMP).block());
    EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
    EXPECT_TRUE(exit.is_taken);
    EXPECT_EQ(exit.next_pc, kTarget);
    EXPECT_FALSE(static_.evaluator().is_state_known);
  }
  EXPECT_EQ(static_.Get(kA), 0u);  // no uop was run
}

TEST_F(StaticPolicy, ResolvesBranchOnlyAtItsOwnHit) {
  BlockMaker block = DirectBlock(SOFTLBR_END_CONDITIONAL);
  block.end().condition = SOFTLBR_COND_Z;
  static_.SetFlags(SOFTLBR_FLAG_Z);
  static_.Adopt();
  // At the block's start the state is true, but the thread has not stopped at the branch.
  EXPECT_EQ(static_.Run(block.block(), 0).outcome, BlockOutcome::kUnresolved);
  static_.Adopt();
  const BlockExit hit = static_.Run(block.block(), 2);
  EXPECT_EQ(hit.outcome, BlockOutcome::kNext);
  EXPECT_TRUE(hit.is_taken);
  // The state is no longer known.
  EXPECT_EQ(static_.Run(block.block(), 2).outcome, BlockOutcome::kUnresolved);
}

TEST_F(StaticPolicy, HitRunsTerminatorUopsAndLoadsItsTarget) {
  memory_[1] = 0x409000;
  BlockMaker maker;
  maker.Add(MakeUop(SOFTLBR_OP_CONST, 8, kB, 0, 0, 0, 1));
  maker.AddInstruction(
      {MakeUop(SOFTLBR_OP_ADD, 8, SOFTLBR_REG_TEMP, kA, 0, kImm, 8), MakeUop(SOFTLBR_OP_ADD, 8, kA, kA, 0, kImm, 8)});
  maker.end().kind = SOFTLBR_END_RETURN;
  maker.end().base = SOFTLBR_REG_TEMP;
  maker.end().load_bytes = 8;
  maker.end().after_uops = 1;
  static_.Set(kA, MemoryAddress());
  static_.Adopt();
  EXPECT_EQ(static_.Run(maker.block(), 0).outcome, BlockOutcome::kUnresolved);
  static_.Set(kA, MemoryAddress());
  static_.Adopt();
  const BlockExit exit = static_.Run(maker.block(), 1);
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_EQ(exit.next_pc, 0x409000u);
  EXPECT_TRUE(exit.is_taken);
  EXPECT_EQ(static_.Get(kA), MemoryAddress() + 8);
}

TEST_F(StaticPolicy, LoadedTargetsAreUnresolvedEvenFromAConstantAddress) {
  BlockMaker maker;
  maker.AddInstruction({});
  maker.Add(MakeUop(SOFTLBR_OP_NOP, 8, 0));
  maker.end().kind = SOFTLBR_END_INDIRECT_JUMP;
  maker.end().base = SOFTLBR_REG_BLOCK;
  maker.end().disp = static_cast<int64_t>(MemoryAddress() - kBlockPc);
  maker.end().load_bytes = 8;
  EXPECT_EQ(static_.Run(maker.block(), 0).outcome, BlockOutcome::kUnresolved);
}

TEST_F(StaticPolicy, DetectsSystemCallsAndTrapsWithoutState) {
  EXPECT_EQ(static_.Run(DirectBlock(SOFTLBR_END_SYSCALL).block()).outcome, BlockOutcome::kSystemCall);
  EXPECT_EQ(static_.Run(DirectBlock(SOFTLBR_END_TRAP).block()).reason, AbortReason::kTrapInstruction);
}

TEST_F(StaticPolicy, IgnoresUnreadableDataBeforeTheBranch) {
  BlockMaker maker;
  maker.Add(MakeUop(SOFTLBR_OP_LOAD, 8, kB, kA)).AddInstruction({});
  maker.end().kind = SOFTLBR_END_JUMP;
  maker.end().base = SOFTLBR_REG_BLOCK;
  static_.Set(kA, 0x1000);
  static_.Adopt();
  EXPECT_EQ(static_.Run(maker.block()).outcome, BlockOutcome::kNext);
}

}  // namespace
}  // namespace softlbr::lookahead_test
