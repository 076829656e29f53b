// Code of no module: its blocks are cached, and used only while the code is what it was.
#include <gtest/gtest.h>

#include "tests/runtime/trace/tracer_fixture.h"

namespace softlbr {
namespace {

constexpr uint32_t kNoOperation = 0xd503201f;
constexpr uint32_t kBranchByOne = 0x14000001;  // to the next instruction
constexpr uint32_t kBranchBackByOne = 0x17ffffff;

// With plain reads, and with reads through the kernel.
class GeneratedCode : public TracerTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    TracerTest::SetUp();
    environment_->must_guard = GetParam() ? 1 : 0;
    // 0: nop   4: b 8   8: b 4
    Place({kNoOperation, kBranchByOne, kBranchBackByOne});
    Sample(0);
    ASSERT_EQ(Committed().size(), 1u);
    ASSERT_EQ(Committed()[0].branches, (Branches{{4, 8}, {8, 4}, {4, 8}, {8, 4}, {4, 8}, {8, 4}, {4, 8}, {8, 4}}));
    lifted_ = Lifted();
    EXPECT_LE(lifted_, 4u) << "each block once, though the trace is longer";
  }
  uint64_t Lifted() const { return slot_->counters.instructions_lifted; }
  uint64_t lifted_ = 0;
};

TEST_P(GeneratedCode, IsNotLiftedAgainWhileItStaysTheSame) {
  Sample(0);
  EXPECT_EQ(Committed().at(1).branches, Committed()[0].branches);
  EXPECT_EQ(Lifted(), lifted_);
}

TEST_P(GeneratedCode, IsLiftedAgainOnceItHasChanged) {
  code_[2] = kBranchToItself;
  Sample(0);
  EXPECT_EQ(Committed().at(1).branches, (Branches{{4, 8}, {8, 8}, {8, 8}, {8, 8}, {8, 8}, {8, 8}, {8, 8}, {8, 8}}));
  EXPECT_GT(Lifted(), lifted_);
}

TEST_P(GeneratedCode, IsLiftedAgainOnceItHasChangedBack) {
  code_[2] = kBranchToItself;
  Sample(0);
  code_[2] = kBranchBackByOne;
  Sample(0);
  EXPECT_EQ(Committed().at(2).branches, Committed()[0].branches);
}

// The sample is at an instruction inside a cached block, of which an earlier one has changed.
TEST_P(GeneratedCode, IsComparedAsAWholeBlock) {
  constexpr uint64_t kBegin = 128;  // on another line of code than the blocks above
  std::vector<uint32_t> code(kBegin / 4, kNoOperation);
  code.insert(code.end(), {kNoOperation, kNoOperation, kBranchToItself});
  Place(code);
  Sample(kBegin);
  const uint64_t lifted = Lifted();
  Sample(kBegin + 8);
  EXPECT_EQ(Lifted(), lifted) << "a block is found by an instruction inside it";
  code_[kBegin / 4] = kBranchByOne;
  Sample(kBegin + 8);
  EXPECT_GT(Lifted(), lifted);
  EXPECT_EQ(Committed().at(3).branches, Committed()[2].branches);
}

TEST_P(GeneratedCode, EndsTheTraceOnceItCannotBeRead) {
  fake::ForgetReadable();
  Sample(0);
  EXPECT_EQ(Committed().at(1).reason, AbortReason::kUnreadableCode);
  EXPECT_TRUE(Committed()[1].branches.empty());
}

