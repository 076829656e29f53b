// What the lifter reads, where its blocks end, and how it handles a faulty plugin: A64 code, on any host.
#include "runtime/blocks/lifter.h"

#include "decoders/aarch64/plugin_aarch64.h"
#include "tests/runtime/blocks/lifter_fixture.h"

namespace softlbr {
namespace {

constexpr uint32_t kFiller = 0xd503201f;
constexpr uint32_t kBranchToItself = 0x14000000;
constexpr uint32_t kNoInstruction = 0x00010000;

class Lifter : public LifterFixture {
 protected:
  Lifter() : LifterFixture(softlbr_decoder_plugin_aarch64()) {}
  void SetUp() override {
    LifterFixture::SetUp();
    Fill<uint32_t>({kFiller});
    g_seen_bytes = 0;
  }
  // Replaces the plugin's lift: stores how many bytes it was given.
  static softlbr_decoder_result NoteBytes(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                          softlbr_block* block) {
    g_seen_bytes = size;
    return softlbr_decoder_plugin_aarch64()->lift(decoder, code, size, pc, block);
  }
  static inline size_t g_seen_bytes;
};

TEST_F(Lifter, BlockEndsAtItsTerminator) {
  Write<uint32_t>(8, {kBranchToItself});
  ASSERT_EQ(Lift(0), AbortReason::kNone);
  ExpectLiftedFrom(0, 12);
  EXPECT_EQ(block().instruction_count, 3);
  EXPECT_EQ(block().end.kind, SOFTLBR_END_JUMP);
}

TEST_F(Lifter, BlockEndsWithTheWindow) {
  plugin_.lift = NoteBytes;
  ASSERT_EQ(Lift(0), AbortReason::kNone);
  EXPECT_EQ(g_seen_bytes, size_t{kCodeWindowBytes});
  ExpectLiftedFrom(0, kCodeWindowBytes);
  EXPECT_EQ(block().instruction_count, kMaxBlockInstructions) << "of four bytes each, as many fit the window";
  EXPECT_EQ(block().end.kind, SOFTLBR_END_FALLTHROUGH);
}

TEST_F(Lifter, BlockEndsWhenNextUopsDoNotFit) {
  Fill<uint32_t>({0x4cdf2000});  // ld1 {v0.16b-v3.16b}, [x0], #64: more than three uops each
  ASSERT_EQ(Lift(0), AbortReason::kNone);
  const uint32_t uops_each = block().uops_of[0];
  ASSERT_GT(uops_each * kMaxBlockInstructions, uint32_t{kMaxBlockUops})
      << "else the number of instructions ends the block";
  EXPECT_EQ(block().instruction_count, kMaxBlockUops / uops_each);
  EXPECT_EQ(block().end.kind, SOFTLBR_END_FALLTHROUGH);
}

TEST_F(Lifter, WindowExtendsIntoReadableNextPage) {
  plugin_.lift = NoteBytes;
  ASSERT_EQ(Lift(page_ - 8), AbortReason::kNone);
  EXPECT_EQ(g_seen_bytes, size_t{kCodeWindowBytes});
  ExpectLiftedFrom(page_ - 8, kCodeWindowBytes);
}

TEST_F(Lifter, NothingIsReadBeyondTheLastReadablePage) {
  plugin_.lift = NoteBytes;
  ProtectSecondPage();
  for (uint64_t left : {uint64_t{4}, uint64_t{8}, uint64_t{kCodeWindowBytes} - 4}) {
    ASSERT_EQ(Lift(page_ - left), AbortReason::kNone) << left;
    EXPECT_EQ(g_seen_bytes, left);
    ExpectLiftedFrom(page_ - left, static_cast<uint32_t>(left));
    EXPECT_EQ(block().end.kind, SOFTLBR_END_FALLTHROUGH);
  }
  ASSERT_EQ(Lift(page_ - kCodeWindowBytes), AbortReason::kNone) << "the window ends with the page";
  EXPECT_EQ(g_seen_bytes, size_t{kCodeWindowBytes});
}

TEST_F(Lifter, UnreadableCodeIsReported) {
  ProtectSecondPage();
  plugin_.lift = NoteBytes;
  EXPECT_EQ(Lift(page_), AbortReason::kUnreadableCode);
  EXPECT_EQ(Lift(2 * page_ - 4), AbortReason::kUnreadableCode);
  EXPECT_EQ(g_seen_bytes, 0u) << "the plugin must not be called";
}

TEST_F(Lifter, SpecialPagesAreNotRead) {
  SpecialRanges special{};
  special.count = 1;
  special.ranges[0] = {At(page_), At(2 * page_), PageState::kSpecial};
  scratch_->evaluator.memory.pages.special = &special;
  plugin_.lift = NoteBytes;
  EXPECT_EQ(Lift(page_), AbortReason::kUnreadableCode);
  ASSERT_EQ(Lift(page_ - 8), AbortReason::kNone);
  EXPECT_EQ(g_seen_bytes, 8u);
}

// As when another thread unmaps the page after it was found readable. A plain read would kill the process.
TEST_F(Lifter, GuardedReadDetectsPageUnmappedAfterProbe) {
  PageCache* pages = &scratch_->evaluator.memory.pages;
  ClearPageCache(pages);
  ASSERT_EQ(LookUpPage(pages, At(page_)), PageState::kReadable);
  ASSERT_EQ(LookUpPage(pages, At(0)), PageState::kReadable);
  ProtectSecondPage();
  scratch_->evaluator.memory.is_guarded = true;
  EXPECT_EQ(LiftBlock(plugin_, decoder_, scratch_.get(), At(page_)), AbortReason::kUnreadableCode);
  EXPECT_EQ(LiftBlock(plugin_, decoder_, scratch_.get(), At(page_ - 8)), AbortReason::kUnreadableCode);
  ASSERT_EQ(LiftBlock(plugin_, decoder_, scratch_.get(), At(0)), AbortReason::kNone);
  ExpectLiftedFrom(0, kCodeWindowBytes);
}

TEST_F(Lifter, UnknownFirstInstructionIsUndecodable) {
  Write<uint32_t>(64, {kNoInstruction});
  EXPECT_EQ(Lift(64), AbortReason::kUndecodable);
  ASSERT_EQ(Lift(60), AbortReason::kNone) << "the instruction before it is a block";
  ExpectLiftedFrom(60, 4);
  EXPECT_EQ(block().end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(Lift(2), AbortReason::kUndecodable) << "no instruction starts there";
}

TEST_F(Lifter, InstructionCutByUnreadablePageIsUndecodable) {
  ProtectSecondPage();
  EXPECT_EQ(Lift(page_ - 2), AbortReason::kUndecodable);
}

TEST_F(Lifter, PluginFailureIsReported) {
  plugin_.lift = [](softlbr_decoder*, const uint8_t*, size_t, uint64_t, softlbr_block*) {
    return SOFTLBR_DECODER_FAILED;
  };
  EXPECT_EQ(Lift(0), AbortReason::kDecoderFailed);
}

// Each lift function breaks a promise of the ABI; with some blocks the evaluator would run beyond its tables.
TEST_F(Lifter, BlockThatBreaksTheAbiIsRefused) {
  plugin_.lift = [](softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc, softlbr_block* block) {
    const softlbr_decoder_result result = softlbr_decoder_plugin_aarch64()->lift(decoder, code, size, pc + 4, block);
    return result;  // the block of another pc
  };
  EXPECT_EQ(Lift(0), AbortReason::kDecoderFailed);
  ProtectSecondPage();
  plugin_.lift = [](softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc, softlbr_block* block) {
    const softlbr_decoder_result result = softlbr_decoder_plugin_aarch64()->lift(decoder, code, size, pc, block);
    block->length[block->instruction_count++] = 4;  // beyond the given bytes
    block->byte_length += 4;
    return result;
  };
  EXPECT_EQ(Lift(page_ - 8), AbortReason::kDecoderFailed);
}

}  // namespace
}  // namespace softlbr
