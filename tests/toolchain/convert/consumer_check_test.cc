// Tests what `softlbr convert` says about binaries, and that the tools of each LLVM version accept what it writes.
//
// A program is compiled in several ways and recorded with this build's preload library.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/toolchain/commands/run_command.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;

std::set<std::string> DistinctLines(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

class ConsumerCheck : public ::testing::Test {
 protected:
  // Builds the program with gcc, and records it.
  void BuildAndRecord(std::vector<std::string> flags) {
    program_ = folder_ / "app";
    profile_ = folder_ / "app.slbr";
    flags.insert(flags.begin(), {"gcc", "-O2", "-Wl,--build-id", SOFTLBR_CHECKED_PROGRAM_SOURCE, "-o", program_});
    ASSERT_EQ(RunCommand(flags).exit_code, 0);
    const CommandResult recorded = RunSoftlbr({"record", "-q", "-F", "2000", "-o", profile_, "--", program_, "30"});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  }
  CommandResult Convert(std::vector<std::string> options, const std::string& output) {
    options.insert(options.begin(), {"convert", profile_, "-o", output, "--to"});
    return RunSoftlbr(options);
  }

  testing::TemporaryFolder folder_;
  std::string program_;
  std::string profile_;
};

TEST_F(ConsumerCheck, StrippedBinaryIsAFailureWithARemedy) {
  if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  BuildAndRecord({"-g", "-s"});
  for (const char* format : {"bolt", "llvm", "autofdo", "propeller"}) {
    const CommandResult result = Convert({format}, folder_ / "out");
    EXPECT_EQ(result.exit_code, 1) << format;
    EXPECT_NE(result.err.find("is stripped"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("with -b"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << format;
  }
  EXPECT_EQ(Convert({"perfscript"}, folder_ / "out").exit_code, 0);
}

TEST_F(ConsumerCheck, MissingLinesAndRelocationsAreNamed) {
  if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  BuildAndRecord({});
  const CommandResult lines = Convert({"llvm"}, folder_ / "out");
  EXPECT_EQ(lines.exit_code, 1);
  EXPECT_NE(lines.err.find("has no line tables"), std::string::npos) << lines.err;
  const CommandResult bolt = Convert({"bolt"}, folder_ / "out");
  EXPECT_EQ(bolt.exit_code, 0) << bolt.err;
  EXPECT_NE(bolt.err.find("without relocations"), std::string::npos) << bolt.err;
  EXPECT_NE(bolt.err.find("1 function jumps through a table"), std::string::npos) << bolt.err;
  EXPECT_NE(bolt.err.find("(run; "), std::string::npos) << bolt.err;
}

TEST_F(ConsumerCheck, MissingAddressesOfBlocksAreNamed) {
  if (!HasProgram("gcc") || !HasProgram("objcopy")) GTEST_SKIP() << "missing: gcc, objcopy";
  BuildAndRecord({});
  const CommandResult without = Convert({"propeller"}, folder_ / "out");
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_NE(without.err.find("has no section .llvm_bb_addr_map"), std::string::npos) << without.err;
  testing::WriteFile(folder_ / "map", "addresses");
  ASSERT_EQ(RunCommand({"objcopy", "--add-section", ".llvm_bb_addr_map=" + (folder_ / "map"), program_}).exit_code, 0);
  const CommandResult with = Convert({"propeller"}, folder_ / "out");
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(with.err, "");
}

TEST_F(ConsumerCheck, TheAdviceIsForTheConsumer) {
  if (!HasProgram("gcc") || !HasProgram("objcopy")) GTEST_SKIP() << "missing: gcc, objcopy";
  BuildAndRecord({"-g"});
  ASSERT_EQ(RunCommand({"objcopy", "--only-keep-debug", program_, program_ + ".debug"}).exit_code, 0);
  ASSERT_EQ(RunCommand({"objcopy", "--strip-all", "--add-gnu-debuglink=" + program_ + ".debug", program_}).exit_code,
            0);
  const CommandResult llvm = Convert({"llvm"}, folder_ / "out");
  EXPECT_NE(llvm.err.find("llvm-profgen needs one file: join the two with eu-unstrip"), std::string::npos) << llvm.err;
  const CommandResult autofdo = Convert({"autofdo"}, folder_ / "out");
  EXPECT_EQ(autofdo.exit_code, 0) << autofdo.err;
  EXPECT_EQ(autofdo.err.find("llvm-profgen"), std::string::npos) << autofdo.err;
  EXPECT_NE(autofdo.err.find("eu-unstrip"), std::string::npos) << autofdo.err;
}

TEST_F(ConsumerCheck, RewrittenBinaryIsNamed) {
  if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  BuildAndRecord({"-g", "-Wl,--emit-relocs"});
  EXPECT_EQ(Convert({"bolt"}, folder_ / "out").err, "");
  // A tool that moves code and keeps the build id leaves the profile with segments that the file has not.
  Profile profile = LoadProfile(profile_);
  for (ProfileModule& module : profile.modules) {
    for (Segment& segment : module.segments) segment.memory_bytes += 4096;
  }
  ASSERT_EQ(WriteProfileFile(profile, profile_), "");
  const CommandResult result = Convert({"bolt", "-b", program_}, folder_ / "out");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("and the file has not"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("that the profile does not know"), std::string::npos) << result.err;
}

TEST_F(ConsumerCheck, FolderGetsAFileForEachModule) {
  if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  BuildAndRecord({"-g", "-Wl,--emit-relocs"});
  const CommandResult result = Convert({"bolt"}, folder_ / "all/");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(Convert({"bolt"}, folder_ / "one").exit_code, 0);
  EXPECT_EQ(ReadFile(folder_ / "all/app.bolt"), ReadFile(folder_ / "one"));
  EXPECT_NE(result.out.find("app.bolt"), std::string::npos) << result.out;
  EXPECT_EQ(Convert({"perfdata"}, folder_ / "all/").exit_code, 2);
  EXPECT_EQ(Convert({"bolt", "-b", program_, "-b", program_}, folder_ / "one").exit_code, 2);
  EXPECT_EQ(Convert({"llvm", "--format", "fdata"}, folder_ / "one").exit_code, 2);
}

class ConsumerVersions : public ConsumerCheck, public ::testing::WithParamInterface<const char*> {};

TEST_P(ConsumerVersions, ToolsAcceptWhatIsWritten) {
  const std::string suffix = GetParam();
  for (const std::string tool : {"perf2bolt", "llvm-bolt", "llvm-profgen", "llvm-profdata", "merge-fdata"}) {
    if (!HasProgram(tool + suffix)) GTEST_SKIP() << "missing: " << tool + suffix;
  }
  if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  BuildAndRecord({"-g", "-fno-jump-tables", "-Wl,--emit-relocs"});
  ASSERT_EQ(Convert({"bolt"}, folder_ / "out.bolt").err, "");
  ASSERT_EQ(Convert({"bolt", "--format", "fdata"}, folder_ / "own.fdata").err, "");
  ASSERT_EQ(Convert({"llvm"}, folder_ / "out.llvm").err, "");
  const CommandResult aggregated = RunCommand({"perf2bolt" + suffix, "--aggregate-only", "-pa", "-p",
                                               folder_ / "out.bolt", "-o", folder_ / "theirs.fdata", program_});
  ASSERT_EQ(aggregated.exit_code, 0) << aggregated.err;
  // All but lines for stubs are the same in both versions (fdata_edges_test.cc has all lines of one).
  const std::set<std::string> own = DistinctLines(ReadFile(folder_ / "own.fdata"));
  const std::set<std::string> theirs = DistinctLines(ReadFile(folder_ / "theirs.fdata"));
  EXPECT_GT(own.size(), 10u);
  EXPECT_TRUE(std::includes(theirs.begin(), theirs.end(), own.begin(), own.end()))
      << ReadFile(folder_ / "own.fdata") << "\n--\n"
      << ReadFile(folder_ / "theirs.fdata");
  const CommandResult merged = RunCommand({"merge-fdata" + suffix, folder_ / "own.fdata", folder_ / "own.fdata"});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  const CommandResult bolt =
      RunCommand({"llvm-bolt" + suffix, program_, "-data=" + (folder_ / "own.fdata"), "-o", folder_ / "fast",
                  "-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions"});
  ASSERT_EQ(bolt.exit_code, 0) << bolt.err;
  EXPECT_EQ((bolt.out + bolt.err).find(" 0 out of "), std::string::npos) << bolt.out << bolt.err;
  EXPECT_EQ((bolt.out + bolt.err).find("invalid (possibly stale)"), std::string::npos) << bolt.out << bolt.err;
  EXPECT_EQ(RunCommand({folder_ / "fast", "1"}).out, RunCommand({program_, "1"}).out);
  const CommandResult profgen =
      RunCommand({"llvm-profgen" + suffix, "--unsymbolized-profile=" + (folder_ / "out.llvm"), "--use-offset=0",
                  "--binary=" + program_, "--output=" + (folder_ / "out.prof")});
  ASSERT_EQ(profgen.exit_code, 0) << profgen.err;
  const CommandResult shown = RunCommand({"llvm-profdata" + suffix, "show", "--sample", folder_ / "out.prof"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("Function: run:"), std::string::npos) << shown.out << shown.err;
}

INSTANTIATE_TEST_SUITE_P(Llvm, ConsumerVersions, ::testing::Values("-19", "-22"),
                         [](const auto& version) { return std::string("Version") + (version.param + 1); });

}  // namespace
}  // namespace softlbr::toolchain
