// Every kind of terminator, exactly: kind, condition, target expression, uops before and after.
#include "tests/decoders/plugin_fixture.h"

namespace softlbr {
namespace {

class LiftBranch : public test::PluginTest {
 protected:
  const softlbr_terminator& End(std::initializer_list<uint8_t> code) {
    const softlbr_block& block = Lift(code);
    EXPECT_EQ(block.instruction_count, 1);
    EXPECT_EQ(block.byte_length, code.size());
    EXPECT_EQ(block.length[0], code.size());
    EXPECT_EQ(block.uops_of[0], block.uop_count);
    EXPECT_LE(block.end.after_uops, block.uop_count);
    EXPECT_EQ(block.end.flags, 0);
    return block.end;
  }
  void ExpectDirect(const softlbr_terminator& end, uint8_t kind, int64_t offset) {
    EXPECT_EQ(end.kind, kind);
    EXPECT_EQ(end.base, SOFTLBR_REG_BLOCK);
    EXPECT_EQ(end.index, SOFTLBR_REG_ZERO);
    EXPECT_EQ(end.load_bytes, 0);
    EXPECT_EQ(end.disp, offset);
  }
  void ExpectTarget(const softlbr_terminator& end, uint16_t base, uint16_t index, uint8_t scale, int64_t disp,
                    uint8_t load_bytes) {
    EXPECT_EQ(end.base, base);
    EXPECT_EQ(end.index, index);
    EXPECT_EQ(end.scale, scale);
    EXPECT_EQ(end.disp, disp);
    EXPECT_EQ(end.load_bytes, load_bytes);
  }
  // The three uops of a call's push, which run after the target is evaluated.
  void ExpectPush(uint32_t return_offset) {
    ASSERT_EQ(block_.end.after_uops, 3);
    const softlbr_uop* uop = &block_.uops[block_.uop_count - 3];
    EXPECT_EQ(uop[0].op, SOFTLBR_OP_ADDRESS);
    EXPECT_EQ(uop[0].a, SOFTLBR_REG_BLOCK);
    EXPECT_EQ(uop[0].imm, static_cast<int32_t>(return_offset));
    EXPECT_EQ(uop[1].op, SOFTLBR_OP_STORE);
    EXPECT_EQ(uop[1].dst, uop[0].dst);
    EXPECT_EQ(uop[1].a, SOFTLBR_X86_RSP);
    EXPECT_EQ(uop[1].imm, -8);
    EXPECT_EQ(uop[1].width, 8);
    EXPECT_EQ(uop[2].op, SOFTLBR_OP_SUB);
    EXPECT_EQ(uop[2].dst, SOFTLBR_X86_RSP);
    EXPECT_EQ(uop[2].imm, 8);
    EXPECT_EQ(uop[2].flags, SOFTLBR_UOP_B_IMM);
  }
};

constexpr uint8_t kConditionsByCode[16] = {SOFTLBR_COND_V,  SOFTLBR_COND_NV, SOFTLBR_COND_C,  SOFTLBR_COND_NC,
                                           SOFTLBR_COND_Z,  SOFTLBR_COND_NZ, SOFTLBR_COND_BE, SOFTLBR_COND_A,
                                           SOFTLBR_COND_S,  SOFTLBR_COND_NS, SOFTLBR_COND_P,  SOFTLBR_COND_NP,
                                           SOFTLBR_COND_LT, SOFTLBR_COND_GE, SOFTLBR_COND_LE, SOFTLBR_COND_GT};

TEST_F(LiftBranch, ConditionalJumpsShortAndNear) {
  for (uint8_t code = 0; code < 16; ++code) {
    const softlbr_terminator& end = End({static_cast<uint8_t>(0x70 | code), 0xf0});
    ExpectDirect(end, SOFTLBR_END_CONDITIONAL, 2 - 16);
    EXPECT_EQ(end.condition, kConditionsByCode[code]);
    EXPECT_EQ(end.after_uops, 0);
    const softlbr_terminator& near = End({0x0f, static_cast<uint8_t>(0x80 | code), 0x00, 0x00, 0x00, 0x80});
    ExpectDirect(near, SOFTLBR_END_CONDITIONAL, 6 + int64_t{INT32_MIN});
    EXPECT_EQ(near.condition, kConditionsByCode[code]);
  }
}

TEST_F(LiftBranch, TargetsAreRelativeToTheBlock) {
  Lift({0x90, 0x90, 0x90, 0xeb, 0x10});
  ExpectDirect(block_.end, SOFTLBR_END_JUMP, 3 + 2 + 16);
  EXPECT_EQ(block_.instruction_count, 4);
  EXPECT_EQ(block_.byte_length, 5u);
}

TEST_F(LiftBranch, DirectJumpsAndCalls) {
  ExpectDirect(End({0xeb, 0xfe}), SOFTLBR_END_JUMP, 0);
  ExpectDirect(End({0xe9, 0x00, 0x01, 0x00, 0x00}), SOFTLBR_END_JUMP, 0x105);
  ExpectDirect(End({0xf2, 0xe9, 0x00, 0x01, 0x00, 0x00}), SOFTLBR_END_JUMP, 0x106);  // bnd
  ExpectDirect(End({0xe8, 0x00, 0x01, 0x00, 0x00}), SOFTLBR_END_CALL, 0x105);
  ExpectPush(5);
  // data16 data16 rex.W call, as in TLS sequences
  ExpectDirect(End({0x66, 0x66, 0x48, 0xe8, 0x00, 0x01, 0x00, 0x00}), SOFTLBR_END_CALL, 0x108);
  ExpectPush(8);
}

TEST_F(LiftBranch, IndirectThroughRegisters) {
  ExpectTarget(End({0xff, 0xe0}), SOFTLBR_X86_RAX, 0, 0, 0, 0);
  EXPECT_EQ(block_.end.kind, SOFTLBR_END_INDIRECT_JUMP);
  ExpectTarget(End({0x3e, 0x41, 0xff, 0xe7}), SOFTLBR_X86_R15, 0, 0, 0, 0);  // notrack jmp *%r15
  ExpectTarget(End({0x41, 0xff, 0xd3}), SOFTLBR_X86_R8 + 3, 0, 0, 0, 0);
  EXPECT_EQ(block_.end.kind, SOFTLBR_END_INDIRECT_CALL);
  ExpectPush(3);
  // call *%rsp goes to the value of rsp before the push
  ExpectTarget(End({0xff, 0xd4}), SOFTLBR_X86_RSP, 0, 0, 0, 0);
  ExpectPush(2);
}

TEST_F(LiftBranch, IndirectThroughMemory) {
  ExpectTarget(End({0xff, 0x64, 0xcb, 0x10}), SOFTLBR_X86_RBX, SOFTLBR_X86_RCX, 3, 16, 8);
  EXPECT_EQ(block_.end.kind, SOFTLBR_END_INDIRECT_JUMP);
  EXPECT_EQ(block_.uop_count, 0);
  ExpectTarget(End({0xff, 0x54, 0x24, 0x08}), SOFTLBR_X86_RSP, 0, 0, 8, 8);  // call *8(%rsp)
  ExpectPush(4);
  ExpectTarget(End({0xff, 0x25, 0x00, 0x10, 0x00, 0x00}), SOFTLBR_REG_BLOCK, 0, 0, 0x1006, 8);
  ExpectTarget(End({0xf2, 0xff, 0x15, 0xf0, 0xff, 0xff, 0xff}), SOFTLBR_REG_BLOCK, 0, 0, -9, 8);  // bnd call
  ExpectPush(7);
  ExpectTarget(End({0xff, 0x24, 0xc5, 0x00, 0x10, 0x40, 0x00}), SOFTLBR_REG_ZERO, SOFTLBR_X86_RAX, 3, 0x401000, 8);
  ExpectTarget(End({0x64, 0xff, 0x24, 0x25, 0x28, 0x00, 0x00, 0x00}), SOFTLBR_X86_FS_BASE, 0, 0, 0x28, 8);
  ExpectTarget(End({0x65, 0xff, 0x60, 0x10}), SOFTLBR_X86_GS_BASE, SOFTLBR_X86_RAX, 0, 0x10, 8);
}

TEST_F(LiftBranch, SegmentsAndShortAddressesUseATemporary) {
  ExpectTarget(End({0x64, 0xff, 0x24, 0xc8}), SOFTLBR_X86_FS_BASE, SOFTLBR_REG_TEMP, 0, 0, 8);
  ASSERT_EQ(block_.uop_count, 1);
  EXPECT_EQ(block_.uops[0].op, SOFTLBR_OP_ADDRESS);
  EXPECT_EQ(block_.uops[0].width, 8);
  EXPECT_EQ(block_.uops[0].a, SOFTLBR_X86_RAX);
  EXPECT_EQ(block_.uops[0].b, SOFTLBR_X86_RCX);
  EXPECT_EQ(block_.uops[0].aux, 3);
  EXPECT_EQ(block_.end.after_uops, 0);
  ExpectTarget(End({0x67, 0xff, 0x60, 0xf0}), SOFTLBR_REG_TEMP, 0, 0, 0, 8);  // jmp *-16(%eax)
  ASSERT_EQ(block_.uop_count, 1);
  EXPECT_EQ(block_.uops[0].width, 4);
  EXPECT_EQ(block_.uops[0].imm, -16);
}

TEST_F(LiftBranch, ReturnsPopAfterTheTargetIsRead) {
  for (const int extra : {0, 0x1234, 0xfff8}) {
    if (extra == 0) {
      End({0xc3});
    } else {
      End({0xc2, static_cast<uint8_t>(extra & 0xff), static_cast<uint8_t>(extra >> 8)});
    }
    EXPECT_EQ(block_.end.kind, SOFTLBR_END_RETURN);
    ExpectTarget(block_.end, SOFTLBR_X86_RSP, 0, 0, 0, 8);
    ASSERT_EQ(block_.uop_count, 1);
    EXPECT_EQ(block_.end.after_uops, 1);
    EXPECT_EQ(block_.uops[0].op, SOFTLBR_OP_ADD);
    EXPECT_EQ(block_.uops[0].dst, SOFTLBR_X86_RSP);
    EXPECT_EQ(block_.uops[0].imm, 8 + extra);
  }
  EXPECT_EQ(End({0xf3, 0xc3}).kind, SOFTLBR_END_RETURN);
}

TEST_F(LiftBranch, LoopsDecrementBeforeTheBranch) {
  const uint8_t conditions[4] = {SOFTLBR_COND_REG_NONZERO_AND_NZ, SOFTLBR_COND_REG_NONZERO_AND_Z,
                                 SOFTLBR_COND_REG_NONZERO, SOFTLBR_COND_REG_ZERO};
  for (uint8_t i = 0; i < 4; ++i) {
    for (const bool is_short : {false, true}) {
      const uint8_t opcode = static_cast<uint8_t>(0xe0 + i);
      if (is_short) {
        ExpectDirect(End({0x67, opcode, 0x10}), SOFTLBR_END_CONDITIONAL, 0x13);
      } else {
        ExpectDirect(End({opcode, 0x10}), SOFTLBR_END_CONDITIONAL, 0x12);
      }
      const uint8_t width = is_short ? 4 : 8;
      EXPECT_EQ(block_.end.condition, conditions[i]);
      EXPECT_EQ(block_.end.cond_reg, SOFTLBR_X86_RCX);
      EXPECT_EQ(block_.end.cond_width, width);
      EXPECT_EQ(block_.end.after_uops, 0);
      ASSERT_EQ(block_.uop_count, i == 3 ? 0 : 1);
      if (i == 3) continue;
      EXPECT_EQ(block_.uops[0].op, SOFTLBR_OP_SUB);
      EXPECT_EQ(block_.uops[0].width, width);
      EXPECT_EQ(block_.uops[0].dst, SOFTLBR_X86_RCX);
      EXPECT_EQ(block_.uops[0].imm, 1);
      EXPECT_EQ(block_.uops[0].flags, SOFTLBR_UOP_B_IMM) << "loop keeps the flags";
    }
  }
}

// The trampoline that returns from a signal handler: mov $15,%rax or %eax; syscall.
TEST_F(LiftBranch, ReturnFromASignalHandlerIsFar) {
  EXPECT_EQ(Lift({0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}).end.kind, SOFTLBR_END_FAR);
  EXPECT_EQ(Lift({0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}).end.kind, SOFTLBR_END_FAR);
  EXPECT_EQ(Lift({0xb8, 0x0e, 0, 0, 0, 0x0f, 0x05}).end.kind, SOFTLBR_END_SYSCALL);
  EXPECT_EQ(Lift({0xbf, 0x0f, 0, 0, 0, 0x0f, 0x05}).end.kind, SOFTLBR_END_SYSCALL) << "another register";
  EXPECT_EQ(Lift({0x66, 0xb8, 0x0f, 0, 0x0f, 0x05}).end.kind, SOFTLBR_END_SYSCALL) << "half of the register";
  EXPECT_EQ(Lift({0xb8, 0x0f, 0, 0, 0, 0xcd, 0x80}).end.kind, SOFTLBR_END_SYSCALL) << "15 is another call there";
}

// A block that begins at the call cannot tell; the evaluator, which knows the registers, can.
TEST_F(LiftBranch, SystemCallNamesTheNumberThatReturnsElsewhere) {
  EXPECT_EQ(End({0x0f, 0x05}).cond_reg, SOFTLBR_X86_RAX);
  EXPECT_EQ(block_.end.disp, 15);
  EXPECT_EQ(End({0xcd, 0x80}).disp, 173);
}

TEST_F(LiftBranch, SystemCallsTrapsAndFarTransfers) {
  EXPECT_EQ(End({0x0f, 0x05}).kind, SOFTLBR_END_SYSCALL);
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RAX));
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RCX));
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_R8 + 3));
  EXPECT_TRUE(test::HasOp(block_, SOFTLBR_OP_CLOBBER_MEMORY));
  EXPECT_EQ(block_.end.after_uops, block_.uop_count);
  EXPECT_EQ(End({0xcd, 0x80}).kind, SOFTLBR_END_SYSCALL);
  const std::initializer_list<std::initializer_list<uint8_t>> traps = {{0xcc},
                                                                       {0xcd, 0x03},
                                                                       {0xf1},
                                                                       {0xf4},
                                                                       {0x0f, 0x0b},
                                                                       {0x0f, 0xb9, 0xc0},
                                                                       {0x0f, 0xff, 0x40, 0x10},
                                                                       {0x67, 0x0f, 0xb9, 0x40, 0x02}};
  for (const auto& code : traps) EXPECT_EQ(End(code).kind, SOFTLBR_END_TRAP);
  const std::initializer_list<std::initializer_list<uint8_t>> fars = {
      {0xcb},       {0xca, 0x10, 0x00}, {0x48, 0xcf}, {0xff, 0x28},       {0x48, 0xff, 0x6d, 0x10}, {0xff, 0x18},
      {0x0f, 0x07}, {0x0f, 0x34},       {0x0f, 0x35}, {0xc6, 0xf8, 0x01}, {0xf3, 0x0f, 0x01, 0xec}};
  for (const auto& code : fars) EXPECT_EQ(End(code).kind, SOFTLBR_END_FAR);
}

TEST_F(LiftBranch, TransactionsBeginWithAnUnknownCondition) {
  const softlbr_terminator& end = End({0xc7, 0xf8, 0x00, 0x01, 0x00, 0x00});
  ExpectDirect(end, SOFTLBR_END_CONDITIONAL, 0x106);
  EXPECT_EQ(end.condition, SOFTLBR_COND_UNKNOWN);
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RAX));
}

TEST_F(LiftBranch, GroupFiveIsNotAllBranches) {
  EXPECT_EQ(Lift({0xff, 0xc0, 0xc3}).end.kind, SOFTLBR_END_RETURN);  // inc %eax; ret
  EXPECT_EQ(block_.instruction_count, 2);
  EXPECT_EQ(Lift({0xff, 0x30, 0xc6, 0x00, 0x01, 0xc3}).instruction_count, 3);  // push (%rax); movb $1,(%rax); ret
}

}  // namespace
}  // namespace softlbr
