// decoders/api/dead_flags.h: which flag computations are dropped and which are kept.
#include "decoders/api/dead_flags.h"

#include "tests/decoders/plugin_fixture.h"

namespace softlbr {
namespace {

class DeadFlags : public test::PluginTest {
 protected:
  bool SetsFlags(uint32_t i) const { return (block_.uops[i].flags & SOFTLBR_UOP_SET_FLAGS) != 0; }
};

TEST_F(DeadFlags, OverwrittenFlagsAreDropped) {
  Lift({0x01, 0xd8,    // add %ebx,%eax
        0x29, 0xd8,    // sub %ebx,%eax
        0x21, 0xd8,    // and %ebx,%eax
        0x74, 0x10});  // je
  ASSERT_EQ(block_.uop_count, 3);
  EXPECT_FALSE(SetsFlags(0));
  EXPECT_FALSE(SetsFlags(1));
  EXPECT_TRUE(SetsFlags(2));
}

TEST_F(DeadFlags, BlockEndReadsAllFlags) {
  Lift({0x01, 0xd8, 0xc3});
  EXPECT_TRUE(SetsFlags(0));
  Lift({0x01, 0xd8});  // cut by the window
  EXPECT_TRUE(SetsFlags(0));
}

TEST_F(DeadFlags, ReadFlagsAreKept) {
  Lift({0x01, 0xd8, 0x11, 0xd8, 0x01, 0xd8, 0xc3});  // add; adc; add
  EXPECT_TRUE(SetsFlags(0));
  EXPECT_FALSE(SetsFlags(1));
  Lift({0x01, 0xd8, 0x0f, 0x94, 0xc1, 0x01, 0xd8, 0xc3});  // add; sete; add
  EXPECT_TRUE(SetsFlags(0));
  Lift({0x01, 0xd8, 0x0f, 0x44, 0xc1, 0x01, 0xd8, 0xc3});  // add; cmove; add
  EXPECT_TRUE(SetsFlags(0));
  Lift({0x01, 0xd8, 0xd1, 0xd0, 0x01, 0xd8, 0xc3});  // add; rcl; add
  EXPECT_TRUE(SetsFlags(0));
  Lift({0x01, 0xd8, 0x9f, 0x01, 0xd8, 0xc3});  // add; lahf; add
  EXPECT_TRUE(SetsFlags(0));
  Lift({0x01, 0xd8, 0xf5, 0x01, 0xd8, 0xc3});  // add; cmc; add
  EXPECT_TRUE(SetsFlags(0));
}

TEST_F(DeadFlags, PartialWritersHideOnlyTheirFlags) {
  Lift({0x01, 0xd8, 0xff, 0xc0, 0x72, 0x10});  // add; inc (keeps C); jb
  EXPECT_TRUE(SetsFlags(0));
  EXPECT_TRUE(SetsFlags(1));
  Lift({0xff, 0xc0, 0x01, 0xd8, 0x72, 0x10});  // inc; add
  EXPECT_FALSE(SetsFlags(0));
  EXPECT_EQ(block_.uops[0].flags & SOFTLBR_UOP_KEEP_C, 0);
  Lift({0x01, 0xd8, 0xf9, 0x72, 0x10});  // add; stc (C only)
  EXPECT_TRUE(SetsFlags(0));
  Lift({0x01, 0xd8, 0xc1, 0xc0, 0x03, 0x72, 0x10});  // add; rol (C, V)
  EXPECT_TRUE(SetsFlags(0));
}

TEST_F(DeadFlags, UndefinedFlagsCountAsWritten) {
  Lift({0x01, 0xd8, 0x0f, 0xba, 0xe0, 0x03, 0x72, 0x10});  // add; bt; jb
  EXPECT_FALSE(SetsFlags(0));
}

TEST_F(DeadFlags, ShiftsWriteOnlyWithAKnownCount) {
  Lift({0x01, 0xd8, 0xc1, 0xe0, 0x03, 0x74, 0x10});  // add; shl $3
  EXPECT_FALSE(SetsFlags(0));
  Lift({0x01, 0xd8, 0xd3, 0xe0, 0x74, 0x10});  // add; shl %cl: the count may be zero
  EXPECT_TRUE(SetsFlags(0));
  Lift({0x01, 0xd8, 0xc1, 0xe0, 0x20, 0x74, 0x10});  // add; shl $32 on 32 bits: the count is zero
  EXPECT_TRUE(SetsFlags(0));
  Lift({0x01, 0xd8, 0x48, 0xc1, 0xe0, 0x20, 0x74, 0x10});  // add; shl $32 on 64 bits
  EXPECT_FALSE(SetsFlags(0));
}

TEST_F(DeadFlags, StringOperationsMayKeepFlags) {
  Lift({0x01, 0xd8, 0xf3, 0xa6, 0x74, 0x10});  // add; repe cmpsb
  EXPECT_TRUE(SetsFlags(0));
}

TEST_F(DeadFlags, ConstantFlagsAreDropped) {
  Lift({0xf9, 0xf8, 0x72, 0x10});  // stc; clc; jb
  ASSERT_EQ(block_.uop_count, 2);
  EXPECT_EQ(block_.uops[0].op, SOFTLBR_OP_NOP);
  EXPECT_EQ(block_.uops[1].op, SOFTLBR_OP_FLAGS_CONST);
}

TEST(DeadFlagsOfConditions, MatchWhatTheyRead) {
  using decoder::FlagsOfCondition;
  EXPECT_EQ(FlagsOfCondition(SOFTLBR_COND_NZ), uint32_t{SOFTLBR_FLAG_Z});
  EXPECT_EQ(FlagsOfCondition(SOFTLBR_COND_A), uint32_t{SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z});
  EXPECT_EQ(FlagsOfCondition(SOFTLBR_COND_GE), uint32_t{SOFTLBR_FLAG_S | SOFTLBR_FLAG_V});
  EXPECT_EQ(FlagsOfCondition(SOFTLBR_COND_GT), uint32_t{SOFTLBR_FLAG_Z | SOFTLBR_FLAG_S | SOFTLBR_FLAG_V});
  EXPECT_EQ(FlagsOfCondition(SOFTLBR_COND_LS), uint32_t{SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z});
  EXPECT_EQ(FlagsOfCondition(SOFTLBR_COND_UNKNOWN), uint32_t{SOFTLBR_FLAG_ALL});
}

}  // namespace
}  // namespace softlbr
