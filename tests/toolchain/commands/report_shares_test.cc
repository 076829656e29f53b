// What the shares of `softlbr report` are of, and how its rows are chosen.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using json = nlohmann::json;

class ReportShares : public ::testing::Test {
 protected:
  void Write(const Profile& profile) { ASSERT_EQ(WriteProfileFile(profile, profile_), ""); }
  json Report(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"report", profile_, "--json"});
    const testing::CommandResult result = testing::RunSoftlbr(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  }
  std::string Text(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"report", profile_});
    return testing::RunSoftlbr(options).out;
  }
  static double Sum(const json& rows, const char* key) {
    double sum = 0;
    for (const json& row : rows) sum += row[key].get<double>();
    return sum;
  }
  static json Row(const json& report, const std::string& kind, const json& module) {
    for (const json& row : report["functions"]) {
      if (row["kind"] == kind && row["module"] == module) return row;
    }
    return json();
  }

  testing::TemporaryFolder folder_;
  const std::string profile_ = folder_ / "p.slbr";
};

// Neither file of the profile is there, and 4 branches are of no module.
TEST_F(ReportShares, AreOfAllThatWasRecorded) {
  Write(testing::SyntheticProfile());
  const json report = Report();
  EXPECT_EQ(report["taken_branches"], 325) << "with the four of no module";
  EXPECT_EQ(report["outside_modules"]["taken_branches"], 5) << "with one to a module";
  EXPECT_NEAR(Sum(report["functions"], "share"), 1, 1e-9);
  EXPECT_NEAR(Sum(report["functions"], "time_share"), 1, 1e-9);
  EXPECT_NEAR(Sum(report["modules"], "share") + report["outside_modules"]["share"].get<double>(), 1, 1e-9);
  EXPECT_EQ(Row(report, "not_read", "prog")["samples"], 11);
  EXPECT_EQ(Row(report, "not_read", "libx.so")["samples"], 1);
  EXPECT_EQ(Row(report, "unknown", json())["taken_branches"], 5);
}

TEST_F(ReportShares, UnreadCodeHasARowAndTheUnitStays) {
  Write(testing::SyntheticProfile());
  const json row = Row(Report(), "not_read", "prog");
  EXPECT_EQ(row["is_estimate"], true);
  EXPECT_EQ(row["executed_bytes"], 5 * 100 + 8 * 99 + 17 * 100 + 16);
  EXPECT_EQ(row["executed_instructions"], (5 * 100 + 8 * 99 + 17 * 100 + 16) / 4)
      << "nothing was decoded: 4 bytes each";
  const std::string text = Text();
  EXPECT_NE(text.find("(code not read)"), std::string::npos) << text;
  EXPECT_NE(text.find("(generated or unknown code)"), std::string::npos) << text;
  EXPECT_EQ(text.find("bytes"), std::string::npos) << text;
}

TEST_F(ReportShares, GeneratedCodeAloneIsReported) {
  Profile profile = testing::SyntheticProfile();
  profile.branches.clear();
  profile.ranges.clear();
  profile.samples = {{Location{}, 12}};
  profile.sessions[0].counters.lost[static_cast<int>(LossReason::kUnmapped)] = 1000;
  profile.sessions[0].counters.taken_branches = 1000;
  profile.sessions[0].counters.instructions_evaluated = 5000;
  profile.counters = profile.sessions[0].counters;
  Write(profile);
  const json report = Report();
  EXPECT_EQ(report["taken_branches"], 1000);
  ASSERT_EQ(report["functions"].size(), 1u);
  EXPECT_EQ(report["functions"][0]["kind"], "unknown");
  EXPECT_EQ(report["functions"][0]["executed_instructions"], 5000);
  EXPECT_EQ(report["functions"][0]["time_share"], 1.0);
}

// A session whose rate fell: each branch counts four times, and the counters tell of what was recorded.
TEST_F(ReportShares, OfUnknownCodeAreRightWhereCountsHaveAWeight) {
  Profile profile = testing::SyntheticProfile();
  profile.branches.clear();
  profile.ranges.clear();
  profile.samples = {{Location{}, 48}};
  SessionCounters& counters = profile.sessions[0].counters;
  counters.lost[static_cast<int>(LossReason::kUnmapped)] = 4000;
  counters.taken_branches = 1000;
  counters.block_lookups = 0;
  counters.instructions_evaluated = 5000;
  profile.counters = counters;
  Write(profile);
  EXPECT_EQ(Report()["functions"][0]["executed_instructions"], 20000);
}

TEST_F(ReportShares, RowsAreChosenAndOrdered) {
  Write(testing::SyntheticProfile());
  EXPECT_EQ(Report({"--module", "libx"})["functions"].size(), 1u);
  EXPECT_EQ(Report({"--function", "unknown code"})["functions"].size(), 1u);
  EXPECT_EQ(Report({"--min", "50%"})["functions"].size(), 1u);
  EXPECT_EQ(Report({"--sort", "time"})["functions"][0]["module"], "prog");
  EXPECT_EQ(Report({"--sort", "name"})["functions"].back()["kind"], "unknown");
  EXPECT_EQ(Report({"--top", "1"})["functions"].size(), 1u);
  EXPECT_EQ(Report()["branches"].size(), 7u) << "all of them";
  for (const char* wrong : {"--sort=size", "--min=101%", "--min=x", "--min=-1"}) {
    EXPECT_EQ(testing::RunSoftlbr({"report", profile_, wrong}).exit_code, 2) << wrong;
  }
}

TEST_F(ReportShares, CsvHasALineForEachFunction) {
  Write(testing::SyntheticProfile());
  const std::string csv = Text({"--csv"});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4) << csv;
  EXPECT_TRUE(csv.starts_with("function,module,address,samples,time_share,instructions,")) << csv;
  EXPECT_NE(csv.find("\"(code not read)\",\"prog\",,11,0.91"), std::string::npos) << csv;
}

TEST_F(ReportShares, WithoutAFileTheOneThatRecordWritesIsRead) {
  Write(testing::SyntheticProfile());
  std::filesystem::copy_file(profile_, folder_ / "softlbr.slbr");
  for (const char* command : {"report", "stats"}) {
    const testing::CommandResult result = testing::RunCommand(
        {"sh", "-c", "cd \"$1\" && exec \"$2\" \"$3\"", "sh", folder_.path(), testing::SoftlbrPath(), command});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("softlbr.slbr"), std::string::npos) << result.out;
  }
}

TEST_F(ReportShares, ManySessionsAreOneTable) {
  Profile profile = testing::SyntheticProfile();
  for (uint64_t i = 1; i < 100; ++i) {
    profile.sessions.push_back(profile.sessions[0]);
    profile.sessions.back().session_id += i;
  }
  Write(profile);
  const std::string text = Text();
  EXPECT_NE(text.find("100 sessions"), std::string::npos) << text;
  EXPECT_LT(text.find("\nModules"), 3000u) << text;
}

}  // namespace
}  // namespace softlbr::toolchain
