// Tests the simulator of instruction fetch on programs whose misses are known by construction.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/reference/code_hint.h"

namespace softlbr::reference {
namespace {

using Values = std::map<std::string, std::string>;

// The plugin's output: by the first word of a line, its KEY=VALUE pairs, or the number behind it as "".
std::map<std::string, Values> Simulate(const std::string& emulator, const std::string& program,
                                       const std::string& options) {
  const std::string path = ::testing::TempDir() + "/code_fetch." + std::to_string(getpid());
  const std::string command = emulator + " -cpu max -plugin " SOFTLBR_CODE_FETCH_PLUGIN ",out=" + path + options +
                              " " SOFTLBR_REFERENCE_PROGRAMS "/" + program;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::map<std::string, Values> result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, word;
    words >> first;
    if (first == "line" || first == "pc") continue;
    while (words >> word) {
      const size_t equals = word.find('=');
      result[first][equals == std::string::npos ? "" : word.substr(0, equals)] =
          equals == std::string::npos ? word : word.substr(equals + 1);
    }
  }
  std::remove(path.c_str());
  return result;
}

bool HasCommand(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

class CodeFetch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasCommand("qemu-x86_64")) GTEST_SKIP() << "needs qemu-x86_64 with plugins (Debian: qemu-user)";
  }
};

TEST_F(CodeFetch, ARingInOneSetMissesInEveryRound) {
  auto counts = Simulate("qemu-x86_64", "code_ring_x86_64", ",l1=8192");
  EXPECT_EQ(counts["instructions"][""], std::to_string(2 + 100 * 16 * 2 + 3));
  EXPECT_EQ(counts["hints"][""], "0");
  for (const char* machine : {"plain", "next", "hints"}) {
    // 100 rounds of 16 blocks, and _start. The lines behind them are never executed.
    EXPECT_EQ(counts[machine]["misses"], "1601") << machine;
    EXPECT_EQ(counts[machine]["l2_misses"], "17") << machine;
    EXPECT_EQ(counts[machine]["stall_cycles"], std::to_string(17 * 76 + 1584 * 12)) << machine;
  }
  EXPECT_EQ(counts["plain"]["next_line_issued"], "0");
  EXPECT_EQ(counts["next"]["next_line_useful"], "0");
}

TEST_F(CodeFetch, CountsFromTheInstructionWhereTheCachesAreCalledWarm) {
  auto counts = Simulate("qemu-x86_64", "code_ring_x86_64", ",l1=8192,warm=1602");  // _start and 50 rounds
  EXPECT_EQ(counts["instructions"][""], std::to_string(50 * 16 * 2 + 3));
  EXPECT_EQ(counts["plain"]["misses"], "800");
  EXPECT_EQ(counts["plain"]["l2_misses"], "0");
}

TEST_F(CodeFetch, ARingFitsIntoACacheOfMoreSets) {
  auto counts = Simulate("qemu-x86_64", "code_ring_x86_64", "");  // 32 KiB: four sets take four blocks each
  EXPECT_EQ(counts["plain"]["misses"], "17");
}

TEST_F(CodeFetch, HintsBringTheLinesThatTheyName) {
  // The next block's instructions lie between a hint and its block: enough for one cycle.
  auto counts = Simulate("qemu-x86_64", "code_hints_x86_64", ",l1=8192,l2_cycles=1,l3_cycles=1,ipc=1");
  EXPECT_EQ(counts["hints"][""], "1600");
  EXPECT_EQ(counts["other_hints"][""], "100");
  EXPECT_EQ(counts["next"]["misses"], "1601") << "hints count in the third machine only";
  Values& hints = counts["hints"];
  EXPECT_EQ(hints["misses"], "3") << "_start, and the two blocks before the first hint's";
  EXPECT_EQ(hints["hint_issued"], "1600");
  EXPECT_EQ(hints["hint_useful"], "1598") << "the last two name blocks of a round that does not come";
  EXPECT_EQ(hints["hint_late"], "0");
  // From the L2 a block takes 12 cycles. Two blocks execute in 7, so of two that follow each other one at least is
  // late.
  counts = Simulate("qemu-x86_64", "code_hints_x86_64", ",l1=8192,ipc=1");
  EXPECT_EQ(counts["hints"]["misses"], "3");
  EXPECT_GE(std::stoul(counts["hints"]["hint_late"]), 798u);
  EXPECT_LT(std::stoul(counts["hints"]["stall_cycles"]), std::stoul(counts["next"]["stall_cycles"]));
}

TEST_F(CodeFetch, OfAnAarch64ProgramTakesHintsForInstructions) {
  if (!HasCommand("qemu-aarch64")) GTEST_SKIP() << "needs qemu-aarch64 with plugins (Debian: qemu-user)";
  const std::string program = SOFTLBR_REFERENCE_PROGRAMS "/code_hints_aarch64";
  if (access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "needs aarch64-linux-gnu-gcc at build time";
  auto counts = Simulate("qemu-aarch64", "code_hints_aarch64", ",l2_cycles=1,l3_cycles=1");
  EXPECT_EQ(counts["instructions"][""], std::to_string(1 + 10 * 4 + 1 + 3));
  EXPECT_EQ(counts["hints"][""], "10");
  EXPECT_EQ(counts["next"]["misses"], "2");
  EXPECT_EQ(counts["hints"]["misses"], "1");
  EXPECT_EQ(counts["hints"]["hint_useful"], "1");
}

TEST(CodeHint, IsAPrefetchRelativeToThePc) {
  const uint8_t prefetcht1[] = {0x0f, 0x18, 0x15, 0xf0, 0xff, 0xff, 0xff};
  EXPECT_EQ(HintTarget(prefetcht1, 7, 0x1000, false), 0x1000u + 7 - 16);
  const uint8_t prefetchit0[] = {0x0f, 0x18, 0x3d, 0, 1, 0, 0};
  EXPECT_EQ(HintTarget(prefetchit0, 7, 0x1000, false), 0x1107u);
  const uint8_t prefetcht0[] = {0x0f, 0x18, 0x0d, 0, 1, 0, 0};
  EXPECT_FALSE(HintTarget(prefetcht0, 7, 0x1000, false).has_value());
  const uint8_t by_register[] = {0x0f, 0x18, 0x10};
  EXPECT_FALSE(HintTarget(by_register, 3, 0x1000, false).has_value());
  const uint8_t pli_back[] = {0xe8, 0xff, 0xff, 0xd8};  // prfm plil1keep, .-4
  EXPECT_EQ(HintTarget(pli_back, 4, 0x1000, true), 0xffcu);
  const uint8_t pld[] = {0x40, 0, 0, 0xd8};
  EXPECT_FALSE(HintTarget(pld, 4, 0x1000, true).has_value());
}

}  // namespace
}  // namespace softlbr::reference
