// Records programs that exec, without the new program: the profile ends there, is complete, and the command says so.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class ReplacedProgram : public HazardRun {};

TEST_F(ReplacedProgram, IsRecordedUntilExecByEveryExecFunction) {
  for (const char* how : {"execve", "execv", "execvp", "execvpe", "fexecve", "execveat", "execl", "execlp", "execle"}) {
    const CommandResult recorded = Recorded({Program("replace_itself"), how}, {"--no-children"});
    EXPECT_EQ(recorded.exit_code, 0) << how;
    EXPECT_EQ(recorded.out, std::string(how) == "execle" ? "A=b\n" : "replaced\n") << how;
    EXPECT_NE(recorded.err.find("replaced itself by another one (exec)"), std::string::npos) << how << recorded.err;
    const json stats = Stats();
    EXPECT_GT(stats["samples"].get<uint64_t>(), 50u) << how;
    EXPECT_FALSE(stats.value("truncated", false)) << how;
  }
}

TEST_F(ReplacedProgram, FailedExecLeavesTheProgramRunningUntraced) {
  const CommandResult recorded = Recorded({Program("replace_itself"), "fails"});
  EXPECT_EQ(recorded.exit_code, 4);
  EXPECT_EQ(recorded.out, "still here\n");
  EXPECT_EQ(recorded.err.find("exec"), std::string::npos) << recorded.err;
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 50u);
}

}  // namespace
}  // namespace softlbr::hazards
