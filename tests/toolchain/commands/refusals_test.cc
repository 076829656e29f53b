// What the commands refuse, and that each refusal names the cause and a remedy that exists.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "platform/base/limits.h"
#include "runtime/trigger/control_message.h"
#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::RunSoftlbr;

class Refusals : public ::testing::Test {
 protected:
  void SetUp() override {
    profile_ = folder_ / "p.slbr";
    ASSERT_EQ(WriteProfileFile(testing::SyntheticProfile(), profile_), "");
  }
  // One line, with `text` in it.
  static void ExpectRefusal(const CommandResult& result, int code, const std::string& text) {
    EXPECT_EQ(result.exit_code, code) << result.out << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  }
  std::string Copy(const std::string& from, const std::string& name) {
    std::filesystem::copy_file(from, folder_ / name);
    return folder_ / name;
  }

  testing::TemporaryFolder folder_;
  std::string profile_;
};

TEST_F(Refusals, AnInputIsNoOutput) {
  const std::string before = testing::ReadFile(profile_);
  for (const char* format : {"bolt", "llvm", "perfscript"}) {
    ExpectRefusal(RunSoftlbr({"convert", "--to", format, profile_, "-o", profile_}), 1,
                  "p.slbr is also the input; name another");
  }
  const std::string link = folder_ / "link";
  std::filesystem::create_symlink(profile_, link);
  ExpectRefusal(RunSoftlbr({"convert", "--to", "bolt", link, "-o", profile_}), 1,
                "is also the input " + link + "; name another");
  EXPECT_EQ(testing::ReadFile(profile_), before);
  EXPECT_EQ(RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", "/dev/null"}).exit_code, 0);

  const std::string program = Copy("/proc/self/exe", "program");
  const auto size = std::filesystem::file_size(program);
  ExpectRefusal(RunSoftlbr({"convert", "--to", "bolt", profile_, "-b", program, "-o", program}), 1,
                "is also the input");
  ExpectRefusal(RunSoftlbr({"optimize", "--work", folder_ / "work", "-o", program, "--", program}), 1,
                "is also the input");
  EXPECT_EQ(std::filesystem::file_size(program), size);

  const std::string key = folder_ / "key";
  testing::WriteFile(key, std::string(64, 'k'));
  ExpectRefusal(RunSoftlbr({"request", "--key", key, "--app", "a", "-o", key}), 1, "is also the input");
  EXPECT_EQ(testing::ReadFile(key), std::string(64, 'k'));
}

TEST_F(Refusals, RecordDoesNotReplaceItsProgram) {
  const std::string program = Copy("/proc/self/exe", "program");
  const auto size = std::filesystem::file_size(program);
  ExpectRefusal(RunSoftlbr({"record", "-o", program, "--", program, "--gtest_list_tests"}), 1, "is also the input");
  EXPECT_EQ(std::filesystem::file_size(program), size);
}

TEST_F(Refusals, AProgramThatWasBuiltAgainIsNamedAsAnotherBuild) {
  const auto says = [](const std::string& text) { return text.find("/prog is another build (") != std::string::npos; };
  EXPECT_FALSE(says(RunSoftlbr({"report", profile_}).out));
  Copy("/proc/self/exe", "prog");  // beside the profile
  const CommandResult report = RunSoftlbr({"report", profile_});
  EXPECT_TRUE(says(report.out)) << report.out;
  EXPECT_NE(report.out.find("keep the file that ran, or name it with -b"), std::string::npos) << report.out;
  const CommandResult converted = RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", "/dev/null"});
  EXPECT_EQ(converted.exit_code, 0);
  EXPECT_TRUE(says(converted.err)) << converted.err;
  const CommandResult all = RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", folder_ / "all/"});
  EXPECT_TRUE(says(all.err)) << all.err;
  const CommandResult mix = RunSoftlbr({"mix", profile_});
  ExpectRefusal(mix, 1, "is another build (");
}

TEST_F(Refusals, AProfileWithoutABranchSaysSo) {
  Profile empty = testing::SyntheticProfile();
  empty.branches.clear();
  empty.ranges.clear();
  empty.traces.clear();
  for (ProfileModule& module : empty.modules) module.is_main = false;
  ASSERT_EQ(WriteProfileFile(empty, profile_), "");
  ExpectRefusal(RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", "-"}), 1,
                "4 taken branches were recorded, all in code of no");
  empty.sessions[0].counters.lost[static_cast<int>(LossReason::kUnmapped)] = 0;
  ASSERT_EQ(WriteProfileFile(empty, profile_), "");
  ExpectRefusal(RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", "-"}), 1, "holds no taken branch");
  ExpectRefusal(RunSoftlbr({"convert", "--to", "bolt", profile_, "-b", "other", "-o", "-"}), 1,
                "holds no taken branch");
}

TEST_F(Refusals, AMissingInterpreterIsNamed) {
  const std::string script = folder_ / "script";
  testing::WriteFile(script, "#! /nowhere/perl -w\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ExpectRefusal(RunSoftlbr({"record", "--", script}), 127, "script: its interpreter /nowhere/perl is not there");
  testing::WriteFile(script, "#!/bin/sh\r\nexit 0\r\n");
  ExpectRefusal(RunSoftlbr({"record", "--", script}), 127, "its interpreter /bin/sh\\x0d is not there");
}

// optimize has no -b. The blanks keep a folder whose random name begins with b from being taken for it.
TEST_F(Refusals, OptimizeAdvisesNoOptionThatItLacks) {
  if (!testing::HasProgram("cc") || !testing::HasProgram("strip")) GTEST_SKIP() << "missing: cc and strip";
  const std::string program = folder_ / "stripped";
  testing::WriteFile(folder_ / "a.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(testing::RunCommand({"cc", "-s", "-Wl,--build-id", "-o", program, folder_ / "a.c"}).exit_code, 0);
  const CommandResult result = RunSoftlbr({"optimize", "--work", folder_ / "work", "--step", "check", "--", program});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("is stripped"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("link without -s"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(" -b "), std::string::npos) << result.err;
}

TEST_F(Refusals, AnOptionBeforeTheCommandIsNamed) {
  ExpectRefusal(RunSoftlbr({"--foo"}), 2, "--foo: no such option of softlbr itself; a command comes first");
  ExpectRefusal(RunSoftlbr({"--json", "stats", profile_}), 2, "--json: no such option of softlbr itself");
  EXPECT_EQ(RunSoftlbr({"-h"}).exit_code, 0);
}

// What the runtime would refuse after the program has run is refused before.
TEST_F(Refusals, NumbersAreThoseThatTheRuntimeTakes) {
  const auto takes = [](uint64_t period, uint64_t frequency_hz, uint32_t branches) {
    StartRequest start{};
    start.period = period;
    start.frequency_hz = frequency_hz;
    start.branches = branches;
    return IsStartInRange(start);
  };
  const uint64_t period = uint64_t{1} << 62;
  ASSERT_TRUE(takes(0, 100000, 0) && takes(period, 0, 0) && takes(0, 0, kMaxBranchesPerTrace));
  ASSERT_FALSE(takes(0, 100001, 0) || takes(period + 1, 0, 0) || takes(0, 0, kMaxBranchesPerTrace + 1));
  const auto run = [this](const std::string& option, uint64_t value) {
    return RunSoftlbr(
        {"record", "-q", "-o", folder_ / "r.slbr", "-e", "thread-timer", option, std::to_string(value), "--", "true"});
  };
  EXPECT_EQ(run("-F", 100000).exit_code, 0);
  EXPECT_EQ(run("-c", period).exit_code, 0);
  EXPECT_EQ(run("--branches", kMaxBranchesPerTrace).exit_code, 0);
  ExpectRefusal(run("-F", 100001), 2, "100000");
  ExpectRefusal(run("-c", period + 1), 2, "period");
  ExpectRefusal(run("--branches", kMaxBranchesPerTrace + 1), 2, "branches");
}

TEST_F(Refusals, ASumMayReplaceOneOfItsProfiles) {
  Profile other = testing::SyntheticProfile();
  other.sessions[0].session_id = 7;
  ASSERT_EQ(WriteProfileFile(other, folder_ / "q.slbr"), "");
  ASSERT_EQ(RunSoftlbr({"merge", "-o", profile_, profile_, folder_ / "q.slbr"}).exit_code, 0);
  EXPECT_EQ(std::get<Profile>(ReadProfileFile(profile_)).sessions.size(), 2u);
}

TEST_F(Refusals, DoctorWithoutLibrariesCannotRecord) {
  const CommandResult result = RunSoftlbr({"doctor"}, {"SOFTLBR_LIBDIR=" + folder_.path()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("SOFTLBR_LIBDIR"), std::string::npos);
  EXPECT_NE(result.out.find("Recording is not possible"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::toolchain
