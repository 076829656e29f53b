// Every uop and terminator of the plugin passes the evaluator's check of blocks from plugins, and the counts of each
// block are consistent: over the listed forms and real programs.
#include <algorithm>

#include "runtime/lookahead/uop_check.h"
#include "tests/decoders/elf_text.h"
#include "tests/decoders/forms/forms.h"
#include "tests/decoders/plugin_fixture.h"

namespace softlbr {
namespace {

class WellFormed : public test::PluginTest {
 protected:
  // Empty if the block is well-formed.
  static std::string Problem(const softlbr_block& block) {
    uint32_t uops = 0;
    uint32_t bytes = 0;
    if (block.instruction_count > SOFTLBR_BLOCK_MAX_INSTRUCTIONS || block.uop_count > SOFTLBR_BLOCK_MAX_UOPS)
      return "overfull";
    for (uint32_t i = 0; i < block.instruction_count; ++i) {
      uops += block.uops_of[i];
      bytes += block.length[i];
    }
    if (uops != block.uop_count || bytes != block.byte_length) return "sums differ";
    if (block.end.after_uops > (block.instruction_count == 0 ? 0 : block.uops_of[block.instruction_count - 1]))
      return "more after-uops than the terminator has";
    if (!IsTerminatorWellFormed(block.end)) return "terminator of kind " + std::to_string(block.end.kind);
    for (uint32_t i = 0; i < block.uop_count; ++i) {
      const softlbr_uop& uop = block.uops[i];
      if (!IsUopWellFormed(uop))
        return "op " + std::to_string(uop.op) + " width " + std::to_string(uop.width) + " aux " +
               std::to_string(uop.aux);
    }
    return {};
  }
};

TEST_F(WellFormed, EveryListedForm) {
  int failures = 0;
  for (const test::Form& form : test::AllForms()) {
    const std::string problem = Problem(Lift(std::span<const uint8_t>(form.code, form.length)));
    if (!problem.empty() && ++failures <= 30) ADD_FAILURE() << test::Describe(form) << ": " << problem;
  }
  EXPECT_EQ(failures, 0);
}

TEST_F(WellFormed, EveryListedFormNearTheEndOfAFullBlock) {
  // 188 uops of padding: forms that need more than four uops are dropped as a whole.
  std::vector<uint8_t> code;
  for (int i = 0; i < 47; ++i) code.insert(code.end(), {0x0f, 0xa2});  // cpuid: four uops
  const size_t padding = code.size();
  ASSERT_EQ(Lift(code).uop_count, 188);
  int failures = 0;
  for (const test::Form& form : test::AllForms()) {
    code.resize(padding);
    code.insert(code.end(), form.code, form.code + form.length);
    const softlbr_block& block = Lift(code);
    std::string problem = Problem(block);
    if (problem.empty() && block.byte_length != padding && block.byte_length != code.size())
      problem = "cut in the middle";
    if (problem.empty() && block.byte_length == padding && block.end.kind != SOFTLBR_END_FALLTHROUGH &&
        block.end.kind != SOFTLBR_END_UNDECODABLE)
      problem = "dropped, yet ends as kind " + std::to_string(block.end.kind);
    if (!problem.empty() && ++failures <= 30) ADD_FAILURE() << test::Describe(form) << ": " << problem;
  }
  EXPECT_EQ(failures, 0);
}

TEST_F(WellFormed, RandomBytes) {
  uint64_t state = 7;
  std::vector<uint8_t> window(64);
  for (int round = 0; round < 200000; ++round) {
    for (uint8_t& byte : window) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<uint8_t>(state >> 56);
    }
    const std::string problem = Problem(Lift(window));
    ASSERT_TRUE(problem.empty()) << "round " << round << ": " << problem;
  }
}

class WellFormedFile : public WellFormed, public ::testing::WithParamInterface<const char*> {};

TEST_P(WellFormedFile, EveryBlock) {
  const test::CodeSection text = test::ReadText(GetParam());
  if (text.bytes.empty()) GTEST_SKIP() << "missing file: " << GetParam();
  size_t at = 0;
  while (at < text.bytes.size()) {
    const size_t size = std::min<size_t>(256, text.bytes.size() - at);
    ASSERT_EQ(plugin_.lift(decoder_, text.bytes.data() + at, size, text.address + at, &block_), SOFTLBR_DECODER_OK);
    const std::string problem = Problem(block_);
    ASSERT_TRUE(problem.empty()) << std::hex << text.address + at << ": " << problem;
    at += block_.byte_length;
    if (block_.end.kind == SOFTLBR_END_UNDECODABLE) ++at;
  }
}
INSTANTIATE_TEST_SUITE_P(Files, WellFormedFile,
                         ::testing::Values("/usr/bin/perl", "/lib/x86_64-linux-gnu/libc.so.6",
                                           "/lib/x86_64-linux-gnu/libcrypto.so.3"));

}  // namespace
}  // namespace softlbr
