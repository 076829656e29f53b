// Records programs that end in every possible way: they end as they do alone, and the profile can be read.
#include <unistd.h>

#include <tuple>

#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

struct End {
  const char* how;
  bool is_whole;  // our exit handlers run; otherwise the helper completes the profile, if there is one
};
void PrintTo(const End& end, std::ostream* out) { *out << end.how; }

// With glibc, and with musl.
class ProcessEnd : public HazardRun, public ::testing::WithParamInterface<std::tuple<const char*, End>> {};

TEST_P(ProcessEnd, LeavesAReadableProfile) {
  const auto& [name, end] = GetParam();
  const std::vector<std::string> program = {Program(name), end.how};
  if (access(program[0].c_str(), X_OK) != 0) GTEST_SKIP() << "needs musl-gcc (Debian package musl-tools)";
  const bool is_complete = end.is_whole || HasHelper();
  const CommandResult plain = testing::RunCommand(program);
  const CommandResult recorded = Recorded(program, {"-q"});
  EXPECT_EQ(recorded.exit_code, plain.exit_code);
  EXPECT_EQ(recorded.signal_number, plain.signal_number);
  EXPECT_EQ(recorded.out, plain.out);
  if (is_complete) {
    EXPECT_EQ(recorded.err, plain.err);
  } else {
    EXPECT_NE(recorded.err.find("the profile holds what had been written until then"), std::string::npos)
        << recorded.err;
  }
  const json stats = Stats();
  ASSERT_FALSE(stats.empty());
  EXPECT_EQ(stats["damaged_frames"], 0);
  EXPECT_GT(stats["distinct_branches"].get<uint64_t>(), 3u) << "of half a second";
  EXPECT_EQ(stats["is_truncated"], !is_complete);
}

std::string NameOf(const ::testing::TestParamInfo<std::tuple<const char*, End>>& way) {
  return std::get<1>(way.param).how;
}

INSTANTIATE_TEST_SUITE_P(Ways, ProcessEnd,
                         ::testing::Combine(::testing::Values("ends"),
                                            ::testing::Values(End{"return", true}, End{"exit_in_thread", true},
                                                              End{"main_ends_first", true}, End{"_exit", true},
                                                              End{"quick_exit", true}, End{"abort", false},
                                                              End{"segv", false}, End{"ill", false}, End{"kill", false},
                                                              End{"trap", false})),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(WaysOfMusl, ProcessEnd,
                         ::testing::Combine(::testing::Values("ends_musl"),
                                            ::testing::Values(End{"return", true}, End{"_exit", true},
                                                              End{"quick_exit", true}, End{"segv", false})),
                         NameOf);

// One thread calls exit(), another ends the process by a call that runs no exit handlers. Which is first depends on the
// delay and differs between runs.
class EndedByTwoThreads : public HazardRun, public ::testing::WithParamInterface<const char*> {};

TEST_P(EndedByTwoThreads, LeavesACompleteProfile) {
  const int runs = IsSmall() ? 3 : 24;
  for (int run = 0; run < runs; ++run) {
    const int delay_us = run % 8 * run;
    const CommandResult recorded = Recorded({Program("ends"), GetParam(), std::to_string(delay_us)}, {"-q"});
    ASSERT_EQ(recorded.exit_code, 7) << "signal " << recorded.signal_number << " after " << delay_us << " us";
    ASSERT_EQ(recorded.out, "");
    const bool has_replaced_itself =
        recorded.err.find("the program replaced itself by another one") != std::string::npos;
    ASSERT_TRUE(recorded.err.empty() || (GetParam() == std::string("exec") && has_replaced_itself)) << recorded.err;
    const json stats = Stats();
    ASSERT_FALSE(stats.empty());
    ASSERT_EQ(stats["damaged_frames"], 0);
    ASSERT_EQ(stats["is_truncated"], false) << "after " << delay_us << " us";
    ASSERT_GT(stats["samples"].get<uint64_t>(), 10u);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, EndedByTwoThreads, ::testing::Values("_exit", "exec"));

}  // namespace
}  // namespace softlbr::hazards
