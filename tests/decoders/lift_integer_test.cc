// Aspects of integer semantics that a comparison with the CPU cannot show: deliberate UNKNOWNs, the order of uops, the
// choice of register slots. oracle/ compares the values with the CPU.
#include "tests/decoders/plugin_fixture.h"

namespace softlbr {
namespace {

class LiftInteger : public test::PluginTest {
 protected:
  const softlbr_uop& Uop(uint32_t i) {
    EXPECT_LT(i, block_.uop_count);
    return block_.uops[i];
  }
  void ExpectOps(std::initializer_list<uint8_t> code, std::initializer_list<uint32_t> ops) {
    const softlbr_block& block = Lift(code);
    ASSERT_EQ(block.instruction_count, 1);
    ASSERT_EQ(block.uop_count, ops.size());
    uint32_t i = 0;
    for (uint32_t op : ops) EXPECT_EQ(block.uops[i++].op, op) << "uop " << i - 1;
  }
};

TEST_F(LiftInteger, CommonFormsTakeOneUop) {
  ExpectOps({0x48, 0x89, 0xd8}, {SOFTLBR_OP_MOV});
  ExpectOps({0x8b, 0x45, 0xf8}, {SOFTLBR_OP_LOAD});
  ExpectOps({0x48, 0x89, 0x45, 0xf8}, {SOFTLBR_OP_STORE});
  ExpectOps({0x48, 0x8d, 0x44, 0x8b, 0x10}, {SOFTLBR_OP_ADDRESS});
  ExpectOps({0x0f, 0xb6, 0x07}, {SOFTLBR_OP_LOAD});
  ExpectOps({0x48, 0x63, 0x07}, {SOFTLBR_OP_LOAD});
  EXPECT_EQ(Uop(0).flags, SOFTLBR_UOP_SIGNED);
  ExpectOps({0x85, 0xc0}, {SOFTLBR_OP_AND});
  EXPECT_EQ(Uop(0).dst, SOFTLBR_REG_ZERO);
  ExpectOps({0x90}, {});
  ExpectOps({0xf3, 0x0f, 0x1e, 0xfa}, {});
  ExpectOps({0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, {});
}

TEST_F(LiftInteger, NopIsNoMoveButXchgOfR8Is) {
  ExpectOps({0xf3, 0x90}, {});
  ExpectOps({0x48, 0x90}, {});
  ExpectOps({0x41, 0x90}, {SOFTLBR_OP_MOV, SOFTLBR_OP_MOV, SOFTLBR_OP_MOV});
  ExpectOps({0xf3, 0x41, 0x90}, {});  // still pause
}

TEST_F(LiftInteger, CompareExchangeStoresBeforeRaxChanges) {
  Lift({0x0f, 0xb0, 0x18});  // cmpxchg %bl,(%rax)
  uint32_t store = 0;
  uint32_t rax = 0;
  for (uint32_t i = 0; i < block_.uop_count; ++i) {
    if (block_.uops[i].op == SOFTLBR_OP_STORE) store = i;
    if (block_.uops[i].op == SOFTLBR_OP_MOV && block_.uops[i].dst == SOFTLBR_X86_RAX) rax = i;
  }
  ASSERT_NE(store, 0u);
  EXPECT_LT(store, rax);
}

TEST_F(LiftInteger, HighByteRegistersNeedNoRex) {
  Lift({0x00, 0xe7});  // add %ah,%bh
  EXPECT_EQ(Uop(0).dst, SOFTLBR_X86_RBX);
  EXPECT_EQ(Uop(0).b, SOFTLBR_X86_RAX);
  EXPECT_EQ(Uop(0).flags,
            SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_MERGE | SOFTLBR_UOP_A_HIGH | SOFTLBR_UOP_B_HIGH | SOFTLBR_UOP_DST_HIGH);
  Lift({0x40, 0x00, 0xe7});  // add %spl,%dil
  EXPECT_EQ(Uop(0).dst, SOFTLBR_X86_RDI);
  EXPECT_EQ(Uop(0).b, SOFTLBR_X86_RSP);
  EXPECT_EQ(Uop(0).flags, SOFTLBR_UOP_SET_FLAGS | SOFTLBR_UOP_MERGE);
}

TEST_F(LiftInteger, ZeroingIdiomsDoNotDependOnTheRegister) {
  Lift({0x29, 0xc0});  // sub %eax,%eax
  EXPECT_EQ(Uop(0).a, SOFTLBR_REG_ZERO);
  EXPECT_EQ(Uop(0).b, SOFTLBR_REG_ZERO);
  Lift({0x19, 0xc0});  // sbb %eax,%eax: depends on C only
  EXPECT_EQ(Uop(0).op, SOFTLBR_OP_SBB);
  EXPECT_EQ(Uop(0).a, SOFTLBR_REG_ZERO);
  Lift({0x31, 0xc0});  // xor: the IR recognises equal register slots
  EXPECT_EQ(Uop(0).a, Uop(0).b);
  Lift({0x30, 0xe0});  // xor %ah,%al: the slots are equal but the registers are not
  ASSERT_EQ(block_.uop_count, 2);
  EXPECT_NE(Uop(1).a, Uop(1).b);
}

// oracle/ compares the values, with SOFTLBR_REG_ATOMIC known.
TEST_F(LiftInteger, WhatAtomicOperationsLoadDependsOnTheAtomicSlot) {
  const std::vector<std::vector<uint8_t>> atomics = {
      {0x48, 0x87, 0x07},              // xchg %rax,(%rdi)
      {0xf0, 0x48, 0x87, 0x07},        // lock xchg %rax,(%rdi)
      {0xf0, 0x0f, 0xc1, 0x07},        // lock xadd %eax,(%rdi)
      {0xf0, 0x0f, 0xb1, 0x0f},        // lock cmpxchg %ecx,(%rdi)
      {0xf0, 0xff, 0x0f},              // lock decl (%rdi)
      {0xf0, 0xf7, 0x1f},              // lock negl (%rdi)
      {0xf0, 0x01, 0x07},              // lock add %eax,(%rdi)
      {0xf0, 0x83, 0x24, 0x24, 0x00},  // lock andl $0,(%rsp)
      {0xf0, 0x0f, 0xab, 0x07},        // lock bts %eax,(%rdi)
  };
  for (const auto& code : atomics) {
    const softlbr_block& block = Lift(code);
    uint32_t i = 0;
    while (i < block.uop_count && block.uops[i].op != SOFTLBR_OP_LOAD) ++i;
    ASSERT_LT(i + 1, block.uop_count) << int{code[0]} << " " << int{code[1]};
    const softlbr_uop& load = block.uops[i];
    const softlbr_uop& gate = block.uops[i + 1];
    EXPECT_EQ(gate.op, SOFTLBR_OP_OR);
    EXPECT_EQ(gate.width, load.width);
    EXPECT_EQ(gate.dst, load.dst);
    EXPECT_EQ(gate.a, load.dst);
    EXPECT_EQ(gate.b, SOFTLBR_REG_ATOMIC);
    EXPECT_EQ(gate.flags, 0);
  }
  for (const auto& code :
       std::vector<std::vector<uint8_t>>{{0x0f, 0xc1, 0x07}, {0x0f, 0xb1, 0x0f}, {0xff, 0x0f}, {0x01, 0x07}}) {
    const softlbr_block& block = Lift(code);
    for (uint32_t i = 0; i < block.uop_count; ++i) EXPECT_NE(block.uops[i].b, SOFTLBR_REG_ATOMIC) << "without LOCK";
  }
}

TEST_F(LiftInteger, LockedFencesKeepMemory) {
  ExpectOps({0xf0, 0x48, 0x83, 0x0c, 0x24, 0x00}, {SOFTLBR_OP_LOAD, SOFTLBR_OP_CLOBBER_FLAGS});  // lock orq $0,(%rsp)
  EXPECT_TRUE(test::HasOp(Lift({0xf0, 0x83, 0x24, 0x24, 0x00}), SOFTLBR_OP_STORE));              // lock andl $0
}

TEST_F(LiftInteger, PushStoresFirstAndPopMovesFirst) {
  ExpectOps({0x54}, {SOFTLBR_OP_STORE, SOFTLBR_OP_ADD});  // push %rsp
  EXPECT_EQ(Uop(0).dst, SOFTLBR_X86_RSP);
  EXPECT_EQ(Uop(0).imm, -8);
  ExpectOps({0x5c}, {SOFTLBR_OP_LOAD});  // pop %rsp
  EXPECT_EQ(Uop(0).dst, SOFTLBR_X86_RSP);
  ExpectOps({0x8f, 0x44, 0x24, 0x08}, {SOFTLBR_OP_LOAD, SOFTLBR_OP_ADD, SOFTLBR_OP_STORE});  // popq 8(%rsp)
  ExpectOps({0xff, 0x74, 0x24, 0x08}, {SOFTLBR_OP_LOAD, SOFTLBR_OP_STORE, SOFTLBR_OP_ADD});  // pushq 8(%rsp)
  ExpectOps({0x66, 0x50}, {SOFTLBR_OP_STORE, SOFTLBR_OP_ADD});                               // push %ax
  EXPECT_EQ(Uop(1).imm, -2);
}

TEST_F(LiftInteger, StringsTakeTheirDirectionFromDf) {
  Lift({0xf3, 0x48, 0xab});  // rep stos %rax
  EXPECT_EQ(Uop(0).op, SOFTLBR_OP_STRING_STORE);
  EXPECT_EQ(Uop(0).aux >> 2, SOFTLBR_X86_DF);
  EXPECT_EQ(Uop(0).dst, SOFTLBR_X86_RDI);
  EXPECT_EQ(Uop(0).b, SOFTLBR_X86_RCX);
  EXPECT_EQ(Uop(0).imm, SOFTLBR_X86_RAX);
  EXPECT_EQ(Uop(0).width, 8);
  Lift({0xa4});  // movsb, once
  EXPECT_EQ(Uop(0).b, SOFTLBR_REG_ZERO);
  Lift({0xf3, 0xa6});  // repe cmpsb
  EXPECT_EQ(Uop(0).aux & 3, 2);
  Lift({0xf2, 0xae});  // repne scasb
  EXPECT_EQ(Uop(0).aux & 3, 0);
  Lift({0xfd});
  EXPECT_EQ(Uop(0).op, SOFTLBR_OP_CONST);
  EXPECT_EQ(Uop(0).dst, SOFTLBR_X86_DF);
  EXPECT_EQ(Uop(0).imm, 1);
}

TEST_F(LiftInteger, StringsWithSegmentOrShortAddressesAreUnknown) {
  Lift({0x67, 0xf3, 0xa4});  // addr32 rep movsb
  for (uint32_t slot : {SOFTLBR_X86_RSI, SOFTLBR_X86_RDI, SOFTLBR_X86_RCX}) EXPECT_TRUE(test::Forgets(block_, slot));
  EXPECT_TRUE(test::HasOp(block_, SOFTLBR_OP_CLOBBER_MEMORY));
  Lift({0x64, 0xac});  // lodsb %fs:(%rsi)
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RAX));
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RSI));
}

