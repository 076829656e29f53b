// Results that must be known although their inputs are not: the idioms by which compilers create constants, and results
// that do not depend on the UNKNOWN part of their inputs. corpus_test checks exactness; this test checks that nothing
// becomes UNKNOWN needlessly.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "decoders/x86_64/plugin_x86_64.h"
#include "platform/base/elf_machine.h"
#include "platform/base/registers_x86_64.h"
#include "runtime/lookahead/evaluator.h"

namespace softlbr::oracle {
namespace {

constexpr uint64_t kPc = 0x10000;

class Idioms : public testing::Test {
 protected:
  Idioms() : arena_(softlbr_decoder_plugin_x86_64()->arena_bytes + 64), evaluator_(new Evaluator) {
    const softlbr_decoder_plugin* plugin = softlbr_decoder_plugin_x86_64();
    uint8_t* arena = arena_.data() + (64 - reinterpret_cast<uintptr_t>(arena_.data()) % 64) % 64;
    EXPECT_EQ(plugin->open(arena, plugin->arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder_), SOFTLBR_DECODER_OK);
    InitEvaluator(evaluator_.get(), ResolvePolicy::kLookahead, kMachineX86_64);
  }
  ~Idioms() override { softlbr_decoder_plugin_x86_64()->close(decoder_); }

  // Runs with everything UNKNOWN except the given general registers, and with garbage under UNKNOWN bytes.
  void Start() {
    MachineContext& context = evaluator_->context;
    for (uint64_t& slot : context.regs) slot = 0xdeadbeefcafef00d;
    std::memset(context.known, 0, sizeof(context.known));
    context.regs[SOFTLBR_REG_ZERO] = 0;
    context.known[SOFTLBR_REG_ZERO] = kAllKnown;
    context.flags = 0;
    context.flags_known = 0;
    context.rounding_is_default = true;
    context.pc = kPc;
    AdoptTrueState(evaluator_.get());
  }
  void Know(uint32_t slot, uint64_t value) {
    evaluator_->context.regs[slot] = value;
    evaluator_->context.known[slot] = kAllKnown;
  }
  BlockExit Run(std::initializer_list<uint8_t> code) {
    const std::vector<uint8_t> bytes(code);
    softlbr_block block;
    EXPECT_EQ(softlbr_decoder_plugin_x86_64()->lift(decoder_, bytes.data(), bytes.size(), kPc, &block),
              SOFTLBR_DECODER_OK);
    EXPECT_EQ(block.byte_length, bytes.size());
    return RunBlock(evaluator_.get(), ViewOf(block), 0);
  }
  void ExpectKnown(uint32_t slot, uint64_t value, const char* what) {
    EXPECT_EQ(evaluator_->context.known[slot], kAllKnown) << what;
    EXPECT_EQ(evaluator_->context.regs[slot], value) << what;
  }
  void ExpectVector(uint32_t reg, uint32_t regs, uint64_t value, const char* what) {
    for (uint32_t i = 0; i < regs; ++i) ExpectKnown(SOFTLBR_REG_VECTOR + 8 * reg + i, value, what);
  }

