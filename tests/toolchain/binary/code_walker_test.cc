#include "toolchain/binary/code_walker.h"

#include <elf.h>
#include <gtest/gtest.h>

#include "tests/toolchain/binary/tiny_elf.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kBase = 0x401000;

class CodeWalkerX86 : public ::testing::Test {
 protected:
  void SetUp() override {
    decoder_ = Decoder::ForMachine(EM_X86_64);
    if (decoder_ == nullptr) GTEST_SKIP() << "no x86_64 decoder plugin in this build";
  }
  CodeWalker WalkerOver(const std::vector<uint8_t>& code) {
    bytes_ = testing::TinyElf(EM_X86_64, kBase, code);
    auto opened = ElfImage::FromBytes({reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()}, "tiny");
    return CodeWalker(std::get<ElfImagePtr>(opened), decoder_);
  }
  std::shared_ptr<Decoder> decoder_;
  std::string bytes_;
};

// 0: mov eax,1 (5)  5: je +2 (2)  7: nop  8: nop  9: dec eax (2)  11: jne -13 (2)  13: call +0 (5)  18: ret
const std::vector<uint8_t> kCode = {0xb8, 1,    0,    0,    0, 0x74, 0x02, 0x90, 0x90, 0xff,
                                    0xc8, 0x75, 0xf3, 0xe8, 0, 0,    0,    0,    0xc3};

TEST_F(CodeWalkerX86, CountsInstructionsAndFindsBranchesNotTaken) {
  CodeWalker walker = WalkerOver(kCode);
  const WalkedRange range = walker.Walk(kBase, kBase + 11);
  EXPECT_EQ(range.result, WalkResult::kOk);
  EXPECT_EQ(range.instructions, 6u);
  EXPECT_EQ(range.bytes, 13u);
  EXPECT_EQ(range.end, SOFTLBR_END_CONDITIONAL);
  EXPECT_EQ(range.not_taken, std::vector<uint64_t>{kBase + 5});
}

TEST_F(CodeWalkerX86, ReturnsKindOfBranchAtAddress) {
  CodeWalker walker = WalkerOver(kCode);
  EXPECT_EQ(walker.KindAt(kBase + 5), SOFTLBR_END_CONDITIONAL);
  EXPECT_EQ(walker.KindAt(kBase + 13), SOFTLBR_END_CALL);
  EXPECT_EQ(walker.KindAt(kBase + 18), SOFTLBR_END_RETURN);
  EXPECT_EQ(walker.KindAt(kBase + 7), SOFTLBR_END_FALLTHROUGH);
}

TEST_F(CodeWalkerX86, RejectsRangesThatAreNotContiguous) {
  CodeWalker walker = WalkerOver(kCode);
  EXPECT_EQ(walker.Walk(kBase + 7, kBase + 18).result, WalkResult::kNotContiguous);  // a call inside
  EXPECT_EQ(walker.Walk(kBase, kBase + 6).result, WalkResult::kNotContiguous);       // ends inside an instruction
  EXPECT_EQ(walker.Walk(kBase + 11, kBase).result, WalkResult::kNotContiguous);      // reversed
  EXPECT_EQ(walker.Walk(kBase, kBase + (2 << 20)).result, WalkResult::kNotContiguous);
}

TEST_F(CodeWalkerX86, ReturnsUnknownForMissingOrUndecodableCode) {
  CodeWalker walker = WalkerOver(kCode);
  EXPECT_EQ(walker.Walk(0x1000, 0x1010).result, WalkResult::kUnknown);
  CodeWalker undecodable = WalkerOver({0x90, 0x06, 0x90});  // 06 is invalid in 64-bit mode
  EXPECT_EQ(undecodable.Walk(kBase, kBase + 2).result, WalkResult::kUnknown);
}

TEST_F(CodeWalkerX86, ContinuesAcrossLongBlocksAndSystemCalls) {
  std::vector<uint8_t> code(304, 0x90);
  code[300] = 0x0f;  // syscall
  code[301] = 0x05;
  code[303] = 0xc3;  // ret
  CodeWalker walker = WalkerOver(code);
  const WalkedRange range = walker.Walk(kBase, kBase + 303);
  EXPECT_EQ(range.result, WalkResult::kOk);
  EXPECT_EQ(range.instructions, 303u);
  EXPECT_EQ(range.end, SOFTLBR_END_RETURN);
}

TEST(Decoder, IsNullForUnknownMachine) { EXPECT_EQ(Decoder::ForMachine(EM_VAX), nullptr); }

}  // namespace
}  // namespace softlbr::toolchain
