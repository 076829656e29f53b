// Remedies for what the machine, its limits or another program refuse: each is done in the words of the message, and
// the result is looked at.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/record/record_remedies.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::HasProgram;
using testing::RunCommand;
using testing::RunSoftlbr;
using testing::WordBehind;
using testing::Words;
using testing::WordsBehind;

class MachineRemedies : public testing::RecordRemedies {
 protected:
  void SetUp() override {
    RecordRemedies::SetUp();
    if (!IsSkipped()) {
      ASSERT_TRUE(Build("gcc", {}));
    }
  }
  // `softlbr` with these arguments below another command.
  CommandResult Below(Words command, const Words& arguments, const Words& environment = {}) {
    command.push_back(testing::SoftlbrPath());
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunCommand(command, environment);
  }
  Words RecordArguments(const std::string& steps = "30") {
    return {"record", "-e", "thread-timer", "-o", profile_, "--", program_, steps};
  }
  // One check of doctor.
  json Check(const CommandResult& doctor, const std::string& name) {
    const json said = json::parse(doctor.out);
    for (const json& check : said["checks"]) {
      if (check["name"] == name) return check;
    }
    ADD_FAILURE() << "no check of " << name;
    return {{"state", ""}, {"finding", ""}, {"remedy", ""}};
  }
  std::string LibraryFolder() {
    const json preload = Check(RunSoftlbr({"doctor", "--json"}), "preload library");
    return std::filesystem::path(preload["finding"].get<std::string>()).parent_path().string();
  }
};

TEST_F(MachineRemedies, FreeSpaceOrAFileElsewhereTakesTheProfile) {
  const std::string full = folder_ / "full";
  std::filesystem::create_directory(full);
  // A small file system in a name space of its own; later commands follow the first one there.
  const std::string script =
      "mount -t tmpfs -o size=64k none \"$1\" && head -c 65536 /dev/zero > \"$1/fill\" || exit 99\n"
      "\"$0\" record -e thread-timer -o \"$1/p.slbr\" -- \"$2\" 30 2> \"$3/refused\"; echo $? > \"$3/code\"\n"
      "\"$0\" record -e thread-timer -o \"$3/elsewhere.slbr\" -- \"$2\" 30 || exit 98\n"
      "rm \"$1/fill\"; \"$0\" record -e thread-timer -o \"$1/p.slbr\" -- \"$2\" 30 && cp \"$1/p.slbr\" \"$3/p.slbr\"";
  const CommandResult result =
      RunCommand({"unshare", "-rm", "sh", "-c", script, testing::SoftlbrPath(), full, program_, folder_.path()});
  if (result.exit_code == 99 || result.err.starts_with("unshare"))
    GTEST_SKIP() << "missing: mounts of one's own: " << result.err;
  const std::string refused = testing::ReadFile(folder_ / "refused");
  EXPECT_EQ(testing::ReadFile(folder_ / "code"), "1\n") << refused;
  EXPECT_NE(refused.find("free space there, or name a file elsewhere with -o"), std::string::npos) << refused;
  ExpectRecorded(result);
  profile_ = folder_ / "elsewhere.slbr";
  ExpectRecorded(result);
}

TEST_F(MachineRemedies, AsManyDescriptorsAsDoctorAsksForAreEnough) {
  const CommandResult few = Below({"sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\""}, {"doctor", "--json"});
  const json check = Check(few, "file descriptors");
  ASSERT_EQ(check["state"], "weaker") << few.out;
  const Words words = WordsBehind(check["remedy"], "raise `");  // ulimit -n` to 1024
  ASSERT_EQ(words.size(), 4u) << check;
  const std::string raise = words[0] + " " + words[1].substr(0, words[1].find('`')) + " " + words[3];
  const CommandResult more = Below({"sh", "-c", raise + " && exec \"$0\" \"$@\""}, {"doctor", "--json"});
  if (more.out.empty()) GTEST_SKIP() << "missing: the right to so many descriptors: " << more.err;
  EXPECT_EQ(Check(more, "file descriptors")["state"], "ok") << more.out;
}

TEST_F(MachineRemedies, ALargerLimitOfProcessesLetsASessionStart) {
  if (geteuid() != 0 || !HasProgram("setpriv") || !HasProgram("prlimit")) {
    GTEST_SKIP() << "missing: root, to become a user of its own, setpriv and prlimit";
  }
  chmod(folder_.path().c_str(), 0777);
  const Words user = {"setpriv", "--reuid", "54321", "--clear-groups", "sh", "-c"};
  const auto limited = [&](const std::string& limit) {
    Words command = user;
    command.push_back(limit + "; exec \"$0\" \"$@\"");
    return Below(command, RecordArguments());
  };
  // bash and dash name this limit differently.
  const std::string option = RunCommand({"sh", "-c", "ulimit -u"}).exit_code == 0 ? "-u" : "-p";
  const CommandResult none = limited("ulimit " + option + " 2");
  ASSERT_NE(none.exit_code, 0) << none.err;
  EXPECT_NE(none.err.find("the limit of processes is reached (ulimit -u"), std::string::npos) << none.err;
  ExpectRecorded(limited("ulimit " + option + " 20"));
}

