// Programs that replace themselves, or have children, in ways that a recording must not be noticed by.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class ExecRecord : public HazardRun {
 protected:
  ExecRecord() { period_ns_ = 200003; }
};

TEST_F(ExecRecord, PendingTrapsEndNoProgramThatIsExecuted) {
  const CommandResult recorded = Recorded({Program("odd_execs"), "blocked", Program("unblocks")});
  EXPECT_EQ(recorded.exit_code, 4) << recorded.signal_number << recorded.err;
  EXPECT_EQ(recorded.out, "alive\n");
  ExpectUndisturbed({Program("odd_execs"), "blocked_child", Program("unblocks")});
}

TEST_F(ExecRecord, ProgramWithTwoPreloadVariablesSeesItsOwn) {
  ExpectUndisturbed({Program("odd_execs"), "preloads", "/usr/bin/env"});
}

TEST_F(ExecRecord, WhoWaitsForAReaderOfAFifoIsNotWokenByItsExecution) {
  ExpectUndisturbed({Program("odd_execs"), "fifo", "none"});
}

TEST_F(ExecRecord, ChildThatMayNotWriteFilesLives) { ExpectUndisturbed({Program("limited_children"), "files"}); }

TEST_F(ExecRecord, NewNamespaceOfProcessIdsHasTheProgramsFirstProcess) {
  ExpectUndisturbed({Program("limited_children"), "pids"});
}

}  // namespace
}  // namespace softlbr::hazards
