// Programs with and without sanitizers, recorded or with the runtime linked in, print the same as they do alone.
#include <unistd.h>

#include "runtime/include/softlbr/softlbr.h"
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class Sanitized : public HazardRun, public ::testing::WithParamInterface<const char*> {
 protected:
  // The sanitizer's runtime may not support this kernel's address space layout.
  bool CanRun(const std::string& program) {
    plain_ = testing::RunCommand({program, "3", "100"});
    return plain_.exit_code == 5;
  }
  void ExpectBranches() {
    const json stats = Stats();
    EXPECT_GT(stats["samples"].get<uint64_t>(), 20u);
    EXPECT_GT(stats["taken_branches"].get<uint64_t>(), 1000u);
    EXPECT_EQ(stats["is_truncated"], false);
  }
  CommandResult plain_;
};

TEST_P(Sanitized, ProgramIsRecordedUndisturbed) {
  const std::string program = Program(std::string("busy_threads_") + GetParam());
  if (!CanRun(program)) GTEST_SKIP() << "missing: a machine where -fsanitize=" << GetParam() << " runs; " << plain_.err;
  ExpectUndisturbed({program, "3", "100"});
  ExpectBranches();
}

TEST_P(Sanitized, ProgramWithTheRuntimeLinkedInRunsUndisturbed) {
  const std::string program = Program(std::string("linked_") + GetParam());
  if (!CanRun(program)) GTEST_SKIP() << "missing: a machine where -fsanitize=" << GetParam() << " runs; " << plain_.err;
  const CommandResult linked =
      testing::RunCommand({program, "3", "100"}, {"SOFTLBR_OPTIONS=v1;out=" + profile_ + ";period=200003"});
  EXPECT_EQ(linked.exit_code, 5) << linked.err << linked.signal_number;
  EXPECT_EQ(linked.out, plain_.out);
  EXPECT_EQ(linked.err, plain_.err);
  ExpectBranches();
}

INSTANTIATE_TEST_SUITE_P(By, Sanitized, ::testing::Values("address", "undefined", "thread"),
                         [](const ::testing::TestParamInfo<const char*>& by) { return std::string(by.param); });

class Linked : public HazardRun {
 protected:
  void ExpectRecordsItself(const std::string& program) {
    const CommandResult plain = testing::RunCommand({program, "3", "100"});
    const CommandResult linked =
        testing::RunCommand({program, "3", "100"}, {"SOFTLBR_OPTIONS=v1;out=" + profile_ + ";period=200003"});
    EXPECT_EQ(linked.exit_code, plain.exit_code) << linked.err << linked.signal_number;
    EXPECT_EQ(linked.out, plain.out);
    const json stats = Stats();
    EXPECT_GT(stats["samples"].get<uint64_t>(), 50u);
    EXPECT_GT(stats["taken_branches"].get<uint64_t>(), 2000u);
    EXPECT_EQ(stats["threads_traced"], 4);
  }
};

TEST_F(Linked, ProgramRecordsItself) { ExpectRecordsItself(Program("linked_plain")); }

class LinkedTrapHandler : public HazardRun {
 protected:
  static std::string Output(int start, const std::string& before, const std::string& sampled, const std::string& others,
                            int stop) {
    return "start: " + std::to_string(start) + "\nbefore: " + before + "\nsampled to the end: " + sampled +
           "\nown traps: 1, others: " + others + "\nstop: " + std::to_string(stop) + "\nown traps: 2\n";
  }
};

TEST_F(LinkedTrapHandler, InstalledByTheRuntimesFunctionsGetsNoneOfOurTraps) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{Program("linked_trap_handler"), "exchange"},
                                                  {Program("linked_trap_handler_signals"), "libc"}}) {
    const CommandResult result = testing::RunCommand(command);
    EXPECT_EQ(result.exit_code, 4) << result.signal_number << result.err;
    EXPECT_EQ(result.out, Output(0, "default", "yes", "none", 0));
  }
}

TEST_F(LinkedTrapHandler, InstalledByTheLibcEndsSamplingAndStopSaysSo) {
  const CommandResult result = testing::RunCommand({Program("linked_trap_handler"), "libc"});
  EXPECT_EQ(result.exit_code, 4) << result.signal_number << result.err;
  EXPECT_EQ(result.out, Output(0, "HANDLER", "no", "SOME", SOFTLBR_HANDLER_REPLACED));
}

// An app may be in a sandbox while it has no session.
TEST_F(LinkedTrapHandler, WaitsMakeNoCallOfOursWithoutASession) {
  const CommandResult result = testing::RunCommand({Program("linked_waits")});
  if (result.exit_code == 99) GTEST_SKIP() << "missing: seccomp filters: " << result.err;
  EXPECT_EQ(result.exit_code, 6) << result.signal_number << result.err;
}

// There the archive's functions take the libc's place; there is none to call on.
TEST_F(LinkedTrapHandler, SignalFunctionsOfAStaticProgramDoWhatTheLibcsDo) {
  const CommandResult plain = testing::RunCommand({Program("signal_functions")});
  ASSERT_EQ(plain.exit_code, 8) << plain.signal_number << plain.err;
  for (const std::vector<std::string>& command : {std::vector<std::string>{Program("signal_functions_static")},
                                                  {Program("signal_functions_static"), "session"},
                                                  {Program("signal_functions_checked")}}) {
    const CommandResult result = testing::RunCommand(command);
    EXPECT_EQ(result.exit_code, 8) << result.signal_number << result.err;
    EXPECT_EQ(result.out, plain.out);
  }
}

// Two copies of the runtime in one process: the preloaded one has the session.
TEST_F(LinkedTrapHandler, SecondCopyOfTheRuntimeLeavesTheFirstAlone) {
  for (const char* name : {"linked_trap_handler", "linked_trap_handler_signals"}) {
    SCOPED_TRACE(name);
    const CommandResult recorded = Recorded({Program(name), "libc"}, {"-q"});
    EXPECT_EQ(recorded.exit_code, 4) << recorded.signal_number << recorded.err;
    EXPECT_EQ(recorded.out, Output(SOFTLBR_OTHER_RUNTIME, "default", "no", "none", SOFTLBR_WRONG_STATE));
    EXPECT_EQ(recorded.err, "");
    EXPECT_GT(Stats()["samples"].get<uint64_t>(), 500u) << "sampled until its end";
    EXPECT_EQ(Lost("handler_replaced"), 0u);
  }
}

}  // namespace
}  // namespace softlbr::hazards
