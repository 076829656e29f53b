// `softlbr optimize` with tools that do as the test says: shell scripts under the names of LLVM's tools, in a PATH of
// their own. So whether the result is faster does not depend on the machine. One test runs the real llvm-bolt.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;
using testing::WriteFile;

// Millions of steps of the interpreter: about a tenth of a second.
const std::string kSteps = "12";

class Optimize : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
    mkdir((folder_ / "tools").c_str(), 0777);
    program_ = folder_ / "app";
    fast_ = folder_ / "fast";
    Build({"-Wl,--emit-relocs"}, program_);
    if (HasFailure()) return;
    // The same output in a fraction of the time: it prints what the interpreter prints for kSteps.
    WriteFile(folder_ / "fast.c", "#include <stdio.h>\nint main(void) { printf(\"%s\", \"" +
                                      OneLine(RunCommand({program_, kSteps}).out) + "\\n\"); return 0; }\n");
    ASSERT_EQ(RunCommand({"gcc", folder_ / "fast.c", "-o", fast_}).exit_code, 0);
  }
  static std::string OneLine(const std::string& text) { return text.substr(0, text.find('\n')); }
  void Build(std::vector<std::string> flags, const std::string& output) {
    flags.insert(flags.begin(), {"gcc", "-O1", "-g", "-fno-jump-tables", "-Wl,--build-id",
                                 SOFTLBR_CHECKED_PROGRAM_SOURCE, "-o", output});
    ASSERT_EQ(RunCommand(flags).exit_code, 0);
  }
  void Tool(const std::string& name, const std::string& script) {
    WriteFile(folder_ / ("tools/" + name), "#!/bin/sh\n" + script);
    chmod((folder_ / ("tools/" + name)).c_str(), 0755);
  }
  // llvm-bolt writes a copy of `result`.
  void FakeBolt(const std::string& result) {
    Tool("perf2bolt", "while [ \"$1\" != -o ]; do shift; done; echo profile > \"$2\"\n");
    Tool("llvm-bolt", "while [ \"$1\" != -o ]; do shift; done; cp " + result + " \"$2\"\n");
  }
  CommandResult Run(std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"optimize", "--work", folder_ / "work", "--pairs", "6", "--enough", "0.5", "--json"});
    options.insert(options.end(), {"--", program_, kSteps});
    return RunSoftlbr(options, {"PATH=" + (folder_ / "tools") + ":" + folder_.path() + "/none:/usr/bin:/bin"});
  }

  testing::TemporaryFolder folder_;
  std::string program_;
  std::string fast_;
};

