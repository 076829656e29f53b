// Records programs that spend their time around rseq critical sections: they make progress, and code after a section is
// recorded as often as code before it.
#include <algorithm>
#include <sstream>
#include <vector>

#include "tests/hazards/hazard_run.h"
#include "tests/platform/breakpoint_hits.h"

namespace softlbr::hazards {
namespace {

struct Outcome {
  uint64_t rounds = 0;
  uint64_t restarts = 0;
  std::string sum;
  uint64_t ns_per_thousand = 0;
};

struct Variant {
  const char* name;
  std::vector<const char*> arguments;  // after the milliseconds
  bool exits_are_known;                // else the trace ends at the section
};

class RseqRecord : public HazardRun, public ::testing::WithParamInterface<Variant> {
 protected:
  static std::vector<std::string> Command(int ms) {
    std::vector<std::string> command = {Program(std::string("rseq_counter_") + GetParam().name), std::to_string(ms)};
    command.insert(command.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    if (command.back() == "library") command.back() = std::string(SOFTLBR_HAZARD_PROGRAMS) + "/hazard_rseq_library.so";
    return command;
  }
  // Tells the libc not to register its rseq area if the program registers one.
  static std::vector<std::string> Environment() {
    if (std::string(GetParam().arguments[0]) != "self") return {};
    return {"GLIBC_TUNABLES=glibc.pthread.rseq=0"};
  }
  Outcome RecordFor(int ms, const std::vector<std::string>& options) {
    environment_ = Environment();
    return Parse(Recorded(Command(ms), options));
  }
  static CommandResult Plain(int ms) { return testing::RunCommand(Command(ms), Environment()); }
  static Outcome Parse(const CommandResult& result) {
    Outcome outcome;
    EXPECT_EQ(result.exit_code, 0) << result.signal_number << result.err;
    std::istringstream(result.out) >> outcome.rounds >> outcome.restarts >> outcome.sum >> outcome.ns_per_thousand;
    EXPECT_EQ(outcome.sum, "right") << result.out;
    return outcome;
  }
  static bool HasRseq() { return Plain(1).exit_code != 77; }
  // What the session's handlers cost the program's threads.
  static double TraceNs(const json& stats) {
    double ns = 0;
    for (const char* part : {"sampling", "evaluating", "lifting", "breakpoints"})
      ns += stats["overhead_ns"][part].get<double>();
    return ns;
  }
  // Number of recorded entries of a function.
  static double Entered(const json& report, const std::string& function) {
    double entered = 0;
    for (const json& each : report["functions"]) {
      if (each["name"] == function) entered += each["entered"].get<double>();
    }
    return entered;
  }
};

TEST_P(RseqRecord, CodeAfterTheSectionIsRecordedAsOftenAsBefore) {
  SOFTLBR_NEEDS_BREAKPOINT_HITS();  // at the section's exits
  if (!HasRseq()) GTEST_SKIP() << "needs an rseq area registered";
  for (const char* resolve : {"static", "lookahead"}) {
    if (IsSmall() && std::string(resolve) == "static") continue;
    period_ns_ = 500003;
    double before = 0;
    double behind = 0;
    // A slow machine needs longer for enough samples.
    for (int ms = 700; ms <= 2800 && before < 120; ms *= 2) {
      const Outcome outcome = RecordFor(ms, {"-q", "--branches", "256", "--resolve", resolve});
      EXPECT_LT(outcome.restarts, outcome.rounds / 100) << resolve << ": a breakpoint was set inside";
      const CommandResult text = testing::RunSoftlbr(
          {"report", profile_, "--json", "--top", "50", "-b", Program(std::string("rseq_counter_") + GetParam().name)});
      ASSERT_EQ(text.exit_code, 0) << text.err;
      const json report = json::parse(text.out);
      before = Entered(report, "work_before");
      behind = Entered(report, "work_behind");
    }
    RecordProperty(std::string(resolve) + "_before", std::to_string(before));
    RecordProperty(std::string(resolve) + "_behind", std::to_string(behind));
    EXPECT_GT(before, 100) << resolve;
    if (GetParam().exits_are_known) {  // else the code right after the section is missing, as in the paper
      EXPECT_NEAR(behind / before, 1, 0.1) << resolve << ": " << before << ", " << behind;
    }
    EXPECT_GT(Stats()["traces_aborted"]["restartable_sequence"].get<uint64_t>(), 20u) << resolve;
  }
}

TEST_P(RseqRecord, ProgramRunsAsFastAsUnrecorded) {
  if (!HasRseq()) GTEST_SKIP() << "needs an rseq area registered";
  period_ns_ = kRareSampleNs;
  const std::vector<std::string> options = {"-q", "--branches", IsSmall() ? "16" : "128"};
  uint64_t samples = 0;
  // What the traces cost is counted, and another test's concern; here the program must make the progress that the rest
  // of its time allows. Alternates runs alone and recorded and takes the median of the ratios, so that neither a short
  // time of a faster clock nor one disturbed run changes the result. A disturbance of many seconds can only slow the
  // program down; then the series is repeated.
  double middle = 2;
  for (int series = 0; series < kMostSeries && middle > 1.01; ++series) {
    std::vector<double> ratios;
    do {
      const auto plain = static_cast<double>(Parse(Plain(kPairMs)).ns_per_thousand);
      const Outcome outcome = RecordFor(kPairMs, options);
      const json stats = Stats();
      samples += stats["samples"].get<uint64_t>();
      const auto recorded = static_cast<double>(outcome.ns_per_thousand);
      ratios.push_back((recorded - TraceNs(stats) * 1000 / static_cast<double>(outcome.rounds)) / plain);
      std::sort(ratios.begin(), ratios.end());
      middle = ratios[ratios.size() / 2];
    } while (ratios.size() < size_t{kMostPairs} && (ratios.size() < size_t{kFewestPairs} || middle > 1.01));
    RecordProperty("middle_ratio_" + std::to_string(series), std::to_string(middle));
  }
  RecordProperty("samples", std::to_string(samples));
  EXPECT_LE(middle, 1.01);
  EXPECT_GE(samples, static_cast<uint64_t>(kFewestPairs)) << "too little was recorded";
}

std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << variant.name; }

const Variant kVariants[] = {
    {"bfd", {"libc"}, true},
    {"lld", {"libc"}, true},
    {"bfd_fixed", {"libc"}, true},
    {"lld_gc", {"libc"}, true},
#if SOFTLBR_HAS_BFD_RELR
    {"bfd_relr", {"libc"}, true},
#endif
#if SOFTLBR_HAS_LLD_RELR
    {"lld_relr", {"libc"}, true},
#endif
    {"bfd", {"libc", "library"}, true},
    {"hidden", {"libc"}, false},
    {"hidden", {"self"}, false},
};

INSTANTIATE_TEST_SUITE_P(Linkers, RseqRecord, ::testing::ValuesIn(kVariants), [](const auto& variant) {
  std::string name = variant.param.name;
  for (const char* argument : variant.param.arguments) name += std::string("_") + argument;
  return name;
});

}  // namespace
}  // namespace softlbr::hazards
