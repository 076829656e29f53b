// Recorded programs do not see the control thread: neither a thread nor a child, nor what would follow from one.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class HelperRecord : public HazardRun {};

class Alone : public HelperRecord, public ::testing::WithParamInterface<const char*> {};

TEST_P(Alone, ProgramIsUndisturbed) {
  if (!HasHelper()) GTEST_SKIP() << "needs perf_event_open on the threads of another process";
  ExpectUndisturbed({Program("alone"), GetParam()});
  const json stats = Stats();
  ASSERT_FALSE(stats.empty());
  EXPECT_EQ(stats["is_truncated"], false);
  EXPECT_GT(stats["samples"].get<uint64_t>(), 10u);
  // The clock of a program that has ended reads 0.
  EXPECT_GT(stats["app_cpu_ns"].get<uint64_t>(), 0u);
  EXPECT_LT(stats["app_cpu_ns"].get<uint64_t>(), 100 * stats["duration_ns"].get<uint64_t>());
}

INSTANTIATE_TEST_SUITE_P(Ways, Alone,
                         ::testing::Values("threads", "raw_exit", "namespaces", "time", "memory", "user", "signals",
                                           "children", "exec"),
                         [](const auto& way) { return std::string(way.param); });

// The kernel shows the command line of the memory, which the helper shares. Without a helper there is nothing to find.
TEST_F(HelperRecord, HasTheProgramsCommandLineButItsOwnName) {
  const std::string mark = std::to_string(getpid());
  const std::vector<std::string> program = {Program("alone"), "instances", mark};
  EXPECT_EQ(testing::RunCommand(program).out, "1 by command line, 1 by name\n");
  if (HasHelper()) {
    EXPECT_EQ(Recorded(program, {"-q"}).out, "2 by command line, 1 by name\n");
  }
  event_ = "thread-timer";
  EXPECT_EQ(Recorded(program, {"-q"}).out, "1 by command line, 1 by name\n");
}

class LimitedProcesses : public HelperRecord, public ::testing::WithParamInterface<const char*> {};

// The helper takes the entry that the program's child, or thread, needs.
TEST_P(LimitedProcesses, ProgramGetsAsManyAsAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become a user of its own";
  const std::vector<std::string> program = {Program("limits_processes"), GetParam()};
  const CommandResult plain = testing::RunCommand(program);
  const CommandResult recorded = Recorded(program, {"-q"});
  EXPECT_EQ(recorded.exit_code, plain.exit_code);
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_EQ(recorded.out, plain.out);
  EXPECT_NE(recorded.err.find("limit of processes"), std::string::npos) << recorded.err;
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 10u) << "it is recorded until then";
}

INSTANTIATE_TEST_SUITE_P(Ways, LimitedProcesses,
                         ::testing::Values("fork", "vfork", "clone", "spawn", "system", "popen", "thread"),
                         [](const auto& way) { return std::string(way.param); });

class Reaping : public HelperRecord, public ::testing::WithParamInterface<const char*> {};

// A helper is an orphan, for which such a program waits.
TEST_P(Reaping, ProgramWaitsForItsOwnOnly) {
  if (geteuid() != 0 && std::string(GetParam()) == "namespace")
    GTEST_SKIP() << "needs root, for a namespace of process ids";
  ExpectUndisturbed({Program("reaps"), GetParam()});
  EXPECT_GE(Stats()["sessions"].size(), 2u) << "the child is recorded, too";
}

INSTANTIATE_TEST_SUITE_P(Ways, Reaping, ::testing::Values("subreaper", "namespace"),
                         [](const auto& way) { return std::string(way.param); });

}  // namespace
}  // namespace softlbr::hazards