TEST_F(Optimize, KeepsAFasterProgram) {
  FakeBolt(fast_);
  const CommandResult result = Run({});
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  const json said = json::parse(result.out);
  EXPECT_TRUE(said["is_kept"]);
  EXPECT_TRUE(said["is_same_output"]);
  EXPECT_LT(said["ratio_high"].get<double>(), 1);
  EXPECT_GE(said["recorded_runs"], 2);
  EXPECT_GT(said["expected_overlap"].get<double>(), 0.5);
  EXPECT_EQ(said["output"], program_ + ".optimized");
  EXPECT_EQ(ReadFile(program_ + ".optimized"), ReadFile(fast_));
  for (const char* name :
       {"profile.slbr", "profile.bolt", "profile.fdata", "llvm-bolt.log", "times.csv", "result.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / (std::string("work/") + name))) << name;
  }
}

TEST_F(Optimize, LeavesASlowerProgramInTheFolder) {
  // The slower one does the same work eight times without optimization.
  WriteFile(folder_ / "slow.sh", "#!/bin/sh\nfor i in 1 2 3; do " + program_ + " " + kSteps +
                                     " > /dev/null; done\nexec " + program_ + " " + kSteps + "\n");
  chmod((folder_ / "slow.sh").c_str(), 0755);
  FakeBolt(folder_ / "slow.sh");
  const CommandResult result = Run({});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const json said = json::parse(result.out);
  EXPECT_FALSE(said["is_kept"]);
  EXPECT_GT(said["ratio"].get<double>(), 1);
  EXPECT_TRUE(said["output"].is_null());
  EXPECT_FALSE(std::filesystem::exists(program_ + ".optimized"));
}

TEST_F(Optimize, BrokenResultIsRefused) {
  FakeBolt("/bin/false");
  const CommandResult result = Run({});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("the optimized one with exit code 1"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(program_ + ".optimized"));
}

TEST_F(Optimize, FailingToolIsNamedWithItsLog) {
  FakeBolt(fast_);
  Tool("llvm-bolt", "echo BOLT-ERROR: made for a test; exit 3\n");
  const CommandResult result = Run({});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("failed (exit code 3): BOLT-ERROR: made for a test"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("llvm-bolt.log"), std::string::npos) << result.err;
  Tool("llvm-bolt", "exit 3\n");
  const CommandResult silent = Run({});
  EXPECT_NE(silent.err.find("failed (exit code 3); its output is in"), std::string::npos) << silent.err;
}

// The exit code is the program's own business, as long as the optimized one has the same.
TEST_F(Optimize, AProgramMayEndWithAnyExitCode) {
  const auto build = [this](const std::string& work, const std::string& output) {
    WriteFile(folder_ / "three.c", "int main(void) { volatile long sum = 0; for (long i = 0; i < " + work +
                                       "; ++i) if (i % 3) sum += i; return 3; }\n");
    ASSERT_EQ(
        RunCommand({"gcc", "-O1", "-Wl,--emit-relocs", "-Wl,--build-id", folder_ / "three.c", "-o", output}).exit_code,
        0);
  };
  build("100000000", program_);
  build("1000", fast_);
  FakeBolt(fast_);
  const CommandResult result = Run({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  FakeBolt("/bin/true");
  const CommandResult other = Run({});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("the program ends with exit code 3 and the optimized one with exit code 0"),
            std::string::npos)
      << other.err;
}

TEST_F(Optimize, ExitCodesAreThoseOfTheCommand) {
  for (const char* program : {"/etc/passwd", "/there/is/none"}) {
    const CommandResult result = RunSoftlbr({"optimize", "--work", folder_ / "work", "--", program});
    EXPECT_EQ(result.exit_code, 1) << program;
    EXPECT_NE(result.err.find(program), std::string::npos) << result.err;
  }
}

TEST_F(Optimize, AStepNamesTheOneThatItNeeds) {
  FakeBolt(fast_);
  const CommandResult result = Run({"--step", "apply"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("profile.slbr is not there; run --step record first"), std::string::npos) << result.err;
}

TEST_F(Optimize, StepsAreRunOneByOne) {
  FakeBolt(fast_);
  EXPECT_EQ(Run({"--step", "measure"}).exit_code, 1) << "nothing was made yet";
  for (const char* step : {"check", "record", "apply", "measure"}) {
    const CommandResult result = Run({"--step", step});
    EXPECT_EQ(result.exit_code, 0) << step << result.err;
  }
  EXPECT_TRUE(std::filesystem::exists(program_ + ".optimized"));
}

TEST_F(Optimize, ChecksTheBinaryBeforeAnythingRuns) {
  FakeBolt(fast_);
  const auto refuses = [this](std::vector<std::string> flags, const std::string& text) {
    Build(std::move(flags), program_);
    const CommandResult result = Run({});
    EXPECT_EQ(result.exit_code, 1) << text;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "work/run-1.slbr")) << text;
  };
  refuses({}, "-Wl,--emit-relocs");
  refuses({"-s"}, "is stripped");
  refuses({"-Wl,--emit-relocs", "-Wl,--build-id=none"}, "has no build id");
  refuses({"-static", "-Wl,--emit-relocs"}, "statically linked");
}

TEST_F(Optimize, BuildsWithTheProfileAndPutsTheProgramBack) {
  Tool("llvm-profgen", "for word; do case $word in --output=*) echo profile > \"${word#--output=}\";; esac; done\n");
  const std::string before = ReadFile(program_);
  const std::string build = "echo $SOFTLBR_PROFILE_FLAG > " + (folder_ / "flag") + "; cp " + fast_ + " " + program_;
  const CommandResult result = Run({"--pgo", "--build", build});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(ReadFile(program_), before);
  EXPECT_EQ(ReadFile(program_ + ".optimized"), ReadFile(fast_));
  EXPECT_EQ(ReadFile(folder_ / "flag"), "-fprofile-sample-use=" + (folder_ / "work/profile.prof") + "\n");

  const CommandResult same = Run({"--pgo", "--build", "true"});
  EXPECT_EQ(same.exit_code, 1);
  EXPECT_NE(same.err.find("the same program again"), std::string::npos) << same.err;
  const CommandResult failed = Run({"--pgo", "--build", "echo broken > " + program_ + "; exit 4"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(ReadFile(program_), before) << "the program is put back after a failure, too";
}

TEST_F(Optimize, WrongUsageIsSaid) {
  EXPECT_EQ(Run({"--pgo"}).exit_code, 2);
  EXPECT_EQ(Run({"--build", "make"}).exit_code, 2);
  EXPECT_EQ(Run({"--both", "--build", "make", "--step", "record"}).exit_code, 2);
  EXPECT_EQ(Run({"--pairs", "3"}).exit_code, 2);
  EXPECT_EQ(RunSoftlbr({"optimize"}).exit_code, 2);
}

TEST_F(Optimize, MissingToolsAreNamedWithTheirPackage) {
  const CommandResult result =
      RunSoftlbr({"optimize", "--work", folder_ / "work", "--", program_, kSteps}, {"PATH=" + (folder_ / "tools")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("llvm-bolt was not found in PATH"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("apt-get install bolt-19"), std::string::npos) << result.err;
}

// Whether llvm-bolt makes this program faster depends on the machine; that what it says holds does not.
TEST_F(Optimize, RealBoltGivesAProgramThatPrintsTheSame) {
  if (!HasProgram("llvm-bolt-19") || !HasProgram("perf2bolt-19")) GTEST_SKIP() << "missing: llvm-bolt-19";
  const CommandResult result = Run({});
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.err;
  const json said = json::parse(result.out);
  EXPECT_TRUE(said["is_same_output"]);
  EXPECT_EQ(said["is_kept"].get<bool>(), said["ratio_high"].get<double>() < 1);
  EXPECT_EQ(std::filesystem::exists(program_ + ".optimized"), said["is_kept"].get<bool>());
  EXPECT_EQ(result.err.find(" 0 out of "), std::string::npos) << result.err;
}

}  // namespace
}  // namespace softlbr::toolchain
