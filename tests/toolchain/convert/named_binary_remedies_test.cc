// Which binary a conversion is about: where `softlbr convert` cannot know, it says how to name it. That is done in its
// words.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;
using testing::WordBehind;
using testing::WordsBehind;
using Words = std::vector<std::string>;

class NamedBinaryRemedies : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
    ASSERT_EQ(RunCommand({"gcc", "-O2", "-g", "-fno-jump-tables", "-Wl,--build-id", "-Wl,--emit-relocs",
                          SOFTLBR_CHECKED_PROGRAM_SOURCE, "-o", program_})
                  .exit_code,
              0);
  }
  void Record(const Words& program, const Words& options = {}) {
    Words command = {"record", "-q", "-e", "thread-timer", "-F", "2000", "-o", profile_};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    command.insert(command.end(), program.begin(), program.end());
    ASSERT_EQ(RunSoftlbr(command).exit_code, 0);
  }
  CommandResult Convert(const std::string& to, const Words& options = {}) {
    Words command = {"convert", "--to", to, "-o", folder_ / "out", profile_};
    command.insert(command.end(), options.begin(), options.end());
    std::filesystem::remove(folder_ / "out");
    return RunSoftlbr(command);
  }

  testing::TemporaryFolder folder_;
  std::string program_ = folder_ / "app";
  std::string profile_ = folder_ / "p.slbr";
};

TEST_F(NamedBinaryRemedies, AProfileOfTwoProgramsIsConvertedForTheOneThatIsNamed) {
  ASSERT_EQ(RunCommand({"gcc", "-O1", "-g", "-fno-jump-tables", "-Wl,--build-id", "-Wl,--emit-relocs",
                        SOFTLBR_CHECKED_PROGRAM_SOURCE, "-o", folder_ / "other"})
                .exit_code,
            0);
  Record({"sh", "-c", program_ + " 12; " + (folder_ / "other") + " 12"});
  const CommandResult refused = Convert("bolt");
  EXPECT_EQ(refused.exit_code, 1);
  const std::string option = WordBehind(refused.err, "name its file with ");
  const size_t list = refused.err.find('(');
  ASSERT_NE(list, std::string::npos) << refused.err;
  std::string results[2];
  for (const char* name : {"app", "other"}) {
    EXPECT_NE(refused.err.find(name, list), std::string::npos) << refused.err;
    const CommandResult converted = Convert("bolt", {option, folder_ / name});
    EXPECT_EQ(converted.exit_code, 0) << converted.err;
    results[name == std::string("other")] = ReadFile(folder_ / "out");
    // The names of the list do, too, as the files are where they ran.
    const CommandResult by_name = Convert("bolt", {option, name});
    EXPECT_EQ(by_name.exit_code, 0) << by_name.err;
    EXPECT_EQ(ReadFile(folder_ / "out"), results[name == std::string("other")]);
  }
  EXPECT_GT(results[0].size(), 100u);
  EXPECT_NE(results[0], results[1]);
}

TEST_F(NamedBinaryRemedies, AnotherModuleOfTheListHasBranches) {
  Record({program_, "12"});
  const CommandResult refused = Convert("bolt", {"-b", "/bin/true"});
  EXPECT_EQ(refused.exit_code, 1);
  const std::string ran = WordBehind(refused.err, "which has ");
  EXPECT_EQ(ran, "app") << refused.err;
  EXPECT_EQ(Convert("bolt", {"-b", ran}).exit_code, 0);
  EXPECT_GT(ReadFile(folder_ / "out").size(), 100u);
}

TEST_F(NamedBinaryRemedies, AMovedFileIsNamed) {
  Record({program_, "12"}, {"--traces", "--branches", "1024"});
  std::filesystem::rename(program_, folder_ / "moved");
  for (const Words& format : {Words{"csspgo"}, Words{"propeller"}, Words{"bolt", "--format", "fdata"}}) {
    SCOPED_TRACE(format.back());
    Words options(format.begin() + 1, format.end());
    const CommandResult refused = Convert(format[0], options);
    EXPECT_EQ(refused.exit_code, 1) << refused.err;
    options.insert(options.end(), {WordBehind(refused.err, "name it with "), folder_ / "moved"});
    const CommandResult converted = Convert(format[0], options);
    EXPECT_EQ(converted.exit_code, 0) << converted.err;
    EXPECT_GT(ReadFile(folder_ / "out").size(), 50u);
  }
}

TEST_F(NamedBinaryRemedies, AFolderTakesNoFormatOfAllModulesButAFileDoes) {
  Record({program_, "12"}, {"--traces"});
  const Words convert = {"convert", "--to", "perfdata", profile_, "-o"};
  const auto to = [&](const std::string& output) {
    Words command = convert;
    command.push_back(output);
    return RunSoftlbr(command);
  };
  const CommandResult refused = to(folder_ / "all/");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("name a file with -o"), std::string::npos) << refused.err;
  EXPECT_EQ(to(folder_ / "all").exit_code, 0);
  EXPECT_EQ(ReadFile(folder_ / "all").substr(0, 8), "PERFILE2");
}

}  // namespace
}  // namespace softlbr::toolchain
