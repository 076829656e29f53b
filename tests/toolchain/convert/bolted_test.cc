// Results of llvm-bolt, recorded: refused without an address translation table, and told in terms of the program before
// with one.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;

constexpr char kTwoLoops[] =
    "#include <stdio.h>\n"
    "__attribute__((noinline)) unsigned mix(unsigned x) { for (int i = 0; i < 7; i++) { if (x & 1) x = (x >> 1) ^ "
    "0xedb88320u; "
    "else x >>= 1; }\n"
    "  return x; }\n"
    "__attribute__((noinline)) static unsigned walk(unsigned n) { unsigned s = 0; while (n != 1) { s += n & 3; if (n & "
    "1) n = 3 * "
    "n + 1; else n /= 2;\n"
    "  if (s == 0x7fffffff) puts(\"never\"); } return s; }\n"
    "int main(void) { unsigned s = 0; for (int i = 1; i < 1000000; i++) { s += mix(i); s += walk((i & 255) + 1); } "
    "printf(\"%u\\n\", s); return 0; }\n";

class Bolted : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"gcc", "perf2bolt-19", "llvm-bolt-19"}) {
      if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
    }
    testing::WriteFile(folder_ / "loops.c", kTwoLoops);
    ASSERT_EQ(RunCommand({"gcc", "-O2", "-g", "-no-pie", "-Wl,--build-id", "-Wl,--emit-relocs", folder_ / "loops.c",
                          "-o", program_})
                  .exit_code,
              0);
    Record(program_, "p.slbr");
    ASSERT_EQ(RunSoftlbr({"convert", "--to", "bolt", "--format", "fdata", "-b", program_, "-o", folder_ / "p.fdata",
                          folder_ / "p.slbr"})
                  .exit_code,
              0);
  }
  void Record(const std::string& program, const std::string& profile) {
    const CommandResult recorded = RunSoftlbr({"record", "-q", "-F", "2000", "-o", folder_ / profile, "--", program});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  }
  void Bolt(std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"llvm-bolt-19", program_, "-data=" + (folder_ / "p.fdata"), "-o", folder_ / "fast",
                    "-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions", "-split-all-cold"});
    const CommandResult bolt = RunCommand(options);
    ASSERT_EQ(bolt.exit_code, 0) << bolt.err;
    Record(folder_ / "fast", "fast.slbr");
  }
  CommandResult Convert(std::vector<std::string> options) {
    options.insert(options.begin(), {"convert", "--to", "bolt", "-b", folder_ / "fast", folder_ / "fast.slbr", "-o"});
    return RunSoftlbr(options);
  }

  testing::TemporaryFolder folder_;
  std::string program_ = folder_ / "prog";
};

TEST_F(Bolted, WithoutATableIsRefusedWithTheReason) {
  Bolt({});
  for (const char* format : {"preaggregated", "fdata"}) {
    const CommandResult result = Convert({folder_ / "out", "--format", format});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.err.find("is a result of llvm-bolt"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("-enable-bat"), std::string::npos) << result.err;
  }
  const CommandResult optimize =
      RunSoftlbr({"optimize", "--bolt", "--step", "check", "--work", folder_ / "work", "--", folder_ / "fast"});
  EXPECT_EQ(optimize.exit_code, 1);
  EXPECT_NE(optimize.err.find("is a result of llvm-bolt"), std::string::npos) << optimize.err;
  // The remedy that the message names.
  Bolt({"-enable-bat"});
  EXPECT_EQ(Convert({folder_ / "out"}).exit_code, 0);
  const CommandResult aggregated = RunCommand(
      {"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder_ / "out", "-o", folder_ / "theirs", folder_ / "fast"});
  EXPECT_EQ(aggregated.exit_code, 0) << aggregated.err;
  EXPECT_NE(ReadFile(folder_ / "theirs").find("1 mix "), std::string::npos);
}

// As perf2bolt translates: line by line. llvm-bolt takes the result for the program before.
TEST_F(Bolted, WithATableIsTranslated) {
  Bolt({"-enable-bat"});
  ASSERT_EQ(Convert({folder_ / "pa"}).exit_code, 0);
  const CommandResult own = Convert({folder_ / "ours", "--format", "fdata"});
  ASSERT_EQ(own.exit_code, 0) << own.err;
  const CommandResult aggregated = RunCommand(
      {"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder_ / "pa", "-o", folder_ / "theirs", folder_ / "fast"});
  ASSERT_EQ(aggregated.exit_code, 0) << aggregated.err;
  const auto lines = [](const std::string& text) {
    std::multiset<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.insert(line);
    return all;
  };
  EXPECT_GT(lines(ReadFile(folder_ / "ours")).size(), 8u);
  EXPECT_EQ(lines(ReadFile(folder_ / "ours")), lines(ReadFile(folder_ / "theirs")));
  const CommandResult again =
      RunCommand({"llvm-bolt-19", program_, "-data=" + (folder_ / "ours"), "-o", folder_ / "again"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ((again.out + again.err).find("stale"), std::string::npos) << again.out << again.err;
}

}  // namespace
}  // namespace softlbr::toolchain
