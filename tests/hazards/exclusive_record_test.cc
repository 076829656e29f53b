// Records hot loops of exclusive pairs, atomic operations and one-block loops (A64): stores fail no more often than the
// thread is interrupted, the program makes progress, and its path is recorded.
//
// tests/platform/aarch64/exclusive_livelock_aarch64_test.cc shows what a breakpoint inside a pair does.
#include <algorithm>
#include <sstream>

#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

struct Kind {
  const char* name;
  bool is_followed;           // traces continue through the pair; else they end at it
  bool is_evaluated = false;  // look-ahead knows its result: no hits
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

struct PairOutcome {
  uint64_t rounds = 0;
  uint64_t failed = 0;
  std::string sums;
  uint64_t ns_per_thousand = 0;
};

class HotLoop : public HazardRun, public ::testing::WithParamInterface<Kind> {
 protected:
  static std::vector<std::string> Command(int ms) {
    return {Program("hot_loops_aarch64"), GetParam().name, std::to_string(ms)};
  }
  static CommandResult Plain(int ms) { return testing::RunCommand(Command(ms)); }
  static PairOutcome Parse(const CommandResult& result) {
    PairOutcome outcome;
    EXPECT_EQ(result.exit_code, 0) << result.signal_number << result.err;
    std::istringstream(result.out) >> outcome.rounds >> outcome.failed >> outcome.sums >> outcome.ns_per_thousand;
    EXPECT_EQ(outcome.sums, "right") << result.out;
    return outcome;
  }
};

#define SKIP_WITHOUT_INSTRUCTIONS() \
  if (Plain(1).exit_code == 77) GTEST_SKIP() << "missing: a CPU with the instructions of " << GetParam().name

TEST_P(HotLoop, StoresFailNoMoreOftenThanTheThreadIsInterrupted) {
  SKIP_WITHOUT_INSTRUCTIONS();
  for (const char* resolve : {"static", "lookahead"}) {
    if (IsSmall() && std::string(resolve) == "static") continue;
    SCOPED_TRACE(resolve);
    period_ns_ = 200003;
    constexpr int kMs = 150;
    const PairOutcome outcome = Parse(Recorded(Command(kMs), {"-q", "--branches", "64", "--resolve", resolve}));
    const json stats = Stats();
    const auto samples = stats["samples"].get<uint64_t>();
    const auto hits = stats["breakpoint_hits"].get<uint64_t>();
    RecordProperty(std::string(resolve) + "_rounds", std::to_string(outcome.rounds));
    RecordProperty(std::string(resolve) + "_failed", std::to_string(outcome.failed));
    RecordProperty(std::string(resolve) + "_samples", std::to_string(samples));
    RecordProperty(std::string(resolve) + "_hits", std::to_string(hits));
    EXPECT_GT(samples, 10u);
    if (GetParam().is_evaluated && std::string(resolve) == "lookahead") {
      EXPECT_LT(hits, samples);
    } else {
      EXPECT_GT(hits, GetParam().is_followed ? 5 * samples : samples / 100)
          << "or nothing is seen of a breakpoint at the wrong place";
    }
    // Scheduler ticks and other threads interrupt too.
    EXPECT_LE(outcome.failed, samples + kMs / 2);
    EXPECT_GT(outcome.rounds, hits / 8);
    EXPECT_GT(stats["taken_branches"].get<uint64_t>(), GetParam().is_followed ? 10 * samples : samples / 2);
  }
}

TEST_P(HotLoop, ProgramRunsAsFastAsUnrecorded) {
  SKIP_WITHOUT_INSTRUCTIONS();
  period_ns_ = kRareSampleNs;
  uint64_t plain = ~0ull;
  uint64_t recorded = ~0ull;
  for (int round = 0; round < kMostPairs && (round < 3 || recorded > plain + plain / 100); ++round) {
    plain = std::min(plain, Parse(Plain(kPairMs)).ns_per_thousand);
    recorded = std::min(recorded, Parse(Recorded(Command(kPairMs), {"-q", "--branches", "16"})).ns_per_thousand);
  }
  RecordProperty("plain_ns", std::to_string(plain));
  RecordProperty("recorded_ns", std::to_string(recorded));
  EXPECT_LE(recorded, plain + plain / 100);
}

INSTANTIATE_TEST_SUITE_P(Of, HotLoop,
                         ::testing::Values(Kind{"word", true}, Kind{"pair", true}, Kind{"branch", true},
                                           Kind{"call", false}, Kind{"clock_block", true}, Kind{"swap_block", true},
                                           Kind{"lock", true}, Kind{"lse", true, true}, Kind{"lse_pair", true}),
                         [](const ::testing::TestParamInfo<Kind>& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace softlbr::hazards
