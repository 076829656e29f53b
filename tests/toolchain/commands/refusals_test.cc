// What the commands refuse, and that each refusal names the cause and a remedy that exists.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

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
    ExpectRefusal(RunSoftlbr({"convert", "--to", format, profile_, "-o", profile_}), 1, "p.slbr is also the input; name another");
  }
  const std::string link = folder_ / "link";
  std::filesystem::create_symlink(profile_, link);
  ExpectRefusal(RunSoftlbr({"convert", "--to", "bolt", link, "-o", profile_}), 1, "is also the input " + link + "; name another");
  EXPECT_EQ(testing::ReadFile(profile_), before);
  EXPECT_EQ(RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", "/dev/null"}).exit_code, 0);

  const std::string program = Copy("/proc/self/exe", "program");
  const auto size = std::filesystem::file_size(program);
  ExpectRefusal(RunSoftlbr({"convert", "--to", "bolt", profile_, "-b", program, "-o", program}), 1, "is also the input");
  ExpectRefusal(RunSoftlbr({"merge", "-b", program, "-o", program, profile_}), 1, "is also the input");
  ExpectRefusal(RunSoftlbr({"optimize", "--work", folder_ / "work", "-o", program, "--", program}), 1, "is also the input");
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

TEST_F(Refusals, ASumMayReplaceOneOfItsProfiles) {
  Profile other = testing::SyntheticProfile();
  other.sessions[0].session_id = 7;
  ASSERT_EQ(WriteProfileFile(other, folder_ / "q.slbr"), "");
  ASSERT_EQ(RunSoftlbr({"merge", "-o", profile_, profile_, folder_ / "q.slbr"}).exit_code, 0);
  EXPECT_EQ(std::get<Profile>(ReadProfileFile(profile_)).sessions.size(), 2u);
}

}  // namespace
}  // namespace softlbr::toolchain