TEST_F(LiftInteger, RipRelativeCountsFromTheNextInstruction) {
  Lift({0x90, 0xc7, 0x05, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00});  // nop; movl $1,0x10(%rip)
  const softlbr_uop* store = test::FindOp(block_, SOFTLBR_OP_STORE);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->a, SOFTLBR_REG_BLOCK);
  EXPECT_EQ(store->imm, 1 + 10 + 0x10);
}

TEST_F(LiftInteger, RipRelativeBeyond32BitsIsExact) {
  Lift({0x8b, 0x05, 0xff, 0xff, 0xff, 0x7f});  // mov 0x7fffffff(%rip),%eax: 0x80000005 from the block
  ASSERT_EQ(block_.uop_count, 3);
  EXPECT_EQ(Uop(0).op, SOFTLBR_OP_CONST);
  EXPECT_EQ(static_cast<uint32_t>(Uop(0).imm), 0x80000005u);
  EXPECT_EQ(Uop(1).op, SOFTLBR_OP_CONST_HIGH);
  EXPECT_EQ(Uop(1).imm, 0);
  EXPECT_EQ(Uop(2).a, SOFTLBR_REG_BLOCK);
  EXPECT_EQ(Uop(2).b, Uop(0).dst);
  EXPECT_EQ(Uop(2).imm, 0);
}

