// Runs a program under `softlbr record --traces` and converts its traces to the module numbers of a true path.
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

// The same program started by `softlbr record`. The program's stack is at the same addresses for all periods.
Launch UnderRecord(const Launch& program, const RecordSettings& settings);

// The same settings, with a period so long that no sample is taken: for the execution that is single-stepped.
RecordSettings NeverSampling(RecordSettings settings);

// Runs the program to its end. Result: empty on success, else what went wrong, with the command's output.
std::string Record(const Launch& program, const RecordSettings& settings, toolchain::Profile* profile);

// Traces of a profile, with the modules of `path`. Code that the recorder found in no module is kUnmapped. An address
// in a module that the true path does not have becomes one that never executed.
std::vector<RecordedTrace> TracesOf(const toolchain::Profile& profile, const TruePath& path);

// The capability that this machine lacks for recording and stepping; empty if it lacks none.
std::string MissingCapability();

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_RECORDING_H_
