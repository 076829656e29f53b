// A few points of each real program: seconds, in every check. The path_points command does more
// (tests/paths/README.md).
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/program_inputs.h"
#include "platform/base/registers_aarch64.h"
#include "platform/base/registers_x86_64.h"
#include "tests/paths/mirrored_memory.h"
#include "tests/paths/path_programs.h"

namespace softlbr::paths {
namespace {

bool MayTrace() {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

PointResults RunProgram(const PathProgram& program, const char* plugin, const PointOptions& options) {
  PointResults results;
  std::string error;
  const auto predictor = PathPredictor::Load(plugin, &error);
  EXPECT_NE(predictor, nullptr) << error;
  if (predictor == nullptr) return results;
  EXPECT_EQ(RunPoints(program.start, options, predictor.get(), &results), "");
  return results;
}

const PathProgram& Named(const std::vector<PathProgram>& programs, const std::string& name) {
  return *std::find_if(programs.begin(), programs.end(),
                       [&name](const PathProgram& program) { return program.name == name; });
}

void ExpectTrue(const PointResults& results, const PointOptions& options) {
  EXPECT_EQ(results.wrong, 0u) << results.first_wrong;
  // The test must have compared something: most points complete, and most of the state is known there.
  EXPECT_GE(results.complete, results.points / 2);
  EXPECT_GE(results.branches, uint64_t{options.branches} / 2 * results.complete);
  EXPECT_GT(results.bytes_compared, 4 * results.bytes_unknown);
}

class PathPoints : public ::testing::TestWithParam<bench::RealProgram> {};

TEST_P(PathPoints, PredictedPathEqualsSteppedPath) {
  if (!MayTrace()) GTEST_SKIP() << "needs ptrace";
  if (access(GetParam().needs, X_OK) != 0) GTEST_SKIP() << "needs " << GetParam().needs;
  PointOptions options;
  options.points = 25;
  options.branches = 64;
  const bench::WorkFolder work;
  bench::MakeProgramInputs(work.path());
  ExpectTrue(RunProgram(Named(NativePrograms(work.path()), GetParam().name), SOFTLBR_PLUGIN_PATH, options), options);
}

INSTANTIATE_TEST_SUITE_P(Programs, PathPoints,
                         ::testing::ValuesIn(bench::RealPrograms().begin(), bench::RealPrograms().end()),
                         [](const auto& test) { return std::string(test.param.name); });

struct Emulated {
  const char* program;
  const char* cpu;
};
class A64PathPoints : public ::testing::TestWithParam<Emulated> {};

TEST_P(A64PathPoints, PredictedPathEqualsSteppedPath) {
  const bench::WorkFolder work;
  const auto programs = A64Programs(work.path(), SOFTLBR_A64_ROOT, SOFTLBR_A64_OWN_PROGRAMS, GetParam().cpu);
  const PathProgram& program = Named(programs, GetParam().program);
  if (!program.missing.empty()) GTEST_SKIP() << "needs " << program.missing;
  bench::MakeProgramInputs(work.path());
  PointOptions options;
  options.points = 25;
  options.mean_run_microseconds = 20000;
  ExpectTrue(RunProgram(program, SOFTLBR_A64_PLUGIN_PATH, options), options);
}

// "max" has pointer authentication, LSE, SVE and MTE; the other CPU has none of them.
INSTANTIATE_TEST_SUITE_P(Programs, A64PathPoints,
                         ::testing::Values(Emulated{"xz", "max"}, Emulated{"bzip2", "max"}, Emulated{"gzip", "max"},
                                           Emulated{"perl", "max"}, Emulated{"sqlite3", "max"}, Emulated{"lua", "max"},
                                           Emulated{"busybox", "max"}, Emulated{"authenticated", "max"},
                                           Emulated{"scalable_loops", "max"}, Emulated{"sqlite3", "cortex-a57"},
                                           Emulated{"perl", "cortex-a57"}),
                         [](const auto& test) {
                           return std::string(test.param.program) + (test.param.cpu[0] == 'm' ? "OnMax" : "OnA57");
                         });

TEST(A64PathPointsSelf, FindsAPlantedFault) {
  const bench::WorkFolder work;
  const auto programs = A64Programs(work.path(), SOFTLBR_A64_ROOT, SOFTLBR_A64_OWN_PROGRAMS, "max");
  if (!programs.front().missing.empty()) GTEST_SKIP() << "needs " << programs.front().missing;
  bench::MakeProgramInputs(work.path());
  PointOptions options;
  options.points = 6;
  options.planted_slot = SOFTLBR_A64_SP;
  const PointResults results = RunProgram(programs.front(), SOFTLBR_A64_PLUGIN_PATH, options);
  EXPECT_GE(results.wrong, results.points / 2);
  EXPECT_NE(results.first_wrong, "");
}

// Tests the test: it must find a register that differs from the program's, by the path or by the state at its end.
TEST(PathPointsSelf, FindsAPlantedFault) {
  if (!MayTrace()) GTEST_SKIP() << "needs ptrace";
  const bench::RealProgram& program = bench::RealPrograms().front();
  if (access(program.needs, X_OK) != 0) GTEST_SKIP() << "needs " << program.needs;
  PointOptions options;
  options.points = 10;
  options.planted_slot = SOFTLBR_X86_RSP;
  const bench::WorkFolder work;
  bench::MakeProgramInputs(work.path());
  const PointResults results =
      RunProgram(Named(NativePrograms(work.path()), program.name), SOFTLBR_PLUGIN_PATH, options);
  EXPECT_GE(results.wrong, results.points / 2);
  EXPECT_NE(results.first_wrong, "");
}

}  // namespace
}  // namespace softlbr::paths

int main(int count, char** arguments) {
  if (!softlbr::paths::EnsureFreeAddresses(arguments)) return 1;
  ::testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