TEST_F(LiftInteger, LeaIgnoresSegments) {
  ExpectOps({0x64, 0x48, 0x8d, 0x47, 0x10}, {SOFTLBR_OP_ADDRESS});
  EXPECT_EQ(Uop(0).a, SOFTLBR_X86_RDI);
}

TEST_F(LiftInteger, XtestReportsNoTransaction) {
  ExpectOps({0x0f, 0x01, 0xd6}, {SOFTLBR_OP_FLAGS_CONST});
  EXPECT_EQ(Uop(0).imm, SOFTLBR_FLAG_ALL);
  EXPECT_EQ(Uop(0).aux, SOFTLBR_FLAG_Z);
  Lift({0x0f, 0x01, 0xd0});  // xgetbv, a similar encoding
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RAX));
  EXPECT_FALSE(test::HasOp(block_, SOFTLBR_OP_FLAGS_CONST));
}

TEST_F(LiftInteger, ClocksAndRandomNumbersAreUnknown) {
  Lift({0x0f, 0x31});
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RAX));
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RDX));
  Lift({0x0f, 0xc7, 0xf0});
  EXPECT_TRUE(test::Forgets(block_, SOFTLBR_X86_RAX));
  EXPECT_TRUE(test::HasOp(block_, SOFTLBR_OP_CLOBBER_FLAGS));
  Lift({0x9c});  // pushf
  EXPECT_TRUE(test::HasOp(block_, SOFTLBR_OP_STORE_UNKNOWN));
}

}  // namespace
}  // namespace softlbr
