// Breakpoint hits that arrive without their mark, beside SIGTRAPs of the program's own that look like them.
#include "tests/hazards/hazard_run.h"
#include "tests/platform/breakpoint_hits.h"

namespace softlbr::hazards {
namespace {

class UnmarkedRecord : public HazardRun {};

// The static policy keeps a breakpoint armed nearly always.
TEST_F(UnmarkedRecord, ProgramGetsEveryTrapOfItsOwn) {
  for (const char* resolve : {"static", "lookahead"}) {
    if (IsSmall() && std::string(resolve) == "static") continue;
    SCOPED_TRACE(resolve);
    period_ns_ = 20011;
    ExpectUndisturbed({Program("own_traps")}, {"--resolve", resolve});
    EXPECT_GT(Stats()["samples"].get<uint64_t>(), 100u);
  }
}

// On a machine that loses marks, each such hit would kill the program.
TEST_F(UnmarkedRecord, RealHitsWithoutTheirMarkKillNothing) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();
  if (IsSmall()) GTEST_SKIP() << "missing: a CPU that is not emulated";
  if (!testing::HasProgram("perl")) GTEST_SKIP() << "missing: perl";
  constexpr int kRuns = 20;
  period_ns_ = 20000;
  uint64_t hits = 0;
  uint64_t unmarked = 0;
  for (int run = 0; run < kRuns; ++run) {
    const CommandResult recorded =
        Recorded({"perl", "-e", "my $s = 0; for my $i (1..200000) { $s += length('a' x ($i % 50)) } print $s"},
                 {"-q", "--resolve", "static"});
    ASSERT_EQ(recorded.signal_number, 0) << "run " << run << recorded.err;
    ASSERT_EQ(recorded.exit_code, 0) << "run " << run << recorded.err;
    EXPECT_EQ(recorded.out, "4900000");
    const json stats = Stats();
    hits += stats["breakpoint_hits"].get<uint64_t>();
    unmarked += stats["unmarked_hits"].get<uint64_t>();
  }
  RecordProperty("unmarked_hits", static_cast<int>(unmarked));
  EXPECT_GT(hits, 1000u);
  if (unmarked == 0) GTEST_SKIP() << "missing: a machine that loses marks; this one marked each of " << hits << " hits";
}

}  // namespace
}  // namespace softlbr::hazards
