// `softlbr merge` of many uploads: the same bytes for any order and grouping, and what is left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_uploads.h"
#include "toolchain/base/failure.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::RunSoftlbr;
using testing::SyntheticUpload;
using testing::UploadShape;

class MergeUploads : public ::testing::Test {
 protected:
  std::string Write(const Profile& profile, const std::string& name) {
    EXPECT_EQ(WriteProfileFile(profile, folder_ / name), "");
    return folder_ / name;
  }
  std::string Sum(const std::vector<std::string>& paths, const std::string& name = "sum.slbr") {
    std::vector<std::string> arguments = {"merge", "-o", folder_ / name};
    arguments.insert(arguments.end(), paths.begin(), paths.end());
    const CommandResult result = RunSoftlbr(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return folder_ / name;
  }
  uint64_t SessionsIn(const std::string& path) {
    return nlohmann::json::parse(RunSoftlbr({"stats", "--json", path}).out)["sessions"].size();
  }

  testing::TemporaryFolder folder_;
};

// Uploads that differ in their modules, names and order of modules, of which some have traces and some are parts of one
// session.
std::vector<Profile> DifferentUploads() {
  std::vector<Profile> uploads;
  for (uint64_t i = 0; i < 7; ++i) {
    UploadShape shape;
    shape.traces = 20 + 10 * i;
    Profile upload = SyntheticUpload(i == 6 ? 3 : i, shape);
    upload.modules[0].name = i % 2 == 0 ? "prog" : "an/other/prog";
    if (i % 3 == 1) {
      upload.modules.push_back(upload.modules[1]);
      upload.modules[2].build_id = {static_cast<uint8_t>(i)};
      upload.modules[2].name = "plugin";
      upload.branches.push_back({{2, 0x1010}, {0, 0x2000}, i});
    }
    if (i % 3 == 2) {
      std::swap(upload.modules[0], upload.modules[1]);
      for (BranchCount& row : upload.branches) row.from.module = row.to.module = 1;
      for (RangeCount& row : upload.ranges) row.module = 1;
      for (SampleCount& row : upload.samples) row.pc.module = 1;
    }
    for (uint64_t trace = 0; trace < i % 4; ++trace) {
      upload.traces.push_back({static_cast<uint32_t>(trace), upload.samples[0].pc, AbortReason::kNone, {}});
      upload.traces.back().branches.emplace_back(upload.branches[trace].from, upload.branches[trace].to);
    }
    if (i == 6) upload.sessions[0].program = "prog";
    uploads.push_back(upload);
  }
  return uploads;
}

TEST_F(MergeUploads, GivesTheSameBytesForAnyOrderAndGrouping) {
  std::vector<std::string> paths;
  for (const Profile& upload : DifferentUploads())
    paths.push_back(Write(upload, std::to_string(paths.size()) + ".slbr"));
  const std::string expected = testing::ReadFile(Sum(paths));
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(std::get<Profile>(ReadProfileFile(folder_ / "sum.slbr")).whole_traces, 0 + 1 + 2 + 3 + 0 + 1 + 2);
  std::mt19937_64 random(3);
  for (int round = 0; round < 8; ++round) {
    std::shuffle(paths.begin(), paths.end(), random);
    EXPECT_EQ(testing::ReadFile(Sum(paths)), expected) << round;
    const auto cut = static_cast<std::ptrdiff_t>(1 + random() % (paths.size() - 1));
    const std::string a = Sum({paths.begin(), paths.begin() + cut}, "a.slbr");
    const std::string b = Sum({paths.begin() + cut, paths.end()}, "b.slbr");
    EXPECT_EQ(testing::ReadFile(Sum({b, a})), expected) << round << ", after " << cut;
  }
  EXPECT_EQ(testing::ReadFile(Sum({folder_ / "sum.slbr"}, "again.slbr")), expected);
}

TEST_F(MergeUploads, NamesCorruptUploadsAndLeavesThemOut) {
  std::vector<std::string> arguments = {"merge", "-o", folder_ / "sum.slbr"};
  for (uint64_t i = 0; i < 5; ++i) arguments.push_back(Write(SyntheticUpload(i), std::to_string(i) + ".slbr"));
  const std::string whole = testing::ReadFile(folder_ / "0.slbr");
  testing::WriteFile(folder_ / "cut.slbr", whole.substr(0, 20));
  testing::WriteFile(folder_ / "text.slbr", "<html>502 Bad Gateway</html>\n");
  testing::WriteFile(folder_ / "empty.slbr", "");
  std::string flipped = whole;
  for (size_t i = 60; i < flipped.size(); i += 50) flipped[i] = static_cast<char>(flipped[i] ^ 4);
  testing::WriteFile(folder_ / "flipped.slbr", flipped);
  const std::string expected = testing::ReadFile(Sum({arguments.begin() + 3, arguments.end()}, "expected.slbr"));
  for (const char* bad : {"cut", "text", "empty", "flipped"})
    arguments.insert(arguments.begin() + 4, folder_ / (std::string(bad) + ".slbr"));
  const CommandResult result = RunSoftlbr(arguments);
  EXPECT_EQ(result.exit_code, kExitLeftOut) << result.err;
  for (const char* bad : {"cut", "text", "empty", "flipped"}) {
    EXPECT_NE(result.err.find("left out: " + folder_.path() + "/" + bad + ".slbr: "), std::string::npos) << bad << '\n'
                                                                                                         << result.err;
  }
  EXPECT_TRUE(result.err.ends_with("softlbr: merged 5 of 9 profiles; left out: 4 unreadable\n")) << result.err;
  EXPECT_EQ(testing::ReadFile(folder_ / "sum.slbr"), expected);
}

TEST_F(MergeUploads, WritesNothingIfEveryUploadIsCorrupt) {
  testing::WriteFile(folder_ / "a.slbr", "a");
  testing::WriteFile(folder_ / "b.slbr", "b");
  const CommandResult result =
      RunSoftlbr({"merge", "-o", folder_ / "sum.slbr", folder_ / "a.slbr", folder_ / "b.slbr"});
  EXPECT_EQ(result.exit_code, kExitFailure);
  EXPECT_NE(result.err.find("no profile is left to merge"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "sum.slbr"));
}

TEST_F(MergeUploads, NamesOutliersAndLeavesThemOut) {
  std::filesystem::create_directory(folder_ / "uploads");
  for (uint64_t i = 0; i < 12; ++i) Write(SyntheticUpload(i), "uploads/" + std::to_string(100 + i) + ".slbr");
  const std::string expected = testing::ReadFile(Sum({folder_ / "uploads"}, "expected.slbr"));
  UploadShape elsewhere;
  elsewhere.first_loop = 5000;
  Write(SyntheticUpload(50, elsewhere), "uploads/105a.slbr");
  const CommandResult result = RunSoftlbr({"merge", "-o", folder_ / "sum.slbr", folder_ / "uploads"});
  EXPECT_EQ(result.exit_code, kExitLeftOut) << result.err;
  EXPECT_NE(result.err.find("105a.slbr: unlike the other profiles of its build"), std::string::npos) << result.err;
  EXPECT_TRUE(result.err.ends_with("softlbr: merged 12 of 13 profiles; left out: 1 unlike the rest of their build\n"))
      << result.err;
  EXPECT_EQ(testing::ReadFile(folder_ / "sum.slbr"), expected);

  const CommandResult kept = RunSoftlbr({"merge", "--keep-outliers", "-o", folder_ / "all.slbr", folder_ / "uploads"});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_EQ(SessionsIn(folder_ / "all.slbr"), 13u);
}

// Of upload i, arm A for even i, B for odd.
TEST_F(MergeUploads, KeepTheLabelsOfEachSession) {
  std::vector<std::string> paths;
  for (uint64_t i = 0; i < 5; ++i) {
    Profile upload = SyntheticUpload(i, UploadShape{});
    upload.sessions[0].labels = {{"arm", i % 2 == 0 ? "A" : "B"}, {"app_version", "1.2"}};
    paths.push_back(Write(upload, "upload" + std::to_string(i)));
  }
  std::vector<std::string> arguments = {"merge", "-o", folder_ / "sum.slbr"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  const CommandResult all = RunSoftlbr(arguments);
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_NE(all.err.find("the sessions differ in labels: arm (A in 3, B in 2)."), std::string::npos) << all.err;
  const auto stats = nlohmann::json::parse(RunSoftlbr({"stats", "--json", folder_ / "sum.slbr"}).out);
  EXPECT_EQ(stats["labels"], (nlohmann::json{{"app_version", "1.2"}, {"arm", nullptr}}));
  EXPECT_EQ(stats["sessions"][0]["labels"]["app_version"], "1.2");
  // Each arm by itself, in any order of the files.
  const auto arm = [&](const std::string& value, const std::string& name) {
    std::vector<std::string> one = {"merge", "-o", folder_ / name, "--label", "arm=" + value};
    one.insert(one.end(), paths.begin(), paths.end());
    return RunSoftlbr(one);
  };
  const CommandResult of_b = arm("B", "b.slbr");
  EXPECT_EQ(of_b.exit_code, 0) << of_b.err;
  EXPECT_NE(of_b.err.find("took the 2 of 5 profiles whose sessions have arm=B"), std::string::npos) << of_b.err;
  EXPECT_EQ(SessionsIn(folder_ / "b.slbr"), 2u);
  std::reverse(paths.begin(), paths.end());
  EXPECT_EQ(arm("B", "again.slbr").exit_code, 0);
  EXPECT_EQ(testing::ReadFile(folder_ / "b.slbr"), testing::ReadFile(folder_ / "again.slbr"));
  EXPECT_EQ(testing::ReadFile(Sum({paths[1], paths[3]}, "two.slbr")), testing::ReadFile(folder_ / "b.slbr"));
  const CommandResult none = arm("C", "c.slbr");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_NE(none.err.find("no profile with arm=C"), std::string::npos) << none.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c.slbr"));
  const CommandResult mixed =
      RunSoftlbr({"merge", "-o", folder_ / "c.slbr", "--label", "arm=A", folder_ / "sum.slbr", paths[0]});
  EXPECT_EQ(mixed.exit_code, 0) << mixed.err;
  EXPECT_NE(mixed.err.find("only some of its sessions have arm=A"), std::string::npos) << mixed.err;
}

}  // namespace
}  // namespace softlbr::toolchain
