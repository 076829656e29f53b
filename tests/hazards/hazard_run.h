// Runs a program alone and recorded, and compares its output and exit code.
#ifndef SOFTLBR_TESTS_HAZARDS_HAZARD_RUN_H_
#define SOFTLBR_TESTS_HAZARDS_HAZARD_RUN_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::hazards {

using nlohmann::json;
using testing::CommandResult;

// SOFTLBR_TRUTH_SMALL: the machine is emulated. QEMU executes a page with an armed breakpoint one instruction at a
// time, so tests leave out the static policy, which keeps a breakpoint armed nearly always.
inline bool IsSmall() { return std::getenv("SOFTLBR_TRUTH_SMALL") != nullptr; }

// Tests compare the speed of a program alone and recorded, to a percent, in pairs of runs. A sample costs 50 to 130 us,
// depending on the number of instructions per branch and on how busy the machine is. One sample every 10 ms would cost
// half a percent to more than one percent. So these tests sample less often, and still less often in a guest, where an
// instruction takes several ns.
#if defined(__aarch64__)
inline constexpr uint64_t kRareSampleNs = 100000019;
inline constexpr int kPairMs = 400;
inline constexpr int kFewestPairs = 5;
inline constexpr int kMostPairs = 8;
inline constexpr int kMostSeries = 1;
#else
inline constexpr uint64_t kRareSampleNs = 20000003;
inline constexpr int kPairMs = 100;
inline constexpr int kFewestPairs = 9;
inline constexpr int kMostPairs = 40;
inline constexpr int kMostSeries = 8;
#endif

class HazardRun : public ::testing::Test {
 protected:
  // Path of a program of this folder.
  static std::string Program(const std::string& name) {
    return std::string(SOFTLBR_HAZARD_PROGRAMS) + "/hazard_" + name;
  }

  // Runs a program under `softlbr record`. With the option -q its standard error holds the program's output only.
  CommandResult Recorded(const std::vector<std::string>& program, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"record", "-o", profile_, "-e", event_, "-c", std::to_string(period_ns_)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back("--");
    arguments.insert(arguments.end(), program.begin(), program.end());
    return testing::RunSoftlbr(arguments, environment_);
  }
  // The statistics of the last recording.
  json Stats() {
    const CommandResult stats = testing::RunSoftlbr({"stats", profile_, "--json"});
    EXPECT_EQ(stats.exit_code, 0) << stats.err;
    return stats.exit_code == 0 ? json::parse(stats.out) : json{};
  }
  uint64_t Lost(const std::string& reason) {
    const json stats = Stats();
    return stats["lost"].value(reason, uint64_t{0});
  }

  // True if the control thread runs outside the program, as it does where perf_event_open admits the threads of another
  // process.
  bool HasHelper() { return Recorded({Program("alone"), "threads"}, {"-q"}).out == "1\n"; }

  // Expects the recorded program to print and end as it does alone. Leaves the recording for Stats().
  void ExpectUndisturbed(const std::vector<std::string>& program, const std::vector<std::string>& options = {}) {
    const CommandResult plain = testing::RunCommand(program);
    std::vector<std::string> quiet = options;
    quiet.push_back("-q");
    const CommandResult recorded = Recorded(program, quiet);
    EXPECT_EQ(recorded.exit_code, plain.exit_code);
    EXPECT_EQ(recorded.signal_number, plain.signal_number);
    EXPECT_EQ(recorded.out, plain.out);
    EXPECT_EQ(recorded.err, plain.err);
    EXPECT_NE(plain.exit_code, 99) << plain.err;  // MUST of hazard_program.h
  }

  testing::TemporaryFolder folder_;
  std::string profile_ = folder_ / "p.slbr";
  std::vector<std::string> environment_;  // for the command and the program
  std::string event_ = "task-clock";
  uint64_t period_ns_ = 200003;
};

}  // namespace softlbr::hazards

#endif  // SOFTLBR_TESTS_HAZARDS_HAZARD_RUN_H_