  std::vector<uint8_t> arena_;
  softlbr_decoder* decoder_ = nullptr;
  std::unique_ptr<Evaluator> evaluator_;
};

TEST_F(Idioms, ZeroAndOnesFromUnknownGeneralRegisters) {
  Start();
  Run({0x31, 0xc0});  // xor eax, eax
  ExpectKnown(SOFTLBR_X86_RAX, 0, "xor");
  Run({0x48, 0x29, 0xdb});  // sub rbx, rbx
  ExpectKnown(SOFTLBR_X86_RBX, 0, "sub");
  Run({0x48, 0x83, 0xc9, 0xff});  // or rcx, -1
  ExpectKnown(SOFTLBR_X86_RCX, ~uint64_t{0}, "or -1");
  Run({0x83, 0xe2, 0x00});  // and edx, 0
  ExpectKnown(SOFTLBR_X86_RDX, 0, "and 0");
}

TEST_F(Idioms, FlagsOfAnUnknownValueComparedWithItself) {
  Start();
  const BlockExit exit = Run({0x48, 0x39, 0xc0, 0x74, 0x10});  // cmp rax, rax; jz
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_TRUE(exit.is_taken);
}

TEST_F(Idioms, TestAgainstKnownZeroBits) {
  Start();
  const BlockExit exit = Run({0x83, 0xe0, 0x0f, 0xa8, 0xf0, 0x75, 0x10});  // and eax, 15; test al, 0xf0; jnz
  // Known bits within an UNKNOWN byte are not tracked: the condition is UNKNOWN and must not be guessed.
  EXPECT_EQ(exit.outcome, BlockOutcome::kUnresolved);
}

TEST_F(Idioms, SbbWithKnownCarry) {
  Start();
  Run({0xf9, 0x19, 0xc0});  // stc; sbb eax, eax
  ExpectKnown(SOFTLBR_X86_RAX, 0xffffffff, "sbb");
}

TEST_F(Idioms, ZeroExtensionOfAnUnknownByteIsKnownAbove) {
  Start();
  Run({0x0f, 0xb6, 0xc3});  // movzx eax, bl
  EXPECT_EQ(evaluator_->context.known[SOFTLBR_X86_RAX], 0xfe);
  Run({0x0f, 0x94, 0xc1, 0x0f, 0xb6, 0xc9});  // setz cl; movzx ecx, cl
  EXPECT_EQ(evaluator_->context.known[SOFTLBR_X86_RCX], 0xfe);
}

TEST_F(Idioms, KnownNonZeroByteDecidesAZeroTest) {
  Start();
  Know(SOFTLBR_X86_RAX, 0x1200);
  evaluator_->context.known[SOFTLBR_X86_RAX] = 0x02;
  const BlockExit exit = Run({0x48, 0x85, 0xc0, 0x75, 0x10});  // test rax, rax; jnz
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_TRUE(exit.is_taken);
}

TEST_F(Idioms, VectorZeroAndOnesFromUnknownRegisters) {
  Start();
  Run({0x66, 0x0f, 0xef, 0xc0});  // pxor xmm0, xmm0
  ExpectVector(0, 2, 0, "pxor");
  Run({0x0f, 0x57, 0xc9});  // xorps xmm1, xmm1
  ExpectVector(1, 2, 0, "xorps");
  Run({0x66, 0x0f, 0x76, 0xd2});  // pcmpeqd xmm2, xmm2
  ExpectVector(2, 2, ~uint64_t{0}, "pcmpeqd");
  Run({0xc5, 0xe1, 0xef, 0xdb});  // vpxor xmm3, xmm3, xmm3
  ExpectVector(3, 8, 0, "vpxor clears the whole register");
  Run({0xc5, 0xdd, 0x74, 0xe4});  // vpcmpeqb ymm4, ymm4, ymm4
  ExpectVector(4, 4, ~uint64_t{0}, "vpcmpeqb");
  Run({0x62, 0xf3, 0x55, 0x48, 0x25, 0xed, 0xff});  // vpternlogd zmm5, zmm5, zmm5, 255
  ExpectVector(5, 8, ~uint64_t{0}, "vpternlogd");
  Run({0x66, 0x0f, 0xfa, 0xf6});  // psubd xmm6, xmm6
  ExpectVector(6, 2, 0, "psubd");
}

TEST_F(Idioms, VzeroallNeedsNoInput) {
  Start();
  Run({0xc5, 0xfc, 0x77});
  ExpectVector(0, 8, 0, "zmm0");
  ExpectVector(15, 8, 0, "zmm15");
  EXPECT_EQ(evaluator_->context.known[SOFTLBR_REG_VECTOR + 8 * 16], 0) << "zmm16 is not touched";
}

TEST_F(Idioms, MaskIdioms) {
  Start();
  Run({0xc5, 0xf4, 0x47, 0xc9});  // kxorw k1, k1, k1
  ExpectKnown(SOFTLBR_X86_K0 + 1, 0, "kxorw");
  Run({0xc5, 0xec, 0x46, 0xd2});  // kxnorw k2, k2, k2
  ExpectKnown(SOFTLBR_X86_K0 + 2, 0xffff, "kxnorw");
}

// One known byte that does not match decides an "all equal" test, as used by strlen and memcmp.
TEST_F(Idioms, ByteMaskOfPartlyKnownCompare) {
  Start();
  Know(SOFTLBR_REG_VECTOR + 0, 0x0101010101010101);
  Know(SOFTLBR_REG_VECTOR + 1, 0x0101010101010101);
  Run({0x66, 0x0f, 0xef, 0xc9,    // pxor xmm1, xmm1
       0x66, 0x0f, 0x74, 0xc1,    // pcmpeqb xmm0, xmm1
       0x66, 0x0f, 0xd7, 0xc0});  // pmovmskb eax, xmm0
  ExpectKnown(SOFTLBR_X86_RAX, 0, "no byte is zero");
}

TEST_F(Idioms, ScalarFloatIgnoresUnknownUpperLanes) {
  Start();
  Know(SOFTLBR_REG_VECTOR + 0, 0x3ff8000000000000);  // 1.5
  Know(SOFTLBR_REG_VECTOR + 8, 0x4000000000000000);  // 2.0
  Run({0xf2, 0x0f, 0x58, 0xc1});                     // addsd xmm0, xmm1
  ExpectKnown(SOFTLBR_REG_VECTOR + 0, 0x400c000000000000, "3.5");
  const BlockExit exit = Run({0x66, 0x0f, 0x2f, 0xc1, 0x77, 0x10});  // comisd xmm0, xmm1; ja
  EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
  EXPECT_TRUE(exit.is_taken);
}

TEST_F(Idioms, FloatsAreUnknownAfterAnotherRoundingMode) {
  Start();
  alignas(8) static uint32_t toward_zero = 0x7f80;
  alignas(8) static uint32_t nearest = 0x1fa1;  // with status bits set
  Know(SOFTLBR_REG_VECTOR + 0, 0x3ff8000000000000);
  Know(SOFTLBR_X86_RSI, reinterpret_cast<uint64_t>(&toward_zero));
  Run({0x0f, 0xae, 0x16, 0xf2, 0x0f, 0x58, 0xc0});  // ldmxcsr [rsi]; addsd xmm0, xmm0
  EXPECT_EQ(evaluator_->context.known[SOFTLBR_REG_VECTOR], 0);
  Know(SOFTLBR_REG_VECTOR + 0, 0x3ff8000000000000);
  Know(SOFTLBR_X86_RSI, reinterpret_cast<uint64_t>(&nearest));
  Run({0x0f, 0xae, 0x16, 0xf2, 0x0f, 0x58, 0xc0});
  ExpectKnown(SOFTLBR_REG_VECTOR + 0, 0x4008000000000000, "the default again");
}

}  // namespace
}  // namespace softlbr::oracle
