// Instructions without semantics still read their memory operand: where it cannot be read, the program faults, and the
// path ends.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <vector>

#include "runtime/lookahead/evaluator.h"
#include "tests/decoders/plugin_fixture.h"

namespace softlbr {
namespace {

struct OperandForm {
  const char* name;
  std::vector<uint8_t> code;  // the operand is at (%rax)
  bool is_read = true;        // false: the instruction does not fault
};
std::ostream& operator<<(std::ostream& out, const OperandForm& c) { return out << c.name; }

class FaultingOperand : public ::testing::TestWithParam<OperandForm> {
 protected:
  void SetUp() override {
    ASSERT_EQ(plugin_.open(arena_.get(), plugin_.arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder_),
              SOFTLBR_DECODER_OK);
    InitEvaluator(evaluator_.get(), ResolvePolicy::kLookahead, plugin_.arch);
    ASSERT_NE(page_, MAP_FAILED);
  }
  void TearDown() override {
    plugin_.close(decoder_);
    munmap(page_, kBytes);
  }
  BlockExit RunWith(int protection) {
    mprotect(page_, kBytes, protection);
    evaluator_->context.regs[SOFTLBR_X86_RAX] = reinterpret_cast<uint64_t>(page_);
    evaluator_->context.known[SOFTLBR_X86_RAX] = kAllKnown;
    AdoptTrueState(evaluator_.get());
    const std::vector<uint8_t>& code = GetParam().code;
    EXPECT_EQ(plugin_.lift(decoder_, code.data(), code.size(), test::kPc, &block_), SOFTLBR_DECODER_OK);
    EXPECT_EQ(block_.byte_length, code.size());
    return RunBlock(evaluator_.get(), ViewOf(block_), 0);
  }

  static constexpr size_t kBytes = 8192;
  const softlbr_decoder_plugin& plugin_ = *softlbr_decoder_plugin_x86_64();
  const std::unique_ptr<void, decltype(&std::free)> arena_{std::aligned_alloc(64, (plugin_.arena_bytes + 63) / 64 * 64),
                                                           &std::free};
  softlbr_decoder* decoder_ = nullptr;
  softlbr_block block_ = {};
  const std::unique_ptr<Evaluator> evaluator_ = std::make_unique<Evaluator>();
  void* const page_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

TEST_P(FaultingOperand, EndsThePathWhereItCannotBeRead) {
  EXPECT_NE(RunWith(PROT_READ | PROT_WRITE).outcome, BlockOutcome::kAborted);
  const BlockExit exit = RunWith(PROT_NONE);
  EXPECT_EQ(exit.outcome == BlockOutcome::kAborted, GetParam().is_read);
  if (GetParam().is_read) {
    EXPECT_EQ(exit.reason, AbortReason::kUnreadableData);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Form, FaultingOperand,
    ::testing::Values(
        OperandForm{"fldl", {0xdd, 0x00}}, OperandForm{"fldt", {0xdb, 0x28}}, OperandForm{"fild", {0xdb, 0x00}},
        OperandForm{"fadds", {0xd8, 0x00}}, OperandForm{"fldcw", {0xd9, 0x28}}, OperandForm{"fldenv", {0xd9, 0x20}},
        OperandForm{"frstor", {0xdd, 0x20}}, OperandForm{"fxrstor", {0x0f, 0xae, 0x08}},
        OperandForm{"xsave", {0x0f, 0xae, 0x20}}, OperandForm{"xrstor", {0x0f, 0xae, 0x28}},
        OperandForm{"xsavec", {0x0f, 0xc7, 0x20}}, OperandForm{"clflush", {0x0f, 0xae, 0x38}},
        OperandForm{"clflushopt", {0x66, 0x0f, 0xae, 0x38}}, OperandForm{"clwb", {0x66, 0x0f, 0xae, 0x30}},
        OperandForm{"aesenc", {0x66, 0x0f, 0x38, 0xdc, 0x00}}, OperandForm{"sha1msg1", {0x0f, 0x38, 0xc9, 0x00}},
        OperandForm{"gf2p8mulb", {0x66, 0x0f, 0x38, 0xcf, 0x00}},
        OperandForm{"phminposuw", {0x66, 0x0f, 0x38, 0x41, 0x00}}, OperandForm{"vrcpps", {0xc5, 0xfc, 0x53, 0x00}},
        OperandForm{"vcvtph2ps", {0xc4, 0xe2, 0x79, 0x13, 0x00}}, OperandForm{"lar", {0x0f, 0x02, 0x00}},
        OperandForm{"verr", {0x0f, 0x00, 0x20}}, OperandForm{"mov_to_ds", {0x8e, 0x18}},
        OperandForm{"lock_add_0", {0xf0, 0x83, 0x00, 0x00}}, OperandForm{"prefetcht0", {0x0f, 0x18, 0x08}, false},
        OperandForm{"nop", {0x0f, 0x1f, 0x00}, false}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace softlbr
