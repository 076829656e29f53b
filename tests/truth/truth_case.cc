#include "tests/truth/truth_case.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "tests/platform/breakpoint_hits.h"

namespace softlbr::truth {
namespace {

constexpr auto kLongestRecording = std::chrono::seconds(120);
constexpr uint64_t kSmallPeriodNs = 500009;  // a sample takes most of a millisecond there

}  // namespace

std::string TemporaryFile(const std::string& name) {
  return ::testing::TempDir() + "softlbr_truth." + std::to_string(getpid()) + "." + name;
}

bool IsSmall() { return std::getenv("SOFTLBR_TRUTH_SMALL") != nullptr; }

std::vector<std::string> PlainEnvironment() { return {"PATH=/usr/bin:/bin", "LANG=C", "HOME=/"}; }

RecordSettings SettingsFor(const std::string& test_name) {
  RecordSettings settings;
  settings.command = SOFTLBR_COMMAND;
  settings.profile_path = TemporaryFile(test_name + ".slbr");
  if (IsSmall()) settings.period_ns = kSmallPeriodNs;
  return settings;
}

void FindTruth(const TruthCase& test_case, const RecordSettings& settings, TruePath* path) {
  const Launch launch = UnderRecord(test_case.program, NeverSampling(settings));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(StepThrough(launch, Stepped::kFirstChild, {std::begin(kRuntimeModules), std::end(kRuntimeModules)},
                        test_case.max_steps, path),
            "");
  ASSERT_TRUE(WIFEXITED(path->exit_status) && WEXITSTATUS(path->exit_status) == 0) << "status " << path->exit_status;
  EXPECT_FALSE(path->behind_unstepped_calls.empty()) << "the runtime was not in the stepped program";
  EXPECT_EQ(path->kernel_moves, 0u);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
  std::cout << "truth: " << seconds.count() << " s, " << path->steps << " steps, " << path->TakenCount()
            << " taken branches, " << path->branches.size() << " distinct, " << path->signals << " signals\n";
}

void RecordAndCheck(const TruthCase& test_case, const RecordSettings& settings, const TruePath& path, uint64_t wanted,
                    TraceReport* report, BranchShares* shares, TracesByFirst* by_first) {
  // The path through the vdso's clock differs between executions: it retries while the kernel updates the time (nearly
  // always under a stepper), and it carries at the end of a second.
  std::vector<std::string> excluded = {std::begin(kRuntimeModules), std::end(kRuntimeModules)};
  excluded.push_back("[vdso]");
  TraceChecker checker(path, excluded);
  const auto start = std::chrono::steady_clock::now();
  while (report->compared < wanted && std::chrono::steady_clock::now() - start < kLongestRecording) {
    toolchain::Profile profile;
    ASSERT_EQ(Record(test_case.program, settings, &profile), "");
    ++report->runs;
    const uint64_t compared_before_run = report->compared;
    uint64_t excluded_before = report->excluded;  // when the run's last compared trace came
    for (const RecordedTrace& trace : TracesOf(profile, path)) {
      const uint64_t compared = report->compared;
      checker.Check(trace, report);
      if (report->compared == compared) continue;
      if (compared > compared_before_run) report->excluded_between += report->excluded - excluded_before;
      excluded_before = report->excluded;
      if (shares == nullptr) continue;
      for (const TakenBranch& branch : trace.branches) ++(*shares)[branch];
      if (by_first == nullptr) continue;
      TracesOfFirst& alike = (*by_first)[trace.branches.front()];
      ++alike.traces;
      for (const TakenBranch& branch : trace.branches) ++alike.branches[branch];
    }
  }
  std::cout << settings.resolve << ": " << report->Summary() << "\n";
}

void ExpectTruth(const TruthCase& test_case) {
  const std::string missing = MissingCapability();
  if (!missing.empty()) GTEST_SKIP() << "needs " << missing;
  const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  RecordSettings settings = SettingsFor(name);
  TruePath path;
  ASSERT_NO_FATAL_FAILURE(FindTruth(test_case, settings, &path));
  for (const char* policy : {"lookahead", "static"}) {
    SCOPED_TRACE(policy);
    if (std::string(policy) == "static" && !platform::testing::HasBreakpointHits()) {
      GTEST_SKIP()
          << "needs hardware breakpoints that are hit, for the static policy; the traces of look-ahead were compared";
    }
    settings.resolve = policy;
    TraceReport report;
    BranchShares shares;
    ASSERT_NO_FATAL_FAILURE(RecordAndCheck(test_case, settings, path, test_case.wanted_traces, &report, &shares));
    EXPECT_GE(report.compared, test_case.wanted_traces) << "too few traces within the time";
    EXPECT_EQ(report.Failed(), 0u) << report.Summary();
    for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
    const auto judged = static_cast<double>(report.compared + report.excluded + report.unmapped);
    EXPECT_LE(report.excluded_between, test_case.max_excluded_between_per_run * report.runs) << report.Summary();
    EXPECT_LE(static_cast<double>(report.unmapped), test_case.max_unmapped_share * judged) << report.Summary();
    const bool has_expected = std::any_of(shares.begin(), shares.end(), [&](const auto& share) {
      const uint32_t module = share.first.from.module;
      return module < path.modules.modules().size() &&
             BaseName(path.modules.modules()[module].path) == test_case.expected_module;
    });
    EXPECT_TRUE(test_case.expected_module.empty() || has_expected) << "no branch in " << test_case.expected_module;
  }
  std::remove(settings.profile_path.c_str());
  std::remove((settings.profile_path + ".stderr").c_str());
}

}  // namespace softlbr::truth
