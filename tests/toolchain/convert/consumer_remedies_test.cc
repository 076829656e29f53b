// What `softlbr convert` advises for a consumer is done in its words, and the consumer's side is looked at.
// other_code_test.cc has the remedies for stripped programs, and for those without lines, relocations or whole traces.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/convert/proto_fields.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;
using testing::WordBehind;

class ConsumerRemedies : public ::testing::Test {
 protected:
  void BuildAndRecord(std::vector<std::string> command) {
    command.insert(command.end(), {"-g", "-Wl,--build-id", SOFTLBR_CHECKED_PROGRAM_SOURCE, "-o", program_});
    const CommandResult built = RunCommand(command);
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const CommandResult recorded = RunSoftlbr(
        {"record", "-q", "-e", "thread-timer", "-F", "2000", "-o", folder_ / "p.slbr", "--", program_, "12"});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  }
  CommandResult Convert(const std::string& to) {
    return RunSoftlbr({"convert", "--to", to, "-o", folder_ / "out", folder_ / "p.slbr"});
  }

  testing::TemporaryFolder folder_;
  std::string program_ = folder_ / "app";
};

// Blocks by the addresses at which they begin, of all functions in what llvm-readobj prints.
std::map<uint64_t, uint64_t> BlocksOf(const std::string& map) {
  std::map<uint64_t, uint64_t> ends;
  uint64_t base = 0, start = 0;
  std::istringstream lines(map);
  for (std::string line; std::getline(lines, line);) {
    const auto value = [&line](const std::string& key, uint64_t* number) {
      const size_t at = line.find(key);
      if (at == std::string::npos) return false;
      *number = std::strtoull(line.c_str() + at + key.size(), nullptr, 16);
      return true;
    };
    uint64_t bytes = 0;
    if (value("Base Address: ", &base)) continue;
    if (value("Offset: ", &start)) start += base;
    if (value("Size: ", &bytes)) ends[start] = start + bytes;
  }
  return ends;
}

// Propeller's own tool is in no package. It looks each branch up in the section; so does this.
TEST_F(ConsumerRemedies, TheSectionOfBlocksHasTheBranches) {
  for (const char* tool : {"clang-19", "llvm-readobj-19"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  BuildAndRecord({"clang-19", "-O2"});
  const CommandResult without = Convert("propeller");
  BuildAndRecord({"clang-19", "-O2", WordBehind(without.err, "compile with ")});
  const CommandResult with = Convert("propeller");
  EXPECT_EQ(with.exit_code, 0);
  EXPECT_EQ(with.err, "");
  const CommandResult map = RunCommand({"llvm-readobj-19", "--bb-addr-map", program_});
  const std::map<uint64_t, uint64_t> blocks = BlocksOf(map.out);
  EXPECT_GT(blocks.size(), 10u) << map.out;
  const testing::Fields counts = testing::Decode(ReadFile(folder_ / "out"));
  ASSERT_TRUE(counts.is_well_formed);
  uint64_t all = 0, found = 0;
  for (auto [it, end] = counts.messages.equal_range(1); it != end; ++it) {
    const testing::Fields branch = testing::Decode(it->second);
    const uint64_t from = branch.numbers.find(1)->second, count = branch.numbers.find(3)->second;
    const auto after = blocks.upper_bound(from);
    all += count;
    if (after != blocks.begin() && from < std::prev(after)->second && blocks.contains(branch.numbers.find(2)->second))
      found += count;
  }
  EXPECT_GT(all, 1000u);
  EXPECT_GT(static_cast<double>(found), 0.9 * static_cast<double>(all)) << "from within a block to the start of one";
}

TEST_F(ConsumerRemedies, OlderClangsHaveAnotherFlagForIt) {
  if (!HasProgram("clang-14")) GTEST_SKIP() << "missing: a clang before 19";
  BuildAndRecord({"clang-14", "-O2"});
  const CommandResult without = Convert("propeller");
  BuildAndRecord({"clang-14", "-O2", WordBehind(without.err, "before, ")});
  EXPECT_EQ(Convert("propeller").err, "");
  if (!HasProgram("llvm-readobj-14")) GTEST_SKIP() << "missing: llvm-readobj-14";
  EXPECT_NE(RunCommand({"llvm-readobj-14", "--bb-addr-map", program_}).out.find("Name: run\n"), std::string::npos);
}

TEST_F(ConsumerRemedies, FunctionsWithoutJumpTablesAreOptimized) {
  for (const char* tool : {"gcc", "perf2bolt-19", "llvm-bolt-19"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  // The functions with a profile that llvm-bolt leaves as they are.
  const auto left = [&] {
    const CommandResult made = RunCommand(
        {"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder_ / "out", "-o", folder_ / "fdata", program_});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    const CommandResult bolt = RunCommand({"llvm-bolt-19", program_, "-data=" + (folder_ / "fdata"), "-o",
                                           folder_ / "fast", "-v=1", "-reorder-blocks=ext-tsp"});
    EXPECT_EQ(bolt.exit_code, 0) << bolt.err;
    return bolt.out + bolt.err;
  };
  BuildAndRecord({"gcc", "-O2"});
  const CommandResult warned = Convert("bolt");
  const size_t table = warned.err.find("through a table");
  ASSERT_NE(table, std::string::npos) << warned.err;
  EXPECT_NE(left().find("failed to post-process indirect branches for run"), std::string::npos);
  BuildAndRecord({"gcc", "-O2", "-Wl,--emit-relocs"});
  ASSERT_EQ(Convert("bolt").exit_code, 0);
  EXPECT_NE(left().find("failed to post-process indirect branches for run"), std::string::npos)
      << "relocations do not help";
  BuildAndRecord({"gcc", "-O2", WordBehind(warned.err.substr(table), "compile with ")});
  const CommandResult converted = Convert("bolt");
  EXPECT_EQ(converted.err.find("through a table"), std::string::npos) << converted.err;
  EXPECT_EQ(left().find("failed to post-process"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::toolchain
