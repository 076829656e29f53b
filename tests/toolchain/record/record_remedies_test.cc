// What `softlbr record` advises for a program that it refuses, or of which it got nothing: done in its words, after
// which the program is recorded. program_remedies_test.cc has what is advised of programs that must be built otherwise,
// or be started by others.
#include "tests/toolchain/record/record_remedies.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/printed_remedy.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::HasProgram;
using testing::RecordRemedies;
using testing::RunCommand;
using testing::RunSoftlbr;
using testing::WordBehind;
using testing::Words;
using testing::WordsBehind;

TEST_F(RecordRemedies, AProgramIsMadeExecutable) {
  ASSERT_TRUE(Build("gcc", {}));
  ASSERT_EQ(chmod(program_.c_str(), 0644), 0);
  const CommandResult refused = Record({program_, "20"});
  EXPECT_EQ(refused.exit_code, 126);
  // "chmod +x it"
  Words command = WordsBehind(refused.err, "not executable; ");
  ASSERT_EQ(command.size(), 3u) << refused.err;
  ASSERT_EQ(command.back(), "it");
  command.back() = program_;
  ASSERT_EQ(RunCommand(command).exit_code, 0);
  ExpectRecorded(Record({program_, "20"}));
}

TEST_F(RecordRemedies, AProgramOutsideOfPathIsNamedWithItsFolder) {
  ASSERT_TRUE(Build("gcc", {}));
  const auto record_here = [&](const std::string& name) {
    return RunCommand({"sh", "-c", "cd \"$1\" && exec \"$0\" record -e thread-timer -o \"$2\" -- \"$3\" 20",
                       testing::SoftlbrPath(), folder_.path(), profile_, name});
  };
  const CommandResult here = record_here("app");
  EXPECT_EQ(here.exit_code, 127);
  const std::string meant = WordBehind(here.err, "did you mean ");
  ExpectRecorded(record_here(meant.substr(0, meant.find('?'))));
  const CommandResult elsewhere = Record({"app", "20"});
  EXPECT_EQ(elsewhere.exit_code, 127);
  EXPECT_NE(elsewhere.err.find("name it with its folder"), std::string::npos) << elsewhere.err;
  ExpectRecorded(Record({program_, "20"}));
}

TEST_F(RecordRemedies, TheFirstLineOfAScriptIsCorrected) {
  ASSERT_TRUE(Build("gcc", {}));
  const std::string script = folder_ / "script";
  testing::WriteFile(script, "#!/nowhere/sh\nexec " + program_ + " 20\n");
  ASSERT_EQ(chmod(script.c_str(), 0755), 0);
  const CommandResult refused = Record({script});
  EXPECT_EQ(refused.exit_code, 127);
  EXPECT_NE(refused.err.find("correct the first line of the script"), std::string::npos) << refused.err;
  testing::WriteFile(script, "#!/bin/sh\nexec " + program_ + " 20\n");
  ExpectRecorded(Record({script}));
}

struct SharedSanitizer {
  const char* name;
  const char* compiler;
  Words options;
};
void PrintTo(const SharedSanitizer& sanitizer, std::ostream* out) { *out << sanitizer.name; }

class SanitizerRemedies : public RecordRemedies, public ::testing::WithParamInterface<SharedSanitizer> {};

TEST_P(SanitizerRemedies, TheAdvisedFlagGivesAProgramThatIsRecorded) {
  const SharedSanitizer& sanitizer = GetParam();
  if (!HasProgram(sanitizer.compiler) || !Build(sanitizer.compiler, sanitizer.options)) {
    GTEST_SKIP() << "missing: " << sanitizer.compiler << " with a shared sanitizer: " << sanitizer.name;
  }
  const CommandResult refused = Record({program_, "5"});
  EXPECT_EQ(refused.exit_code, 1) << refused.err;
  Words options = WordsBehind(refused.err, " with -");
  ASSERT_FALSE(options.empty());
  options[0] = "-" + options[0];
  if (options.size() == 1) {
    options.insert(options.begin(), sanitizer.options.begin(), sanitizer.options.end());
    std::erase(options, "-shared-libsan");
  }
  ASSERT_TRUE(Build(sanitizer.compiler, options)) << options.back();
  ExpectRecorded(Record({program_, "40"}));
}

INSTANTIATE_TEST_SUITE_P(
    Shared, SanitizerRemedies,
    ::testing::Values(SharedSanitizer{"Address", "gcc", {"-fsanitize=address"}},
                      SharedSanitizer{"Thread", "gcc", {"-fsanitize=thread"}},
                      SharedSanitizer{"Leak", "gcc", {"-fsanitize=leak"}},
                      SharedSanitizer{"ClangAddress", "clang", {"-fsanitize=address", "-shared-libsan"}},
                      SharedSanitizer{"ClangThread", "clang", {"-fsanitize=thread", "-shared-libsan"}},
                      SharedSanitizer{
                          "ClangHardwareAddress",  // by page aliases: no CPU's tags are needed
                          "clang",
                          {"-fsanitize=hwaddress", "-fsanitize-hwaddress-experimental-aliasing", "-shared-libsan"}}),
    [](const auto& sanitizer) { return std::string(sanitizer.param.name); });

TEST_F(RecordRemedies, ChildrenAreRecordedWithoutTheOptionAgainstThem) {
  ASSERT_TRUE(Build("gcc", {}));
  const Words program = {"sh", "-c", program_ + " 30; true"};
  Words options = {"--no-children"};
  const CommandResult alone = Record(program, options);
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  std::erase(options, WordBehind(alone.err, "leave out "));
  ExpectRecorded(Record(program, options));
}

TEST_F(RecordRemedies, AProgramThatIsReplacedIsRecordedWithoutTheOptionAgainstIt) {
  ASSERT_TRUE(Build("gcc", {}));
  const Words program = {"sh", "-c", "exec " + program_ + " 30"};
  Words options = {"--no-children"};
  const CommandResult alone = Record(program, options);
  std::erase(options, WordBehind(alone.err, "Leave out "));
  ExpectRecorded(Record(program, options));
}

TEST_F(RecordRemedies, AShortProgramGivesSamplesAtASmallerPeriod) {
  ASSERT_TRUE(Build("gcc", {}));
  // Longer than what a sanitized command takes before its child executes the program.
  const CommandResult coarse = Record({program_, "20"}, {"-c", "100000000000"});
  EXPECT_EQ(coarse.exit_code, 0) << coarse.err;
  const Words smaller = WordsBehind(coarse.err, "a smaller ");
  ASSERT_EQ(smaller.size(), 2u) << coarse.err;
  ASSERT_EQ(smaller[1], "PERIOD");
  ExpectRecorded(Record({program_, "20"}, {smaller[0], "200000"}));
  ExpectRecorded(Record({program_, "40"}, {smaller[0], "20000000"}));
}

}  // namespace
}  // namespace softlbr::toolchain
