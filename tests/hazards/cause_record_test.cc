// Why a process was not recorded is said, with a remedy. Each remedy is tried.
#include <unistd.h>

#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class CauseRecord : public HazardRun {
 protected:
  static bool Says(const CommandResult& result, const std::string& text) {
    return result.err.find(text) != std::string::npos;
  }
};

TEST_F(CauseRecord, TracerOfAStartedProgramIsNamed) {
  const CommandResult plain = testing::RunCommand({Program("confine"), "traced", "--", Program("burns"), "200"});
  if (plain.exit_code == 77) GTEST_SKIP() << plain.err;
  const CommandResult recorded = Recorded({Program("confine"), "traced", "--", Program("burns"), "200"});
  EXPECT_EQ(recorded.exit_code, plain.exit_code) << recorded.err;
  EXPECT_TRUE(Says(recorded, "below a tracer")) << recorded.err;
  EXPECT_TRUE(Says(recorded, "record without the tracer")) << recorded.err;
  const CommandResult alone = Recorded({Program("burns"), "200"});
  EXPECT_FALSE(Says(alone, "tracer")) << alone.err;
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 10u);
}

TEST_F(CauseRecord, DeadlinePolicyIsNamed) {
  if (!testing::HasProgram("chrt")) GTEST_SKIP() << "missing: chrt";
  std::vector<std::string> program = {
      "chrt",     "-d", "--sched-runtime", "5000000", "--sched-deadline", "10000000", "--sched-period",
      "20000000", "0",  Program("burns"),  "100"};
  const CommandResult plain = testing::RunCommand(program);
  if (plain.exit_code != 0) GTEST_SKIP() << "missing: the right to the policy SCHED_DEADLINE: " << plain.err;
  const CommandResult recorded = Recorded(program);
  EXPECT_TRUE(Says(recorded, "SCHED_DEADLINE")) << recorded.err;
  EXPECT_TRUE(Says(recorded, "chrt -R")) << recorded.err;
  program.insert(program.begin() + 1, "-R");
  const CommandResult reset = Recorded(program);
  EXPECT_EQ(reset.exit_code, 0) << reset.err;
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 0u);
}

TEST_F(CauseRecord, AddressSpaceLimitOfAChildIsNamed) {
  const std::string child = Program("burns") + " 100; exit $?";
  const CommandResult recorded = Recorded({"bash", "-c", "ulimit -v 20000; " + child});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_TRUE(Says(recorded, "raise the address space limit (ulimit -v)")) << recorded.err;
  const CommandResult unlimited = Recorded({"bash", "-c", child});
  EXPECT_FALSE(Says(unlimited, "no session could be started")) << unlimited.err;
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 10u);
}

TEST_F(CauseRecord, FilterOfAProgramThatIsExecutedIsNamed) {
  const std::vector<std::string> confined = {Program("confine"), "perf_event_open=EPERM", "--"};
  std::vector<std::string> program = confined;
  program.insert(program.end(), {Program("burns"), "100"});
  const CommandResult plain = testing::RunCommand(program);
  if (plain.exit_code == 77) GTEST_SKIP() << plain.err;
  const CommandResult recorded = Recorded(program);
  EXPECT_EQ(recorded.exit_code, plain.exit_code) << recorded.err;
  EXPECT_TRUE(Says(recorded, "burns (below a seccomp filter")) << recorded.err;
  std::vector<std::string> inside = confined;
  inside.insert(inside.end(), {testing::SoftlbrPath(), "record", "-o", profile_, "--", Program("burns"), "500"});
  const CommandResult below = testing::RunCommand(inside);
  EXPECT_EQ(below.exit_code, 0) << below.err;
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 0u);
}

}  // namespace
}  // namespace softlbr::hazards
