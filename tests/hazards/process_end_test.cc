// Programs that end in every way, recorded: they end as they would have, and what was written can be read.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

struct End {
  const char* how;
  bool is_whole;  // our exit handlers run
};

class ProcessEnd : public HazardRun, public ::testing::WithParamInterface<End> {};

TEST_P(ProcessEnd, LeavesAProfileThatCanBeRead) {
  const std::vector<std::string> program = {Program("ends"), GetParam().how};
  const CommandResult plain = testing::RunCommand(program);
  const CommandResult recorded = Recorded(program, {"-q"});
  EXPECT_EQ(recorded.exit_code, plain.exit_code);
  EXPECT_EQ(recorded.signal_number, plain.signal_number);
  EXPECT_EQ(recorded.out, plain.out);
  if (GetParam().is_whole) {
    EXPECT_EQ(recorded.err, plain.err);
  } else {
    EXPECT_NE(recorded.err.find("the profile holds what had been written until then"), std::string::npos) << recorded.err;
  }
  const json stats = Stats();
  ASSERT_FALSE(stats.empty());
  EXPECT_EQ(stats["damaged_frames"], 0);
  EXPECT_GT(stats["distinct_branches"].get<uint64_t>(), 3u) << "half a second had been recorded";
  EXPECT_EQ(stats["is_truncated"], !GetParam().is_whole);
}

INSTANTIATE_TEST_SUITE_P(Ways, ProcessEnd,
                         ::testing::Values(End{"return", true}, End{"exit_in_thread", true}, End{"main_ends_first", true},
                                           End{"_exit", true}, End{"abort", false}, End{"segv", false}, End{"ill", false},
                                           End{"kill", false}, End{"trap", false}),
                         [](const ::testing::TestParamInfo<End>& way) { return std::string(way.param.how); });

}  // namespace
}  // namespace softlbr::hazards
