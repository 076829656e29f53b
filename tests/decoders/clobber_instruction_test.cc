// ClobberInstruction covers at least what an instruction writes. Selected forms are compared exactly. For every listed
// form that also has semantics, the clobber must cover everything that the semantics write.
#include <algorithm>
#include <bitset>
#include <string>

#include "decoders/x86_64/clobber/clobber.h"
#include "tests/decoders/forms/forms.h"
#include "tests/decoders/plugin_fixture.h"

namespace softlbr::x86 {
namespace {

using RegisterSlots = std::bitset<SOFTLBR_REG_COUNT>;

struct Effects {
  RegisterSlots regs;
  uint32_t flags = 0;
  bool stores = false;
};

bool IsScratch(uint32_t slot) {
  return (slot >= SOFTLBR_REG_TEMP && slot < SOFTLBR_REG_VECTOR) || slot >= SOFTLBR_REG_VECTOR_TEMP || slot == 0;
}

void AddSlots(Effects* effects, uint32_t slot, uint32_t bytes) {
  for (uint32_t i = 0; i < std::max(1u, (bytes + 7) / 8) && slot + i < SOFTLBR_REG_COUNT; ++i)
    if (!IsScratch(slot + i)) effects->regs.set(slot + i);
}

// The registers, flags and memory that a block's uops write.
Effects EffectsOf(const softlbr_block& block) {
  Effects effects;
  for (uint32_t i = 0; i < block.uop_count; ++i) {
    const softlbr_uop& uop = block.uops[i];
    if (uop.flags & SOFTLBR_UOP_SET_FLAGS) effects.flags |= SOFTLBR_FLAG_ALL;
    // clang-format off
    switch (uop.op) {
      case SOFTLBR_OP_NOP: case SOFTLBR_OP_BIT_TEST: case SOFTLBR_OP_ROUNDING:
        break;
      case SOFTLBR_OP_STORE: case SOFTLBR_OP_STORE_UNKNOWN: case SOFTLBR_OP_VSTORE: case SOFTLBR_OP_CLOBBER_MEMORY:
        effects.stores = true;
        break;
      case SOFTLBR_OP_CCMP: case SOFTLBR_OP_FLIP_CARRY: case SOFTLBR_OP_VTEST: case SOFTLBR_OP_FCMP_FLAGS:
        effects.flags |= SOFTLBR_FLAG_ALL;
        break;
      case SOFTLBR_OP_SET_FLAGS_FROM: case SOFTLBR_OP_CLOBBER_FLAGS: case SOFTLBR_OP_FLAGS_CONST:
        effects.flags |= static_cast<uint32_t>(uop.imm);
        break;
      case SOFTLBR_OP_STRING_MOVE: case SOFTLBR_OP_STRING_STORE: case SOFTLBR_OP_STRING_SCAN:
      case SOFTLBR_OP_STRING_COMPARE:
        effects.stores |= uop.op == SOFTLBR_OP_STRING_MOVE || uop.op == SOFTLBR_OP_STRING_STORE;
        AddSlots(&effects, uop.dst, 8);
        AddSlots(&effects, uop.a, 8);
        AddSlots(&effects, uop.b, 8);
        break;
      case SOFTLBR_OP_VZERO_ABOVE:
        for (uint32_t r = 0; r <= static_cast<uint32_t>(uop.imm); ++r)
          AddSlots(&effects, uop.dst + r * SOFTLBR_SLOTS_PER_VECTOR + uop.width / 8u, 64u - uop.width);
        break;
      default:
        AddSlots(&effects, uop.dst, uop.dst >= SOFTLBR_REG_VECTOR || uop.op == SOFTLBR_OP_UNKNOWN ? uop.width : 8);
        break;
    }
    // clang-format on
  }
  return effects;
}

class ClobberInstructionTest : public test::PluginTest {
 protected:
  // False if refused. block_ holds the uops.
  bool Clobber(std::span<const uint8_t> code) {
    Instruction in;
    EXPECT_EQ(Decode(code.data(), code.size(), kIntel, &in), DecodeResult::kOk);
    BlockBuilder out(&block_, test::kPc);
    EXPECT_TRUE(out.Begin(in.length));
    return ClobberInstruction(in, code.data(), decoder_, &out) && out.End();
  }
  bool Clobber(std::initializer_list<uint8_t> code) {
    return Clobber(std::span<const uint8_t>(code.begin(), code.size()));
  }
  Effects Of(std::initializer_list<uint8_t> code) {
    EXPECT_TRUE(Clobber(code));
    return EffectsOf(block_);
  }
};

RegisterSlots Registers(std::initializer_list<uint32_t> regs) {
  RegisterSlots result;
  for (uint32_t slot : regs) result.set(slot);
  return result;
}
RegisterSlots Vectors(uint32_t first, uint32_t count, uint32_t slots_each) {
  RegisterSlots result;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t j = 0; j < slots_each; ++j) result.set(VectorSlot(first + i) + j);
  return result;
}

TEST_F(ClobberInstructionTest, LegacySse) {
  Effects e = Of({0x66, 0x44, 0x0f, 0x38, 0x41, 0xc9});  // phminposuw %xmm1,%xmm9
  EXPECT_EQ(e.regs, Vectors(9, 1, 2));
  EXPECT_EQ(e.flags, 0u);
  EXPECT_FALSE(e.stores);
  e = Of({0x0f, 0x11, 0x45, 0x10});  // movups %xmm0,16(%rbp)
  EXPECT_EQ(e.regs.count(), 0u);
  ASSERT_EQ(block_.uop_count, 2);
  EXPECT_EQ(block_.uops[0].op, SOFTLBR_OP_LOAD);  // where it cannot be read
  EXPECT_EQ(block_.uops[1].op, SOFTLBR_OP_STORE_UNKNOWN);
  for (const softlbr_uop* uop : {&block_.uops[0], &block_.uops[1]}) {
    EXPECT_EQ(uop->a, SOFTLBR_X86_RBP);
    EXPECT_EQ(uop->imm, 16);
  }
  EXPECT_GE(block_.uops[1].width, 16);
  e = Of({0x66, 0x0f, 0xd6, 0x00});  // movq %xmm0,(%rax): Capstone says it reads memory
  EXPECT_TRUE(e.stores);
  e = Of({0x66, 0x0f, 0x3a, 0x61, 0xc1, 0x0c});  // pcmpestri
  EXPECT_TRUE(e.regs.test(SOFTLBR_X86_RCX));
  EXPECT_EQ(e.flags, uint32_t{SOFTLBR_FLAG_ALL});
  e = Of({0x0f, 0xfc, 0xca});  // paddb %mm2,%mm1
  EXPECT_EQ(e.regs, Registers({SOFTLBR_X86_MM0 + 1}));
  e = Of({0x66, 0x0f, 0xf7, 0xc1});  // maskmovdqu stores at rdi
  EXPECT_TRUE(e.stores);
}

TEST_F(ClobberInstructionTest, CapstoneDescribesUndefinedPrefixes) {
  if (!Clobber({0xf3, 0x0f, 0x29, 0x07})) GTEST_SKIP() << "built without Capstone";  // movaps %xmm0,(%rdi) with f3
  EXPECT_TRUE(EffectsOf(block_).stores);
}

// Our table of legacy vector forms covers at least Capstone's lists, including operand 0 of stores.
TEST_F(ClobberInstructionTest, OurTableCoversCapstones) {
  size_t compared = 0;
  size_t failures = 0;
  for (const test::Form& form : test::AllForms()) {
    Instruction in;
    ASSERT_EQ(Decode(form.code, form.length, kIntel, &in), DecodeResult::kOk);
    if (in.encoding != Encoding::kLegacy) continue;
    softlbr_block ours;
    BlockBuilder out(&ours, test::kPc);
    ASSERT_TRUE(out.Begin(in.length));
    if (!ClobberSse(in, &out)) continue;
    ASSERT_TRUE(out.End());
    BlockBuilder other(&block_, test::kPc);
    ASSERT_TRUE(other.Begin(in.length));
    if (!ClobberByCapstone(in, form.code, decoder_, &other)) continue;
    ASSERT_TRUE(other.End());
    ++compared;
    const Effects claimed = EffectsOf(ours);
    const Effects listed = EffectsOf(block_);
    // Capstone's operand-0 rule treats readers of operand 0 (compares, tests) as writers; our table does not.
    // masked moves store at rdi
    const bool is_compare = claimed.flags != 0 || (in.map == Map::k0F && in.opcode == 0xf7);
    const RegisterSlots missed = is_compare ? RegisterSlots() : listed.regs & ~claimed.regs;
    if (missed.none() && (listed.flags & ~claimed.flags) == 0 && (is_compare || claimed.stores || !listed.stores))
      continue;
    if (++failures <= 40) ADD_FAILURE() << test::Describe(form) << (missed.any() ? " registers" : " flags or memory");
  }
  if (compared == 0) GTEST_SKIP() << "built without Capstone";
  EXPECT_EQ(failures, 0u);
  EXPECT_GT(compared, 1000u);
}

TEST_F(ClobberInstructionTest, VexAndEvexByForm) {
  // vaddps %ymm2,%ymm1,%ymm0
  EXPECT_EQ(Of({0xc5, 0xf4, 0x58, 0xc2}).regs, Vectors(0, 1, 8));
  // vpslldq $3,%xmm2,%xmm1
  EXPECT_EQ(Of({0xc5, 0xf1, 0x73, 0xfa, 0x03}).regs, Vectors(1, 1, 8));
  EXPECT_EQ(Of({0xc5, 0xfd, 0xd7, 0xc1}).regs, Registers({SOFTLBR_X86_RAX}));                   // vpmovmskb
  EXPECT_EQ(Of({0x62, 0xf3, 0x7d, 0x48, 0x3f, 0xc2, 0x00}).regs, Registers({SOFTLBR_X86_K0}));  // vpcmpeqb zmm
  EXPECT_EQ(Of({0xc4, 0xe1, 0xfb, 0x93, 0xc0}).regs, Registers({SOFTLBR_X86_RAX}));             // kmovq %k0,%rax
  EXPECT_EQ(Of({0xc4, 0xe1, 0xf8, 0x98, 0xc0}).flags, uint32_t{SOFTLBR_FLAG_ALL});              // kortestq
  // vmovups %zmm16,64(%rdi)
  EXPECT_TRUE(Of({0x62, 0xe1, 0x7c, 0x48, 0x11, 0x47, 0x01}).stores);
  EXPECT_EQ(block_.uops[1].width, 64);
  EXPECT_EQ(block_.uops[1].imm, 64);
  EXPECT_TRUE(Of({0x62, 0xf2, 0x7d, 0x49, 0xa0, 0x04, 0x08}).stores);  // vpscatterdd
  EXPECT_TRUE(test::HasOp(block_, SOFTLBR_OP_CLOBBER_MEMORY));
  EXPECT_EQ(Of({0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x88}).regs, Vectors(0, 1, 8) | Vectors(2, 1, 8));  // gather and its mask
  EXPECT_EQ(Of({0xc4, 0xe2, 0xfb, 0xf6, 0xc1}).regs, Registers({SOFTLBR_X86_RAX}));               // mulx %rcx,%rax,%rax
  EXPECT_EQ(Of({0xc4, 0xe2, 0xf0, 0xf3, 0xc8}).regs, Registers({SOFTLBR_X86_RCX}));               // blsr %rax,%rcx
}

TEST_F(ClobberInstructionTest, SystemInstructions) {
  // cpuid
  EXPECT_EQ(Of({0x0f, 0xa2}).regs, Registers({SOFTLBR_X86_RAX, SOFTLBR_X86_RBX, SOFTLBR_X86_RCX, SOFTLBR_X86_RDX}));
  // rdtsc
  EXPECT_EQ(Of({0x0f, 0x31}).regs, Registers({SOFTLBR_X86_RAX, SOFTLBR_X86_RDX}));
  EXPECT_EQ(Of({0x0f, 0x01, 0xf9}).regs, Registers({SOFTLBR_X86_RAX, SOFTLBR_X86_RCX, SOFTLBR_X86_RDX}));
  EXPECT_EQ(Of({0x0f, 0x01, 0xd0}).regs, Registers({SOFTLBR_X86_RAX, SOFTLBR_X86_RDX}));  // xgetbv
  EXPECT_EQ(Of({0x0f, 0xc7, 0xf1}).regs, Registers({SOFTLBR_X86_RCX}));                   // rdrand
  EXPECT_EQ(block_.uop_count, 2);
  EXPECT_TRUE(Of({0x0f, 0xc7, 0x64, 0x24, 0x40}).stores);                                     // xsavec
  EXPECT_EQ(Of({0x0f, 0xae, 0x6c, 0x24, 0x40}).regs & Vectors(0, 32, 8), Vectors(0, 32, 8));  // xrstor
  EXPECT_EQ(Of({0xf3, 0x48, 0x0f, 0x1e, 0xc8}).regs, Registers({SOFTLBR_X86_RAX}));           // rdssp
  // incssp is not lfence with a register, rdpid is not rdseed, tpause is not mfence; Capstone confuses them.
  EXPECT_EQ(Of({0xf3, 0x48, 0x0f, 0xae, 0xe8}).regs.count(), 0u);
  EXPECT_EQ(Of({0xf3, 0x0f, 0xc7, 0xf8}).regs, Registers({SOFTLBR_X86_RAX}));
  EXPECT_EQ(Of({0x66, 0x0f, 0xae, 0xf1}).flags, uint32_t{SOFTLBR_FLAG_ALL});
  EXPECT_TRUE(Of({0x0f, 0xc7, 0x0f}).stores);  // cmpxchg8b
  const std::initializer_list<std::initializer_list<uint8_t>> privileged = {
      {0xfa}, {0xec}, {0x6e}, {0x0f, 0x30}, {0x0f, 0x20, 0xc0}, {0x0f, 0x01, 0x38}, {0x0f, 0x06}, {0x0f, 0x00, 0xd0}};
  for (const auto& code : privileged) EXPECT_FALSE(Clobber(code)) << std::hex << int{*code.begin()};
}

TEST_F(ClobberInstructionTest, X87) {
  const RegisterSlots stack = [] {
    RegisterSlots regs;
    for (uint32_t i = 0; i < 8; ++i) regs.set(SOFTLBR_X86_MM0 + i);
    return regs;
  }();
  EXPECT_EQ(Of({0xd9, 0xe8}).regs, stack);  // fld1
  EXPECT_EQ(Of({0xdb, 0x7d, 0xf0}).regs, stack);
  EXPECT_EQ(block_.uops[0].op, SOFTLBR_OP_STORE_UNKNOWN);  // fstpt: ten bytes
  EXPECT_EQ(block_.uops[0].width, 10);
  EXPECT_EQ(Of({0xdf, 0xe9}).flags, uint32_t{SOFTLBR_FLAG_ALL});   // fucomip
  EXPECT_EQ(Of({0xdf, 0xe0}).regs, Registers({SOFTLBR_X86_RAX}));  // fnstsw %ax
  EXPECT_TRUE(block_.uops[0].flags & SOFTLBR_UOP_MERGE);
  EXPECT_TRUE(Of({0xd9, 0x7c, 0x24, 0x0e}).stores);  // fnstcw
  EXPECT_TRUE(Of({0xdd, 0x30}).stores);              // fnsave: 108 bytes
  const softlbr_uop* store = test::FindOp(block_, SOFTLBR_OP_STORE_UNKNOWN);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->width, 0);
}

