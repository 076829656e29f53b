// Records a program that walks its arguments, environment and auxiliary vector where the kernel put them.
#include <unistd.h>

#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class StartBlock : public HazardRun, public ::testing::WithParamInterface<const char*> {};

TEST_P(StartBlock, IsAsWithoutRecording) {
  const std::string program = Program(GetParam());
  if (access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "needs musl-gcc (Debian package musl-tools)";
  // A nonexistent library in LD_PRELOAD only causes a warning.
  for (const std::string& preload :
       {std::string("LD_PRELOAD"), std::string("LD_PRELOAD="), std::string("LD_PRELOAD=/nonexistent/x.so")}) {
    SCOPED_TRACE(preload);
    environment_ = {preload};
    const CommandResult plain = testing::RunCommand({program, "print"}, environment_);
    const CommandResult recorded = Recorded({program, "print"}, {"-q"});
    EXPECT_EQ(plain.exit_code, 3) << plain.err;
    EXPECT_EQ(recorded.exit_code, 3) << recorded.err;
    EXPECT_EQ(recorded.out, plain.out);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, StartBlock, ::testing::Values("start_block", "start_block_musl"),
                         [](const ::testing::TestParamInfo<const char*>& of) { return std::string(of.param); });

}  // namespace
}  // namespace softlbr::hazards
