// Compares with llvm-mc with all extensions, which is newer than Capstone, over random words: which words are
// instructions.
//
// SVE and SME are excluded, because we do not distinguish their reserved words. A word that only llvm-mc knows must be
// privileged or a form that user space cannot execute.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/decoders/aarch64/a64_explained.h"
#include "tests/decoders/aarch64/a64_plugin_fixture.h"
#include "tests/decoders/oracle/random.h"

namespace softlbr {
namespace {

constexpr uint32_t kRandomWords = 200000;
constexpr char kTool[] = "llvm-mc-19";

bool IsScalable(uint32_t word) {
  const uint32_t op0 = word >> 25 & 15;
  return op0 == 2 || (op0 == 0 && word >> 31 != 0);
}

// Transactional memory, which no processor has, and memory copies from the zero register, which trap.
bool IsNeverRun(uint32_t word) {
  const bool is_cancel = (word & 0xffe0001f) == 0xd4600000;
  const bool is_copy = (word & 0xfb200c00) == 0x19000400;
  return is_cancel || word == 0xd503307f ||
         (is_copy && ((word & 31) == 31 || (word >> 5 & 31) == 31 || (word >> 16 & 31) == 31));
}

class A64Llvm : public test::A64PluginTest {};

TEST_F(A64Llvm, KnowsTheSameWords) {
  const std::string probe = std::string(kTool) + " --version > /dev/null 2>&1";
  if (std::system(probe.c_str()) != 0) GTEST_SKIP() << "missing program: " << kTool;
  const std::string folder = ::testing::TempDir() + "softlbr_a64_llvm_" + std::to_string(::getpid());
  const std::string words_file = folder + ".words";
  std::vector<uint32_t> words;
  oracle::Random random(20240303);
  FILE* out = std::fopen(words_file.c_str(), "w");
  ASSERT_NE(out, nullptr);
  while (words.size() < kRandomWords) {
    const auto word = static_cast<uint32_t>(random.Next());
    if (IsScalable(word)) continue;
    words.push_back(word);
    std::fprintf(out, "0x%02x 0x%02x 0x%02x 0x%02x\n", word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24);
  }
  std::fclose(out);
  // stderr has a line for every invalid word: "FILE:LINE:COLUMN: warning: invalid instruction encoding".
  const std::string command =
      std::string(kTool) + " -triple=aarch64 -mattr=+all --disassemble " + words_file + " 2>&1 >/dev/null";
  FILE* in = popen(command.c_str(), "r");
  ASSERT_NE(in, nullptr);
  std::set<size_t> invalid;
  char line[512];
  while (std::fgets(line, sizeof(line), in) != nullptr) {
    const std::string text = line;
    if (text.rfind(words_file + ":", 0) != 0 || text.find("invalid instruction") == std::string::npos) continue;
    invalid.insert(std::strtoul(text.c_str() + words_file.size() + 1, nullptr, 10));
  }
  EXPECT_EQ(pclose(in), 0);
  std::remove(words_file.c_str());
  EXPECT_GT(invalid.size(), kRandomWords / 4);
  uint32_t both = 0;
  for (size_t i = 0; i < words.size() && !HasFailure(); ++i) {
    const uint32_t word = words[i];
    const bool is_theirs = invalid.count(i + 1) == 0;
    const bool is_known =
        plugin_.instruction_length(decoder_, reinterpret_cast<const uint8_t*>(&word), sizeof(word), test::kA64Pc) != 0;
    both += is_theirs && is_known;
    EXPECT_TRUE(is_theirs || !is_known) << std::hex << word << " is unknown to " << kTool;
    if (is_theirs && !is_known) {
      EXPECT_TRUE(oracle::IsPrivileged(word) || IsNeverRun(word)) << std::hex << word << " is unknown to us";
    }
  }
  EXPECT_GT(both, kRandomWords / 4);
  printf("%zu words, %zu invalid to %s, %u known to both\n", words.size(), invalid.size(), kTool, both);
}

}  // namespace
}  // namespace softlbr