// Loads and stores of the trace itself change no memory: what it has stored over code is not there to be lifted.
TEST_P(GeneratedCode, EndsTheTraceAtCodeThatTheTraceItselfHasStored) {
  constexpr uint32_t kStoreX2ToX1 = 0xf9000022;
  const std::vector<uint32_t> code = {kStoreX2ToX1, kBranchByOne, kBranchBackByOne, kNoOperation};
  for (const bool is_cached : {false, true}) {
    Place(code);
    if (is_cached) {
      Sample(4);
      EXPECT_EQ(Committed().back().reason, AbortReason::kNone) << "nothing was stored yet";
    }
    SetX(1, At(8));
    Sample(0);
    EXPECT_EQ(Committed().back().reason, AbortReason::kUnreadableCode) << is_cached;
    EXPECT_EQ(Committed().back().branches, (Branches{{4, 8}})) << is_cached;
    SetX(1, At(24));
    Sample(0);
    EXPECT_EQ(Committed().back().reason, AbortReason::kNone) << "a store beside it";
  }
}

// The store and what it changes are in one block.
TEST_P(GeneratedCode, EndsTheTraceInABlockThatStoresIntoItself) {
  constexpr uint32_t kStoreX2ToX1 = 0xf9000022;
  Place({kBranchByOne, kStoreX2ToX1, kBranchByOne, kBranchToItself, kNoOperation});
  SetX(1, At(8));
  for (const uint64_t begin : {0, 4}) {
    Sample(begin);
    EXPECT_EQ(Committed().back().reason, AbortReason::kUnreadableCode);
    EXPECT_EQ(Committed().back().branches, begin == 0 ? (Branches{{0, 4}}) : Branches{});
  }
}

// After a store to an address that is not known, any byte may have been stored to. What is stored later is known again,
// and looked for.
TEST_P(GeneratedCode, EndsTheTraceAtCodeStoredAfterAStoreToNobodyKnowsWhere) {
  constexpr uint32_t kStoreX2ToX3 = 0xf9000062, kStoreX2ToX1 = 0xf9000022;
  Place({kStoreX2ToX3, kStoreX2ToX1, kBranchByOne, kBranchBackByOne, kNoOperation});
  fake::Platform().truth.known[SOFTLBR_A64_X0 + 3] = 0;
  SetX(1, At(40));
  Sample(0);
  EXPECT_EQ(Committed().back().reason, AbortReason::kNone) << "a store beside it";
  SetX(1, At(12));
  Sample(0);
  EXPECT_EQ(Committed().back().reason, AbortReason::kUnreadableCode);
  EXPECT_EQ(Committed().back().branches, (Branches{{8, 12}}));
}

// No instruction at 4: what comes to stand there later is not part of the block before it.
TEST_P(GeneratedCode, IsNotCachedBeforeBytesThatAreNoInstruction) {
  constexpr uint32_t kNoInstruction = 0;
  Place({kNoOperation, kNoInstruction});
  Sample(0);
  EXPECT_NE(Committed().at(1).reason, AbortReason::kNone);
  code_[1] = kBranchToItself;
  Sample(0);
  EXPECT_EQ(Committed().at(2).branches, Branches(8, {4, 4}));
}

// Code of a module is not compared: it changes only with the modules. Where a library was closed, code may be generated
// before the modules are read again.
TEST_P(GeneratedCode, IsExpectedInThePlaceOfModulesThatMayBeGone) {
  map_->code[0] = AddressRange{At(0), At(4096)};
  map_->code_count = 1;
  for (const UnloadingState state : {kNothingUnloaded, kUnloaded, kReadingAfterUnload}) {
    InvalidateBlockCache(cache_.get());
    environment_->unloading = state;
    Place({kNoOperation, kBranchByOne, kBranchBackByOne});
    Sample(0);
    code_[2] = kBranchToItself;
    Sample(0);
    const bool is_lifted_again = Committed().back().branches.back() == std::pair<uint64_t, uint64_t>{8, 8};
    EXPECT_EQ(is_lifted_again, state != kNothingUnloaded) << state;
  }
}

INSTANTIATE_TEST_SUITE_P(Reads, GeneratedCode, ::testing::Bool(),
                         [](const auto& reads) { return std::string(reads.param ? "Guarded" : "Plain"); });

}  // namespace
}  // namespace softlbr