TEST_F(MachineRemedies, TheSettingThatDoctorNamesPermitsEvents) {
  if (!HasProgram("setpriv")) GTEST_SKIP() << "missing: setpriv";
  const Words user = {"setpriv", "--reuid", "54321", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"};
  const json check = Check(Below(user, {"doctor", "--json"}), "perf_event_paranoid");
  if (check["state"] != "weaker")
    GTEST_SKIP() << "missing: a machine that refuses perf events to users: " << check["finding"];
  const Words words = WordsBehind(check["remedy"], "sysctl ");
  const std::string before =
      check["finding"].get<std::string>().substr(0, check["finding"].get<std::string>().find(' '));
  if (RunCommand({"sysctl", "-w", words[0]}).exit_code != 0)
    GTEST_SKIP() << "missing: the right to change " << words[0];
  EXPECT_EQ(Check(Below(user, {"doctor", "--json"}), "perf_event_paranoid")["state"], "ok");
  RunCommand({"sysctl", "-w", "kernel.perf_event_paranoid=" + before});
}

TEST_F(MachineRemedies, WithoutTheTracerAProgramIsRecorded) {
  if (!HasProgram("strace")) GTEST_SKIP() << "missing: strace";
  const CommandResult plain = RunCommand({"strace", "-f", "-o", "/dev/null", "true"});
  if (plain.exit_code != 0) GTEST_SKIP() << "missing: the right to trace: " << plain.err;
  const CommandResult traced = Record({"strace", "-f", "-o", "/dev/null", program_, "30"});
  ASSERT_EQ(WordsBehind(traced.err, "record without "), (Words{"the", "tracer"})) << traced.err;
  const CommandResult alone = Record({program_, "30"});
  ExpectRecorded(alone);
  EXPECT_EQ(alone.err.find("tracer"), std::string::npos) << alone.err;
}

TEST_F(MachineRemedies, BreakpointsAreThereWithoutTheTracer) {
  if (!HasProgram("strace")) GTEST_SKIP() << "missing: strace";
  const CommandResult traced = Below({"strace", "-f", "-o", "/dev/null"}, {"doctor", "--json"});
  if (traced.out.empty()) GTEST_SKIP() << "missing: the right to trace: " << traced.err;
  const json check = Check(traced, "debugger");
  EXPECT_EQ(check["state"], "weaker") << check;
  EXPECT_NE(check["remedy"].get<std::string>().find("record without it"), std::string::npos) << check;
  EXPECT_EQ(Check(RunSoftlbr({"doctor", "--json"}), "debugger")["state"], "ok");
}

class TrapTakers : public MachineRemedies, public ::testing::WithParamInterface<const char*> {};

TEST_P(TrapTakers, WithoutWhatTheMessageNamesTheProgramIsRecorded) {
  const CommandResult taken = Record({SOFTLBR_TRAP_TAKER, GetParam()});
  const size_t advice = taken.err.find("; record without ");
  ASSERT_NE(advice, std::string::npos) << taken.err;
  const std::string what = taken.err.substr(advice, taken.err.find('\n', advice) - advice);
  EXPECT_NE(what.find(std::string(GetParam()) == "block" ? "blocking that signal" : "that handler"), std::string::npos)
      << what;
  ExpectRecorded(Record({SOFTLBR_TRAP_TAKER}), "main");
}

#if defined(__x86_64__)
INSTANTIATE_TEST_SUITE_P(Ways, TrapTakers, ::testing::Values("block", "replace"));
#else
INSTANTIATE_TEST_SUITE_P(Ways, TrapTakers, ::testing::Values("block"));
#endif

TEST_F(MachineRemedies, TheLimitsThatAreNamedAreAccepted) {
  for (const auto& [option, beyond] : {std::pair<const char*, const char*>{"-F", "100001"},
                                       {"-c", "9223372036854775807"},
                                       {"--branches", "100000"},
                                       {"--max-overhead", "1000%"}}) {
    const CommandResult refused = Record({program_, "30"}, {option, beyond});
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    const CommandResult largest = Record({program_, "30"}, {option, WordBehind(refused.err, " to ")});
    EXPECT_EQ(largest.exit_code, 0) << option << ": " << largest.err;
  }
  const CommandResult refused = Record({program_, "30"}, {"-F", "0"});
  ExpectRecorded(Record({program_, "30"}, {"-F", "997"}));
  const CommandResult smallest = Record({program_, "30"}, {"-F", WordBehind(refused.err, "in range ")});
  EXPECT_EQ(smallest.exit_code, 0) << smallest.err;
}

TEST_F(MachineRemedies, LibrariesInAFolderThatMayExecuteAreLoaded) {
  const std::string noexec = folder_ / "noexec", other = folder_ / "other";
  std::filesystem::create_directory(noexec);
  std::filesystem::create_directory(other);
  const std::string script =
      "mount -t tmpfs -o noexec none \"$1\" && cp \"$4\"/libsoftlbr_*.so \"$1\" && cp \"$4\"/libsoftlbr_*.so \"$5\" || "
      "exit 99\n"
      "SOFTLBR_LIBDIR=\"$1\" \"$0\" record -e thread-timer -o \"$3/p.slbr\" -- \"$2\" 30 2> \"$3/refused\" && exit 98\n"
      "variable=$(sed -n 's/.*name another folder in \\([A-Z_]*\\).*/\\1/p' \"$3/refused\")\n"
      "exec env \"$variable=$5\" \"$0\" record -e thread-timer -o \"$3/p.slbr\" -- \"$2\" 30";
  const CommandResult result = RunCommand({"unshare", "-rm", "sh", "-c", script, testing::SoftlbrPath(), noexec,
                                           program_, folder_.path(), LibraryFolder(), other});
  if (result.exit_code == 99 || result.err.starts_with("unshare"))
    GTEST_SKIP() << "missing: mounts of one's own: " << result.err;
  ExpectRecorded(result);
}

// The tool that is missing is a file of the package that the message names, as far as that is installed.
struct MissingTool {
  const char* name;
  Words command;
};
void PrintTo(const MissingTool& tool, std::ostream* out) { *out << tool.name; }

class PackageRemedies : public MachineRemedies, public ::testing::WithParamInterface<MissingTool> {};

TEST_P(PackageRemedies, HaveTheToolThatIsMissing) {
  if (!HasProgram("dpkg")) GTEST_SKIP() << "missing: dpkg";
  ASSERT_TRUE(Build("gcc", {"-Wl,--emit-relocs", "-Wl,--build-id"}));
  Words command = GetParam().command;
  command.insert(command.begin(), "optimize");
  command.insert(command.end(), {"--work", folder_ / "work", "--", program_, "30"});
  const CommandResult refused = RunSoftlbr(command, {"PATH=" + folder_.path()});
  EXPECT_EQ(refused.exit_code, 1) << refused.err;
  const size_t end = refused.err.find(" was not found in PATH");
  ASSERT_NE(end, std::string::npos) << refused.err;
  const size_t start = refused.err.rfind(' ', end - 1) + 1;
  const std::string tool = refused.err.substr(start, end - start);
  const std::string package = WordBehind(refused.err, "apt-get install ");
  const size_t dash = package.rfind('-');
  ASSERT_NE(dash, std::string::npos) << package;
  const CommandResult files = RunCommand({"dpkg", "-L", package});
  if (files.exit_code != 0) GTEST_SKIP() << "missing: the package " << package;
  EXPECT_NE(files.out.find("/bin/" + tool + package.substr(dash) + "\n"), std::string::npos) << tool << " in\n"
                                                                                             << files.out;
}

INSTANTIATE_TEST_SUITE_P(Tools, PackageRemedies,
                         ::testing::Values(MissingTool{"Bolt", {"--bolt"}},
                                           MissingTool{"Pgo", {"--pgo", "--build", "true"}}),
                         [](const auto& tool) { return std::string(tool.param.name); });

TEST_F(MachineRemedies, TheLibraryThatNamesInstructionsIsInItsPackage) {
  if (!HasProgram("dpkg")) GTEST_SKIP() << "missing: dpkg";
  ExpectRecorded(Record({program_, "30"}));
  std::filesystem::create_directory(folder_ / "broken");
  testing::WriteFile(folder_ / "broken/libcapstone.so.4", "");
  const CommandResult refused = RunSoftlbr({"mix", profile_}, {"LD_LIBRARY_PATH=" + folder_ / "broken"});
  EXPECT_EQ(refused.exit_code, 1) << refused.out;
  const std::string package = WordBehind(refused.err, "install the package ");
  const CommandResult files = RunCommand({"dpkg", "-L", package});
  if (files.exit_code != 0) GTEST_SKIP() << "missing: the package " << package;
  EXPECT_NE(files.out.find("/libcapstone.so.4\n"), std::string::npos) << files.out;
  EXPECT_EQ(RunSoftlbr({"mix", profile_}).exit_code, 0);
}

}  // namespace
}  // namespace softlbr::toolchain
