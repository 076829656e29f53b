// Records programs that make their parent, the command, their tracer.
#include <csignal>

#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class TracedProgram : public HazardRun {};

// Alone, such a program stops at its first signal until its parent resumes it: it cannot run under a shell.
TEST_F(TracedProgram, RunsOnWithItsSignals) {
  for (const uint64_t period : {1000003u, 100003u}) {
    period_ns_ = period;
    const CommandResult recorded = Recorded({Program("asks_for_tracer")}, {"-q"});
    EXPECT_EQ(recorded.exit_code, 4) << recorded.signal_number << recorded.err;
    EXPECT_EQ(recorded.out, "traced: 0\nagain: -1\nsignals: 5\n");
    EXPECT_EQ(recorded.err, "");
    EXPECT_GT(Stats()["samples"].get<uint64_t>(), 10u) << "of the time before it was traced";
  }
}

TEST_F(TracedProgram, MayExecuteAnother) {
  const CommandResult recorded = Recorded({Program("asks_for_tracer"), "and_executes"}, {"-q"});
  EXPECT_EQ(recorded.exit_code, 6) << recorded.signal_number << recorded.err;
  EXPECT_EQ(recorded.out, "traced: 0\nagain: -1\nsignals: 5\nexecuted\n");
}

TEST_F(TracedProgram, ForkedChildStopsBeforeItsTracerByItsOwnSignalsOnly) {
  const CommandResult plain = testing::RunCommand({Program("traces_child")});
  ASSERT_EQ(plain.out, "stopped: " + std::to_string(SIGUSR1) + "\nended: 3\n");
  const CommandResult recorded = Recorded({Program("traces_child")}, {"-q"});
  EXPECT_EQ(recorded.exit_code, 5) << recorded.signal_number << recorded.err;
  EXPECT_EQ(recorded.out, plain.out);
}

}  // namespace
}  // namespace softlbr::hazards
