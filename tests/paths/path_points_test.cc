// A few points of each real program: seconds, in every check. At length: the path_points command (tests/paths/README.md).
#include "tests/paths/path_points.h"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "bench/program_inputs.h"
#include "runtime/base/cells_x86_64.h"
#include "tests/paths/mirrored_memory.h"

namespace softlbr::paths {
namespace {

bool MayTrace() {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

PointResults RunProgram(const bench::RealProgram& program, const PointOptions& options) {
  PointResults results;
  std::string error;
  const auto predictor = PathPredictor::Load(SOFTLBR_PLUGIN_PATH, &error);
  EXPECT_NE(predictor, nullptr) << error;
  const bench::WorkFolder work;
  bench::MakeProgramInputs(work.path());
  if (!bench::PrepareProgram(program, work.path(), &error)) {
    ADD_FAILURE() << error;
    return results;
  }
  if (predictor == nullptr) return results;
  EXPECT_EQ(RunPoints(program.run, work.path(), options, predictor.get(), &results), "");
  return results;
}

class PathPoints : public ::testing::TestWithParam<bench::RealProgram> {};

TEST_P(PathPoints, PredictedPathIsTheSteppedOne) {
  if (!MayTrace()) GTEST_SKIP() << "needs ptrace";
  if (access(GetParam().needs, X_OK) != 0) GTEST_SKIP() << "needs " << GetParam().needs;
  PointOptions options;
  options.points = 25;
  options.branches = 64;
  const PointResults results = RunProgram(GetParam(), options);
  EXPECT_EQ(results.wrong, 0u) << results.first_wrong;
  // Something was looked at: most points come through and most of the state is known there.
  EXPECT_GE(results.complete, results.points / 2);
  EXPECT_GE(results.branches, uint64_t{32} * results.complete);
  EXPECT_GT(results.bytes_compared, 4 * results.bytes_unknown);
}

INSTANTIATE_TEST_SUITE_P(Programs, PathPoints, ::testing::ValuesIn(bench::RealPrograms().begin(), bench::RealPrograms().end()),
                         [](const auto& test) { return std::string(test.param.name); });

// The check itself: a register that is not what the program has must be found out, by the path or by the state at its end.
TEST(PathPointsSelf, APlantedFaultIsFound) {
  if (!MayTrace()) GTEST_SKIP() << "needs ptrace";
  const bench::RealProgram& program = bench::RealPrograms().front();
  if (access(program.needs, X_OK) != 0) GTEST_SKIP() << "needs " << program.needs;
  PointOptions options;
  options.points = 10;
  options.planted_cell = SOFTLBR_X86_RSP;
  const PointResults results = RunProgram(program, options);
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
