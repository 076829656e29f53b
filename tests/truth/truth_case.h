// Compares a program's recordings under both resolution policies with its true path: what the truth tests have in
// common.
#ifndef SOFTLBR_TESTS_TRUTH_TRUTH_CASE_H_
#define SOFTLBR_TESTS_TRUTH_TRUTH_CASE_H_

#include <cstdint>
#include <string>

#include "tests/truth/recording.h"
#include "tests/truth/trace_check.h"
#include "tests/truth/true_path.h"

namespace softlbr::truth {

// Modules whose code is not the program's: the runtime itself, which runs in the stepped program but must not be
// recorded.
inline constexpr const char* kRuntimeModules[] = {"libsoftlbr"};

struct TruthCase {
  Launch program;
  uint64_t max_steps = 4000000;
  uint64_t wanted_traces = 1500;  // per policy
  // Traces that touch the runtime's own code or the vdso's clock and lie between two compared ones. What lies before or
  // after all compared traces of a run is the runtime's own start and stop: they last as long as the machine needs, so
  // they have no bound but the time in which wanted_traces must come.
  uint64_t max_excluded_between_per_run = 1;
  // Share of traces with an address in no module. Only programs that load or unload libraries may have any.
  double max_unmapped_share = 0;
  // If not empty: some compared branch must be in this module.
  std::string expected_module;
};

// A fresh file name in the test's temporary folder.
std::string TemporaryFile(const std::string& name);

// The environment every stepped and recorded program gets.
std::vector<std::string> PlainEnvironment();
// True if SOFTLBR_TRUTH_SMALL is set: less work, for an emulated machine, where a step takes a hundred times as long.
bool IsSmall();

// Settings of this build's `softlbr` for a test.
RecordSettings SettingsFor(const std::string& test_name);

// Steps through the program as `softlbr record` would run it. Fails the test on error.
void FindTruth(const TruthCase& test_case, const RecordSettings& settings, TruePath* path);

// Records until `wanted` traces have been compared, or two minutes have passed; checks every one. Adds the compared
// branches to *shares if given, and the traces to *by_first. Fails the test on error.
void RecordAndCheck(const TruthCase& test_case, const RecordSettings& settings, const TruePath& path, uint64_t wanted,
                    TraceReport* report, BranchShares* shares, TracesByFirst* by_first = nullptr);

// Both of these, under the static and the look-ahead policy.
void ExpectTruth(const TruthCase& test_case);

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_TRUTH_CASE_H_