TEST_F(ClobberInstructionTest, CoversAllThatSemanticsWrite) {
  size_t compared = 0;
  size_t failures = 0;
  size_t refused = 0;
  for (const test::Form& form : test::AllForms()) {
    const std::span<const uint8_t> code(form.code, form.length);
    Instruction in;
    ASSERT_EQ(Decode(form.code, form.length, kIntel, &in), DecodeResult::kOk);
    // Semantics only: the functions that LiftInstruction() tries before the clobberer.
    softlbr_block block;
    BlockBuilder out(&block, test::kPc);
    ASSERT_TRUE(out.Begin(in.length));
    if (LiftBranch(in, &out)) continue;
    bool is_modelled = LiftInteger(in, &out);
    if (!is_modelled) {
      out.Rewind();
      is_modelled = LiftVector(in, &out);
    }
    if (!is_modelled) {
      out.Rewind();
      is_modelled = LiftFloat(in, &out);
    }
    if (!is_modelled) continue;
    ASSERT_TRUE(out.End()) << form.text;
    const Effects semantics = EffectsOf(block);
    if (!Clobber(code)) {
      ++refused;
      continue;
    }
    const Effects clobbered = EffectsOf(block_);
    ++compared;
    const RegisterSlots missed = semantics.regs & ~clobbered.regs;
    const bool is_covered =
        missed.none() && (semantics.flags & ~clobbered.flags) == 0 && (clobbered.stores || !semantics.stores);
    if (is_covered || ++failures > 40) continue;
    std::string what = test::Describe(form);
    for (size_t i = 0; i < missed.size(); ++i)
      if (missed.test(i)) what += " register slot " + std::to_string(i);
    if (semantics.flags & ~clobbered.flags) what += " flags";
    if (semantics.stores && !clobbered.stores) what += " memory";
    ADD_FAILURE() << what;
  }
  EXPECT_EQ(failures, 0u);
  EXPECT_GT(compared, 1000u);
  RecordProperty("refused", static_cast<int>(refused));
}

}  // namespace
}  // namespace softlbr::x86
