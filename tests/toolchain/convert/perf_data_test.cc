// perf itself reads the perf.data files of `softlbr convert`: names, times, branch history, and traces that are longer
// than its limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::RunCommand;
using testing::RunSoftlbr;

TEST(PerfData, HasWhatPerfOfItsOwnFilesShows) {
  if (!HasProgram("gcc") || !HasProgram("perf") || RunCommand({"perf", "--version"}).exit_code != 0) {
    GTEST_SKIP() << "missing: gcc, a perf that runs here";
  }
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder / "loop.c",
                     "__attribute__((noinline)) unsigned walk(unsigned n) { unsigned s = 0; while (n != 1) { s += n & "
                     "3; if (n & 1) n = 3 * n + "
                     "1; "
                     "else n /= 2; } return s; }\n"
                     "int main(void) { unsigned s = 0; for (unsigned i = 1; i < 3000000; i++) s += walk((i & 255) + "
                     "1); return s == 1; }\n");
  const std::string program = folder / "branchy";
  ASSERT_EQ(RunCommand({"gcc", "-O1", "-g", "-Wl,--build-id", "-o", program, folder / "loop.c"}).exit_code, 0);
  const CommandResult recorded = RunSoftlbr(
      {"record", "-q", "-F", "500", "--traces", "--branches", "512", "-o", folder / "p.slbr", "--", program});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const std::string data = folder / "perf.data";
  ASSERT_EQ(RunSoftlbr({"convert", "--to", "perfdata", "-b", program, "-o", data, folder / "p.slbr"}).exit_code, 0);
  const CommandResult history = RunCommand({"perf", "report", "-i", data, "--branch-history", "--stdio"});
  EXPECT_EQ(history.exit_code, 0) << history.err;
  EXPECT_NE(history.out.find("walk"), std::string::npos) << history.out << history.err;
  EXPECT_EQ(history.err.find("corrupted"), std::string::npos) << history.err;
  const CommandResult names =
      RunCommand({"perf", "report", "-i", data, "--no-branch-stack", "--stdio", "--sort", "comm,dso,sym"});
  EXPECT_NE(names.out.find("branchy  branchy"), std::string::npos) << names.out << names.err;
  EXPECT_EQ(names.out.find(":1 "), std::string::npos) << "a thread without a name\n" << names.out;
  // The samples are spread over the time of the recording, and hold every branch of a trace.
  const CommandResult script = RunCommand({"perf", "script", "-i", data, "-F", "time,brstack"});
  std::istringstream lines(script.out);
  double first = 0, last = 0;
  size_t longest = 0, branches = 0;
  for (std::string line; std::getline(lines, line);) {
    size_t addresses = 0;  // two of each branch
    for (size_t at = line.find("0x"); at != std::string::npos; at = line.find("0x", at + 2)) ++addresses;
    const size_t of_sample = addresses / 2;
    if (of_sample == 0) continue;
    longest = std::max(longest, of_sample);
    branches += of_sample;
    last = std::stod(line);
    if (first == 0) first = last;
  }
  EXPECT_LE(longest, 127u);
  EXPECT_GT(longest, 100u);
  EXPECT_GT(last - first, 0.05);
  const CommandResult stats = RunSoftlbr({"report", folder / "p.slbr", "-b", program, "--json"});
  const size_t at = stats.out.find("\"taken_branches\": ");
  ASSERT_NE(at, std::string::npos) << stats.out;
  EXPECT_EQ(branches, std::stoull(stats.out.substr(at + 18)));
}

}  // namespace
}  // namespace softlbr::toolchain
