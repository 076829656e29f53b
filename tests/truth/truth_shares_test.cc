// Compares how often each branch was recorded with how often it ran.
//
// The program does the same work over and over. It is stepped through a few rounds and recorded over many, so that
// start and end do not matter; the branches of the program's own module are compared.
// Sampling is by time and a trace is a window of branches, so even a faultless recorder does not show the true shares,
// except by chance: starts fall where time is spent. What it would reach is computed from the true path (starts drawn
// in proportion to instructions, as many traces as were recorded) and printed beside the measured figure.
#include <gtest/gtest.h>
#include <unistd.h>

#include <iostream>

#include "tests/truth/path_shares.h"
#include "tests/truth/truth_case.h"

namespace softlbr::truth {
namespace {

const uint64_t kWantedBranches = IsSmall() ? 40000 : 200000;
// Which instructions take long differs from machine to machine, and with what other programs do to caches. So the
// recording is compared twice: without the differences of time, by instructions; and as it is, with what follows its
// samples in the true path. Both computations take the occurrences of a branch for alike.
constexpr double kUnexplained = 0.03;
constexpr double kLeastLikeness = 0.96;

// The path between the calls into the runtime that start and stop the session: the longest part without such a call.
PathWindow SessionWindow(const TruePath& path) {
  std::vector<size_t> bounds = path.behind_unstepped_calls;
  bounds.push_back(path.chunks.size());
  PathWindow longest;
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    PathWindow window;
    for (size_t chunk = bounds[i]; chunk < bounds[i + 1]; ++chunk) {
      window.branches.insert(window.branches.end(), path.chunks[chunk].begin(), path.chunks[chunk].end());
      window.steps.insert(window.steps.end(), path.run_steps[chunk].begin(), path.run_steps[chunk].end());
    }
    if (window.branches.size() > longest.branches.size()) longest = std::move(window);
  }
  return longest;
}

TruthCase Own(const std::string& program, uint64_t rounds) {
  TruthCase test_case;
  test_case.program.arguments = {SOFTLBR_TRUTH_PROGRAMS "/truth_" + program, std::to_string(rounds)};
  test_case.program.environment = PlainEnvironment();
  return test_case;
}

void ExpectShares(const std::string& program, uint64_t stepped_rounds, uint64_t recorded_rounds, double least_overlap) {
  const std::string missing = MissingCapability();
  if (!missing.empty()) GTEST_SKIP() << "needs " << missing;
  RecordSettings settings = SettingsFor(::testing::UnitTest::GetInstance()->current_test_info()->name());
  settings.branches_per_trace = 128;  // the default
  TruePath path;
  const TruthCase stepped = Own(program, stepped_rounds);
  ASSERT_NO_FATAL_FAILURE(FindTruth(stepped, settings, &path));
  const PathWindow window = SessionWindow(path);
  const std::string& module = stepped.program.arguments[0];
  const BranchShares truth = TrueShares(path, window, module);

  TraceReport report;
  BranchShares all, recorded;
  TracesByFirst by_first;
  uint64_t recorded_branches = 0;
  const uint64_t traces = kWantedBranches * 4 / settings.branches_per_trace;
  ASSERT_NO_FATAL_FAILURE(
      RecordAndCheck(Own(program, recorded_rounds), settings, path, traces, &report, &all, &by_first));
  for (const auto& [branch, count] : all) {
    if (branch.from.module == kNoTruthModule || path.modules.modules()[branch.from.module].path != module) continue;
    recorded[branch] = count;
    recorded_branches += count;
  }
  EXPECT_GE(recorded_branches, kWantedBranches);
  const double overlap = Overlap(truth, WithoutTime(path, window, module, by_first));
  const BranchShares ideal = IdealShares(path, window, module, nullptr, report.compared, settings.branches_per_trace);
  const BranchShares following =
      IdealShares(path, window, module, &by_first, report.compared, settings.branches_per_trace);
  std::cout << "overlap " << overlap << " without time, " << Overlap(truth, recorded) << " with it, over "
            << recorded_branches << " recorded and " << window.branches.size() << " true branches, " << truth.size()
            << " distinct; a recorder without a fault would reach " << Overlap(truth, ideal)
            << "; overlap with what follows the samples " << Overlap(following, recorded) << "\n";
  // Traces may be not contiguous here: one that spans two periods is not in the stepped execution, which ends after the
  // first. truth_programs_test.cc tests contiguity with the same programs.
  EXPECT_EQ(report.never_executed + report.wrong_start, 0u) << report.Summary();
  EXPECT_GE(overlap, least_overlap);
  EXPECT_GE(overlap, Overlap(truth, ideal) - kUnexplained) << "worse than time sampling explains";
  EXPECT_GE(Overlap(following, recorded), kLeastLikeness) << "other branches than those that follow the samples";
  std::remove(settings.profile_path.c_str());
  std::remove((settings.profile_path + ".stderr").c_str());
}

TEST(TruthShares, InterpreterReaches99PercentOverlap) {
  ExpectShares("interpreter", IsSmall() ? 2 : 5, IsSmall() ? 300 : 5000, 0.99);
}

// Phases of this program differ four times over in how often they branch. Time sampling shows each by the time it
// takes, not by its branches: no recorder that samples by time comes closer than the computed figure.
TEST(TruthShares, PhasedProgramReachesTheLimitOfTimeSampling) { ExpectShares("recursion", 12, 6000, 0.7); }

}  // namespace
}  // namespace softlbr::truth
