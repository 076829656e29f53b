// What `softlbr record` advises for programs that nothing can be preloaded into: linked or built otherwise, or started
// by who has the program's rights, they are recorded.
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>

#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/record/record_remedies.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::RunCommand;
using testing::WordBehind;
using testing::Words;
using testing::WordsBehind;

class ProgramRemedies : public testing::RecordRemedies {
 protected:
  // Builds the program with the archive, function and header that the message names, and runs it by itself.
  void ExpectRecordsItself(const std::string& message, const Words& options, unsigned mode) {
#ifdef SOFTLBR_ARCHIVES
    const std::string header = WordBehind(message, WordBehind(message, "call ") + " (");
    const std::string source = folder_ / "session.c";
    testing::WriteFile(source, "#include <" + header + R"(>
#include <fcntl.h>
#include <softlbr/decoders.h>
#include <stdlib.h>
static void End(void) { softlbr_stop(); }
__attribute__((constructor)) static void Begin(void) {
  struct softlbr_options options = {.struct_size = sizeof options, .frequency_hz = 997};
  options.sink_fd = open(getenv("PROFILE"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  if ()" + WordBehind(message, "call ") +
                                   R"((&options) != SOFTLBR_OK) exit(9);
  atexit(End);
}
)");
    Words link = {source, "-I" SOFTLBR_PROJECT_FOLDER "/runtime/include",
                  SOFTLBR_ARCHIVES "/" + WordBehind(message, "link ")};
    link.insert(link.end(), options.begin(), options.end());
    ASSERT_TRUE(Build("gcc", link)) << link.back();
    if (mode != 0) GiveTo(kOther, kOther, mode);
    std::filesystem::remove(profile_);
    ExpectRecorded(RunCommand({program_, "40"}, {"PROFILE=" + profile_}));
#else
    (void)message, (void)options, (void)mode;
#endif
  }

  static constexpr unsigned kOther = 65534;  // a user and a group that no file has: nobody
  void GiveTo(unsigned user, unsigned group, unsigned mode) {
    ASSERT_EQ(chown(program_.c_str(), user, group), 0);
    ASSERT_EQ(chmod(program_.c_str(), mode), 0);  // after chown, which takes these bits away
  }
  // False, with the reason, where this machine does not permit to be somebody else.
  static std::string WhyNoOthers(const std::string& program) {
    if (getuid() != 0) return "missing: root, who may be anybody";
    if (!HasProgram(program)) return "missing: " + program;
    const std::string id = std::to_string(kOther);
    if (RunCommand({"setpriv", "--reuid", id, testing::SoftlbrPath(), "--version"}).exit_code != 0) {
      return "missing: setpriv, or a build that other users may execute";
    }
    return "";
  }
  // `record` in the words of a shell, for programs that start it.
  Words RecordCommand() const {
    return {testing::SoftlbrPath(), "record", "-e", "thread-timer", "-o", profile_, "--", program_, "20"};
  }
  CommandResult RecordBy(Words starter) {
    const Words command = RecordCommand();
    starter.insert(starter.end(), command.begin(), command.end());
    std::filesystem::remove(profile_);
    EXPECT_EQ(chmod(folder_.path().c_str(), 0777), 0);
    return RunCommand(starter);
  }
};

TEST_F(ProgramRemedies, AStaticProgramIsLinkedDynamicallyOrRecordsItself) {
  if (!Build("gcc", {"-static"})) GTEST_SKIP() << "missing: a static libc";
  const CommandResult refused = Record({program_, "20"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("or link it dynamically"), std::string::npos) << refused.err;
  ExpectRecordsItself(refused.err, {"-static"}, 0);
  ASSERT_TRUE(Build("gcc", {}));
  ExpectRecorded(Record({program_, "20"}));
}

TEST_F(ProgramRemedies, AProgramOfAnotherUserIsRecordedAsThatUserOrRecordsItself) {
  if (const std::string why = WhyNoOthers("setpriv"); !why.empty()) GTEST_SKIP() << why;
  ASSERT_TRUE(Build("gcc", {}));
  GiveTo(kOther, 0, 04755);
  const CommandResult refused = RecordBy({});
  EXPECT_EQ(refused.exit_code, 1);
  ExpectRecorded(RecordBy({"setpriv", "--reuid", WordBehind(refused.err, "record it as user ")}));
  ExpectRecordsItself(refused.err, {}, 04755);
}

TEST_F(ProgramRemedies, AProgramOfAnotherGroupIsRecordedWithThatGroup) {
  if (const std::string why = WhyNoOthers("sg"); !why.empty()) GTEST_SKIP() << why;
  if (getgrgid(kOther) == nullptr) GTEST_SKIP() << "missing: a name of group 65534";
  ASSERT_TRUE(Build("gcc", {}));
  GiveTo(0, kOther, 02755);
  const CommandResult refused = RecordBy({});
  EXPECT_EQ(refused.exit_code, 1);
  const std::string group = WordBehind(refused.err, "record it as group ");
  std::string command;
  for (const std::string& word : RecordCommand()) command += "'" + word + "' ";
  ExpectRecorded(RunCommand({WordBehind(refused.err, group + " ("), group, "-c", command}));
}

TEST_F(ProgramRemedies, AProgramWithCapabilitiesIsRecordedByRoot) {
  if (const std::string why = WhyNoOthers("setpriv"); !why.empty()) GTEST_SKIP() << why;
  ASSERT_TRUE(Build("gcc", {}));
  vfs_cap_data capabilities = {};
  capabilities.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  capabilities.data[0].permitted = 1u << CAP_NET_BIND_SERVICE;
  if (setxattr(program_.c_str(), "security.capability", &capabilities, sizeof capabilities, 0) != 0) {
    GTEST_SKIP() << "missing: a file system with capabilities";
  }
  const CommandResult refused = RecordBy({"setpriv", "--reuid", std::to_string(kOther)});
  EXPECT_EQ(refused.exit_code, 1);
  ExpectRecorded(RecordBy({"setpriv", "--reuid", WordBehind(refused.err, "record it as user ")}));
}

TEST_F(ProgramRemedies, AGoProgramIsBuiltWithTheCLibrary) {
  if (!HasProgram("go")) GTEST_SKIP() << "missing: go";
  const std::string source = folder_ / "program.go";
  testing::WriteFile(source, R"(package main

//go:noinline
func work(steps int) int {
	sum := 0
	for i := 0; i < steps; i++ {
		if i*7%3 == 1 {
			sum += i
		} else {
			sum ^= i
		}
	}
	return sum
}

func main() { println(work(200000000)) }
)");
  const auto build = [&](const std::string& setting, const Words& flags) {
    Words command = {"go", "build"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-o", program_, source});
    const CommandResult built = RunCommand(
        command, {setting, "HOME=" + folder_.path(), "GOCACHE=" + (folder_ / "cache"), "GOFLAGS", "GOPROXY=off"});
    EXPECT_EQ(built.exit_code, 0) << built.err;
    return built.exit_code == 0;
  };
  ASSERT_TRUE(build("CGO_ENABLED=0", {}));
  const CommandResult refused = Record({program_});
  EXPECT_EQ(refused.exit_code, 1) << refused.err;
  const Words advised = WordsBehind(refused.err, "build it with ");
  ASSERT_EQ(advised.size(), 3u) << refused.err;
  EXPECT_EQ(advised[1], "and");
  ASSERT_TRUE(build(advised[0], {advised[2]}));
  ExpectRecorded(Record({program_}), "main.work");
}

}  // namespace
}  // namespace softlbr::toolchain
