// Runs a program under `softlbr record --traces` and brings its traces into the numbers of a true path.
#ifndef SOFTLBR_TESTS_TRUTH_RECORDING_H_
#define SOFTLBR_TESTS_TRUTH_RECORDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/truth/trace_check.h"
#include "tests/truth/true_path.h"
#include "toolchain/profile/profile.h"

namespace softlbr::truth {

struct RecordSettings {
  std::string command;  // path of softlbr
  std::string resolve = "lookahead";
  uint64_t period_ns = 20011;  // of CPU time
  uint32_t branches_per_trace = 16;
  std::string profile_path;
};

// The same program started by `softlbr record`. Whatever the period, the program finds its stack at the same addresses.
Launch UnderRecord(const Launch& program, const RecordSettings& settings);

// Settings under which everything is as when recording, but no sample ever comes: what is stepped through.
RecordSettings NeverSampling(RecordSettings settings);

// Runs it to its end. Result: empty on success, else what went wrong, with what the command said.
std::string Record(const Launch& program, const RecordSettings& settings, toolchain::Profile* profile);

// Traces of a profile with the modules of `path`. Code that the recorder found in no module keeps kUnmapped; a module that
// the true path does not have becomes an address that never executed.
std::vector<RecordedTrace> TracesOf(const toolchain::Profile& profile, const TruePath& path);

// Name of the capability this machine lacks for recording and stepping, empty if all is there.
std::string MissingCapability();

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_RECORDING_H_
