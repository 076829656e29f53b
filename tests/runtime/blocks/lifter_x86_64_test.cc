// Where a lifted block ends if instructions have different lengths.
#include "decoders/x86_64/plugin_x86_64.h"
#include "tests/runtime/blocks/lifter_fixture.h"

namespace softlbr {
namespace {

class LifterX86 : public LifterFixture {
 protected:
  LifterX86() : LifterFixture(softlbr_decoder_plugin_x86_64()) {}
};

const std::vector<uint8_t> kMovRax = {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8};  // mov rax, imm64

TEST_F(LifterX86, BlockEndsAtMaxInstructions) {
  Fill<uint8_t>({0x90});
  ASSERT_EQ(Lift(0), AbortReason::kNone);
  EXPECT_EQ(block().instruction_count, kMaxBlockInstructions);
  ExpectLiftedFrom(0, kMaxBlockInstructions);
  EXPECT_EQ(block().end.kind, SOFTLBR_END_FALLTHROUGH);
}

TEST_F(LifterX86, BlockEndsBeforeInstructionCutByWindow) {
  Fill(kMovRax);
  ASSERT_EQ(Lift(0), AbortReason::kNone);
  EXPECT_EQ(block().instruction_count, kCodeWindowBytes / 10);
  ExpectLiftedFrom(0, kCodeWindowBytes / 10 * 10);
  EXPECT_NE(block().end.flags & SOFTLBR_END_FLAG_CUT_BY_WINDOW, 0);
}

TEST_F(LifterX86, BlockEndsBeforeInstructionCutByUnreadablePage) {
  Fill<uint8_t>({0x90});
  Write(page_ - 9, kMovRax);
  ProtectSecondPage();
  ASSERT_EQ(Lift(page_ - 12), AbortReason::kNone);
  EXPECT_EQ(block().instruction_count, 3);
  ExpectLiftedFrom(page_ - 12, 3);
  EXPECT_EQ(Lift(page_ - 9), AbortReason::kUndecodable) << "its last byte cannot be read";
}

TEST_F(LifterX86, LiftsLastByteOfReadablePage) {
  Fill<uint8_t>({0x90});
  ProtectSecondPage();
  ASSERT_EQ(Lift(page_ - 1), AbortReason::kNone);
  EXPECT_EQ(block().instruction_count, 1);
  ExpectLiftedFrom(page_ - 1, 1);
}

TEST_F(LifterX86, UnknownFirstByteIsUndecodable) {
  Fill<uint8_t>({0x90});
  Write<uint8_t>(32, {0x06});  // push es, invalid in 64-bit mode
  EXPECT_EQ(Lift(32), AbortReason::kUndecodable);
  ASSERT_EQ(Lift(31), AbortReason::kNone);
  ExpectLiftedFrom(31, 1);
}

}  // namespace
}  // namespace softlbr
