// Builds and records a program, for tests that do what `softlbr record` advises.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_RECORD_RECORD_REMEDIES_H_
#define SOFTLBR_TESTS_TOOLCHAIN_RECORD_RECORD_REMEDIES_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::testing {

using Words = std::vector<std::string>;

class RecordRemedies : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  }
  // False without what the compiler needs for these options.
  bool Build(const std::string& compiler, const Words& options) {
    Words command = {compiler, "-O2", "-g", SOFTLBR_CHECKED_PROGRAM_SOURCE, "-o", program_};
    command.insert(command.end(), options.begin(), options.end());
    return RunCommand(command).exit_code == 0;
  }
  CommandResult Record(const Words& program, Words options = {}) {
    options.insert(options.begin(), {"record", "-e", "thread-timer", "-o", profile_});
    options.push_back("--");
    options.insert(options.end(), program.begin(), program.end());
    std::filesystem::remove(profile_);
    return RunSoftlbr(options);
  }
  // The profile has the loop of the program.
  void ExpectRecorded(const CommandResult& recorded, const std::string& loop = "run") {
    EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
    ASSERT_TRUE(std::filesystem::exists(profile_)) << recorded.err;
    const CommandResult report = RunSoftlbr({"report", "--json", profile_});
    ASSERT_EQ(report.exit_code, 0) << report.err;
    EXPECT_NE(report.out.find('"' + loop + '"'), std::string::npos) << report.out;
    EXPECT_GT(nlohmann::json::parse(RunSoftlbr({"stats", "--json", profile_}).out)["taken_branches"], 100);
  }

  testing::TemporaryFolder folder_;
  std::string program_ = folder_ / "app";
  std::string profile_ = folder_ / "p.slbr";
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_RECORD_RECORD_REMEDIES_H_
