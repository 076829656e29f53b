// What `softlbr optimize` advises is done in its words. The tools are the real ones.
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

class OptimizeRemedies : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"gcc", "perf2bolt-19", "llvm-bolt-19", "llvm-profgen-19"}) {
      if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
    }
  }
  void Build(const Words& options) {
    Words command = {"gcc", "-O2", SOFTLBR_CHECKED_PROGRAM_SOURCE, "-o", program_};
    command.insert(command.end(), options.begin(), options.end());
    const CommandResult built = RunCommand(command);
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }
  CommandResult Optimize(Words options, const Words& environment = {}) {
    options.insert(options.begin(), {"optimize", "--work", folder_ / "work", "--pairs", "6", "--enough", "0.3"});
    options.insert(options.end(), {"--", program_, "4"});
    return RunSoftlbr(options, environment);
  }
  // Runs the step that a message says is missing.
  void RunNamedStep(const CommandResult& refused) {
    EXPECT_EQ(refused.exit_code, 1) << refused.err;
    const Words step = WordsBehind(refused.err, "run ");
    ASSERT_EQ(step.size(), 3u) << refused.err;
    EXPECT_EQ(step[2], "first");
    const CommandResult result = Optimize({step[0], step[1]});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }

  testing::TemporaryFolder folder_;
  std::string program_ = folder_ / "app";
};

// Message after message, until the check has none left.
TEST_F(OptimizeRemedies, TheFlagsOfTheMessagesMakeAProgramThatPassesTheCheck) {
  Words options = {"-Wl,--build-id=none", "-s"};
  int messages = 0;
  for (;; ++messages) {
    Build(options);
    const CommandResult check = Optimize({"--step", "check"});
    if (check.exit_code == 0 || messages > 5) break;
    if (check.err.find("link without ") != std::string::npos) {
      std::erase(options, WordBehind(check.err, "link without "));
    } else {
      options.push_back(WordBehind(check.err, "link with "));
    }
  }
  EXPECT_EQ(messages, 3) << "a build id, symbols and relocations";
}

TEST_F(OptimizeRemedies, LineTablesPassTheCheckForASourceProfile) {
  Words options = {"-Wl,--build-id"};
  Build(options);
  const Words check = {"--pgo", "--build", "true", "--step", "check"};
  const CommandResult refused = Optimize(check);
  EXPECT_EQ(refused.exit_code, 1);
  options.push_back(WordBehind(refused.err, "compile with "));
  Build(options);
  EXPECT_EQ(Optimize(check).exit_code, 0);
}

TEST_F(OptimizeRemedies, AFolderInPathHasTheTools) {
  const std::string bin = "/usr/lib/llvm-19/bin";
  if (!std::filesystem::exists(bin + "/llvm-bolt")) GTEST_SKIP() << "missing: " << bin << "/llvm-bolt";
  Build({"-Wl,--build-id", "-Wl,--emit-relocs"});
  const CommandResult refused = Optimize({"--step", "check"}, {"PATH=" + folder_.path()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("or add LLVM's bin folder to PATH"), std::string::npos) << refused.err;
  EXPECT_EQ(Optimize({"--step", "check"}, {"PATH=" + folder_.path() + ":" + bin}).exit_code, 0);
}

TEST_F(OptimizeRemedies, StepsThatAreMissingAreNamedInOrder) {
  Build({"-Wl,--build-id", "-Wl,--emit-relocs", "-fno-jump-tables"});
  RunNamedStep(Optimize({"--step", "apply"}));
  RunNamedStep(Optimize({"--step", "measure"}));
  const CommandResult measured = Optimize({"--step", "measure"});
  EXPECT_NE(measured.out.find("with 95% confidence"), std::string::npos) << measured.err;
  EXPECT_NE(measured.err.find("give the program more work"), std::string::npos) << measured.err;
}

TEST_F(OptimizeRemedies, FunctionsWithoutJumpTablesAreOptimized) {
  const auto warning = [&](const Words& more) {
    Words options = {"-Wl,--build-id", "-Wl,--emit-relocs"};
    options.insert(options.end(), more.begin(), more.end());
    Build(options);
    for (const char* step : {"record", "apply"}) {
      const CommandResult result = Optimize({"--step", step});
      EXPECT_EQ(result.exit_code, 0) << result.err;
      if (std::string(step) == "apply") return result.err;
    }
    return std::string();
  };
  const std::string left = warning({});
  // What llvm-bolt says about the loop, which is most of the profile, if it is asked for all that it does not optimize.
  const auto leaves_run = [&] {
    const CommandResult bolt = RunCommand({"llvm-bolt-19", program_, "-data=" + (folder_ / "work/profile.fdata"), "-o",
                                           folder_ / "again", "-v=1", "-reorder-blocks=ext-tsp"});
    EXPECT_EQ(bolt.exit_code, 0) << bolt.err;
    return (bolt.out + bolt.err).find("failed to post-process indirect branches for run") != std::string::npos;
  };
  EXPECT_TRUE(leaves_run());
  warning({WordBehind(left, "compile with ")});
  EXPECT_FALSE(leaves_run());
}

TEST_F(OptimizeRemedies, ABuildWithClangAndTheFlagGivesAnotherProgram) {
  if (!HasProgram("clang-19")) GTEST_SKIP() << "missing: clang-19";
  Build({"-g", "-Wl,--build-id"});
  const CommandResult same = Optimize({"--pgo", "--build", "true"});
  EXPECT_EQ(same.exit_code, 1);
  const std::string flag = WordBehind(same.err, "get the flag in ");
  ASSERT_EQ(flag.substr(0, 1), "$") << same.err;
  const std::string build = WordBehind(same.err, "its compiler must be ") + "-19 " + flag +
                            " -O2 -g " SOFTLBR_CHECKED_PROGRAM_SOURCE " -o " + program_;
  const CommandResult other = Optimize({"--pgo", "--build", build, "--step", "apply"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  const CommandResult made = RunCommand({folder_ / "work/optimized", "4"});
  EXPECT_EQ(made.out, RunCommand({program_, "4"}).out);
  EXPECT_NE(ReadFile(folder_ / "work/optimized"), ReadFile(program_));
}

}  // namespace
}  // namespace softlbr::toolchain
