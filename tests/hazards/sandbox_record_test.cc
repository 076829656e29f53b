// Programs that enter a sandbox while they are recorded.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class SandboxRecord : public HazardRun {
 protected:
  static constexpr char kCause[] = "entered a sandbox";
  uint64_t Samples() { return Stats()["samples"].get<uint64_t>(); }
};

// Ways into a sandbox that does not allow the system calls of handlers.
class Forbidding : public SandboxRecord, public ::testing::WithParamInterface<const char*> {};

TEST_P(Forbidding, EndsTheRecordingAndNotTheProgram) {
  const std::vector<std::string> program = {Program("enters_sandbox"), GetParam()};
  for (const bool has_breakpoints : {true, false}) {
    std::vector<std::string> options;
    if (!has_breakpoints) options.push_back("--no-breakpoints");
    const CommandResult plain = testing::RunCommand(program);
    if (plain.exit_code == 99)
      GTEST_SKIP() << "missing: seccomp filters, or system call dispatch: " << plain.out << plain.err;
    ASSERT_EQ(plain.exit_code, 7) << plain.signal_number << plain.err;
    const CommandResult recorded = Recorded(program, options);
    EXPECT_EQ(recorded.exit_code, 7) << recorded.signal_number << recorded.err;
    EXPECT_EQ(recorded.out, plain.out);
    EXPECT_NE(recorded.err.find(kCause), std::string::npos) << recorded.err;
    const json stats = Stats();
    EXPECT_GT(stats["samples"].get<uint64_t>(), 20u);
    EXPECT_GT(stats["taken_branches"].get<uint64_t>(), 1000u);
    EXPECT_EQ(stats["is_truncated"], false);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Forbidding,
                         ::testing::Values("strict", "strict_seccomp", "prctl", "seccomp", "tsync", "thread", "eperm",
                                           "log", "trap", "dispatch"),
                         [](const auto& way) { return std::string(way.param); });

// Ways that leave us every system call.
class Permitting : public SandboxRecord, public ::testing::WithParamInterface<const char*> {};

TEST_P(Permitting, IsRecordedToItsEnd) {
  if (!HasHelper()) GTEST_SKIP() << "needs perf_event_open on the threads of another process";
  const std::vector<std::string> program = {Program("enters_sandbox"), GetParam(), "odd", "odd", "odd"};
  const CommandResult plain = testing::RunCommand(program);
  if (plain.exit_code == 99) GTEST_SKIP() << "missing: seccomp filters: " << plain.err;
  const CommandResult recorded = Recorded(program);
  EXPECT_EQ(recorded.exit_code, 7) << recorded.signal_number << recorded.err;
  EXPECT_EQ(recorded.out, plain.out);
  EXPECT_EQ(recorded.err.find(kCause), std::string::npos) << recorded.err;
  const json stats = Stats();
  EXPECT_EQ(stats["is_truncated"], false);
  // Of five equal parts of the work, one comes before the sandbox. On a busy machine one of two runs can be twice as
  // fast.
  uint64_t samples = stats["samples"].get<uint64_t>();
  uint64_t before_sandbox = 0;
  for (int pair = 0; pair < 5 && (pair == 0 || samples <= 2 * before_sandbox); ++pair) {
    if (pair != 0) {
      ASSERT_EQ(Recorded(program).exit_code, 7);
      samples = Samples();
    }
    ASSERT_EQ(Recorded({Program("enters_sandbox"), "prctl"}).exit_code, 7);
    before_sandbox = Samples();
  }
  EXPECT_GT(samples, 2 * before_sandbox);
}

INSTANTIATE_TEST_SUITE_P(Ways, Permitting,
                         ::testing::Values("harmless", "harmless_tsync", "no_readv", "odd", "unprivileged", "child",
                                           "child_strict"),
                         [](const auto& way) { return std::string(way.param); });

// The list that filters are compared with is complete: the filter kills for every other call.
TEST_F(SandboxRecord, OnlyTheCallsListedAreMade) {
  if (!HasHelper()) GTEST_SKIP() << "needs perf_event_open on the threads of another process";
  for (const char* resolve : {"lookahead", "static"}) {
    ExpectUndisturbed({Program("enters_sandbox"), "ours"}, {"--resolve", resolve});
    const json stats = Stats();
    EXPECT_EQ(stats["is_truncated"], false);
    EXPECT_GT(stats["samples"].get<uint64_t>(), 100u);
    EXPECT_GT(stats["threads_traced"].get<uint64_t>(), 1u) << "recorded in the sandbox";
  }
}

TEST_F(SandboxRecord, StricterSandboxInAHarmlessOneEndsTheRecording) {
  const CommandResult recorded = Recorded({Program("enters_sandbox"), "harmless", "prctl"});
  if (recorded.exit_code == 99) GTEST_SKIP() << "missing: seccomp filters: " << recorded.err;
  EXPECT_EQ(recorded.exit_code, 7) << recorded.signal_number << recorded.err;
  EXPECT_NE(recorded.err.find(kCause), std::string::npos) << recorded.err;
  EXPECT_GT(Samples(), 40u);
}

}  // namespace
}  // namespace softlbr::hazards
