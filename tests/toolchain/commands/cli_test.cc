// The command-line interface: exit codes, standard output, and one line on standard error.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/profile_reader.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOFTLBR_TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SOFTLBR_TEST_IS_SANITIZED 1
#endif
#endif
#ifndef SOFTLBR_TEST_IS_SANITIZED
#define SOFTLBR_TEST_IS_SANITIZED 0
#endif

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::RunSoftlbr;

class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    profile_ = folder_ / "p.slbr";
    Write(testing::SyntheticProfile(), profile_);
  }
  static void Write(const Profile& profile, const std::string& path) { ASSERT_EQ(WriteProfileFile(profile, path), ""); }
  // A failure prints one line that starts with "softlbr: ".
  static void ExpectFailure(const CommandResult& result, int code, const std::string& text) {
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_TRUE(result.err.starts_with("softlbr: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  }

  testing::TemporaryFolder folder_;
  std::string profile_;
};

TEST_F(Cli, ColoursOnlyOnATerminalWithoutNoColor) {
  if (!testing::HasProgram("script")) GTEST_SKIP() << "needs script";
  const std::string command = testing::SoftlbrPath() + " report " + profile_;
  const auto is_coloured = [&](const std::vector<std::string>& environment) {
    const CommandResult result = testing::RunCommand({"script", "-qec", command, "/dev/null"}, environment);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("Functions, by "), std::string::npos) << result.out;
    return result.out.find("\x1b[31m") != std::string::npos;
  };
  EXPECT_TRUE(is_coloured({"TERM=xterm", "NO_COLOR"}));
  EXPECT_TRUE(is_coloured({"TERM=xterm", "NO_COLOR="})) << "only a value that is not empty counts";
  EXPECT_FALSE(is_coloured({"TERM=xterm", "NO_COLOR=1"}));
  EXPECT_FALSE(is_coloured({"TERM=dumb", "NO_COLOR"}));
  EXPECT_EQ(RunSoftlbr({"report", profile_}, {"TERM=xterm", "NO_COLOR"}).out.find('\x1b'), std::string::npos)
      << "a pipe";
}

TEST_F(Cli, HelpAndVersionSucceed) {
  EXPECT_EQ(RunSoftlbr({"--help"}).exit_code, 0);
  EXPECT_NE(RunSoftlbr({"--version"}).out.find("softlbr "), std::string::npos);
  for (const char* command :
       {"record", "report", "stats", "dump", "merge", "diff", "convert", "doctor", "upload", "collect"}) {
    const CommandResult result = RunSoftlbr({command, "--help"});
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_NE(result.out.find("Usage"), std::string::npos) << command;
    const CommandResult help = RunSoftlbr({"help", command});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_EQ(help.out, result.out) << command;
  }
  EXPECT_EQ(RunSoftlbr({"help"}).out, RunSoftlbr({"--help"}).out);
}

TEST_F(Cli, WrongUsageExitsWithCode2) {
  ExpectFailure(RunSoftlbr({}), 2, "name a command");
  ExpectFailure(RunSoftlbr({"nonsense"}), 2, "nonsense: no such command; softlbr");
  ExpectFailure(RunSoftlbr({"recrod"}), 2, "did you mean record?");
  ExpectFailure(RunSoftlbr({"stat", profile_}), 2, "did you mean stats?");
  ExpectFailure(RunSoftlbr({"help", "reprot"}), 2, "did you mean report?");
  ExpectFailure(RunSoftlbr({"record", "-g", "--", "true"}), 2, "-g is not an option of record");
  ExpectFailure(RunSoftlbr({"record", "true", "--", "true"}), 2, "true comes before --");
  ExpectFailure(RunSoftlbr({"report", "--top", "-1", profile_}), 2, "--top");
  ExpectFailure(RunSoftlbr({"diff", "--top", "-1", profile_, profile_}), 2, "--top");
  ExpectFailure(RunSoftlbr({"blocks"}), 2, "PROFILE");
  ExpectFailure(RunSoftlbr({"stats", profile_, "--nonsense"}), 2, "nonsense");
  ExpectFailure(RunSoftlbr({"convert", "--to", "gold", profile_, "-o", "-"}), 2, "gold");
  ExpectFailure(RunSoftlbr({"record"}), 2, "name a program");
  ExpectFailure(RunSoftlbr({"record", "--"}), 2, "name a program");
  ExpectFailure(RunSoftlbr({"record", "--nonsense", "--", "true"}), 2, "nonsense");
  ExpectFailure(RunSoftlbr({"record", "--branches", "0", "--", "true"}), 2, "branches");
  ExpectFailure(RunSoftlbr({"record", "--branches", "1025", "--", "true"}), 2, "branches");
  ExpectFailure(RunSoftlbr({"record", "-e", "lbr", "--", "true"}), 2, "lbr");
  ExpectFailure(RunSoftlbr({"record", "-c", "1", "-F", "1", "--", "true"}), 2, "xcludes");
  ExpectFailure(RunSoftlbr({"record", "-c", "0", "--", "true"}), 2, "period");
}

TEST_F(Cli, StatsJsonHasDocumentedKeys) {
  const CommandResult result = RunSoftlbr({"stats", profile_, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json stats = json::parse(result.out);
  for (const char* key : {"format_version",
                          "arch",
                          "event",
                          "period",
                          "branches_per_trace",
                          "resolve",
                          "duration_ns",
                          "threads_traced",
                          "threads_untraced",
                          "samples",
                          "traces_complete",
                          "traces_aborted",
                          "taken_branches",
                          "breakpoint_hits",
                          "instructions_evaluated",
                          "instructions_lifted",
                          "block_lookups",
                          "block_hits",
                          "overhead_ns",
                          "app_cpu_ns",
                          "kernel_cpu_ns",
                          "paused_cpu_ns",
                          "unmarked_hits",
                          "lost",
                          "modules"}) {
    EXPECT_TRUE(stats.contains(key)) << key;
  }
  for (const char* key : {"sampling", "evaluating", "lifting", "breakpoints", "switching", "total"}) {
    EXPECT_TRUE(stats["overhead_ns"].contains(key)) << key;
  }
  EXPECT_EQ(stats["event"], "task-clock");
  EXPECT_EQ(stats["arch"], "x86_64");
  EXPECT_EQ(stats["period"], 1000000);
  EXPECT_EQ(stats["resolve"], "lookahead");
  EXPECT_EQ(stats["taken_branches"], 160);
  EXPECT_EQ(stats["traces_aborted"]["no_breakpoint"], 3);
  EXPECT_EQ(stats["lost"]["unmapped"], 4);
  ASSERT_EQ(stats["modules"].size(), 2u);
  EXPECT_EQ(stats["modules"][0]["name"], "prog");
  EXPECT_EQ(stats["modules"][0]["build_id"], "deadbeef0102030405060708090a0b0c0d0e0f10");
  EXPECT_EQ(stats["modules"][0]["taken_branches"], 306);
  EXPECT_EQ(stats["modules"][1]["taken_branches"], 14);
  EXPECT_EQ(stats["taken_branches_outside_modules"], 1);
}

TEST_F(Cli, StatsListsLossesAndAbortReasons) {
  const CommandResult result = RunSoftlbr({"stats", profile_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("no_breakpoint"), std::string::npos);
  EXPECT_NE(result.out.find("unmapped"), std::string::npos);
  EXPECT_NE(result.out.find("1.0%"), std::string::npos);  // overhead
}

TEST_F(Cli, DumpPrintsOneRecordPerLine) {
  const CommandResult result = RunSoftlbr({"dump", profile_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("branch 100 prog+0x17a4 prog+0x1800\n"), std::string::npos);
  EXPECT_NE(result.out.find("branch 1 (outside) prog+0x1790\n"), std::string::npos);
  EXPECT_NE(result.out.find("range 99 prog+0x17a9 prog+0x17b0\n"), std::string::npos);
  EXPECT_NE(result.out.find("sample 11 prog+0x17a0\n"), std::string::npos);
  EXPECT_NE(result.out.find("counter lost.unmapped 4\n"), std::string::npos);
}

TEST_F(Cli, DumpPrintsTracesOnRequest) {
  Write(testing::SyntheticProfileWithTraces(), profile_);
  const CommandResult result = RunSoftlbr({"dump", "--traces", profile_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("trace 1 thread=42 sampled_pc=prog+0x17a0 reason=no_breakpoint branches=2\n"),
            std::string::npos);
  EXPECT_NE(result.out.find("trace_branch 0 prog+0x1810 prog+0x17a9\n"), std::string::npos);
  EXPECT_EQ(RunSoftlbr({"dump", profile_}).out.find("trace_branch"), std::string::npos);
}

TEST_F(Cli, ReportWithoutFilesFallsBackToAddresses) {
  const CommandResult text = RunSoftlbr({"report", profile_});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("prog+0x17a4"), std::string::npos);
  EXPECT_NE(text.out.find("(code not read)"), std::string::npos);
  EXPECT_NE(text.out.find("not found; name it with -b"), std::string::npos);
  const CommandResult result = RunSoftlbr({"report", profile_, "--json", "--top", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["taken_branches"], 325) << "321, and 4 of no module";
  ASSERT_EQ(report["branches"].size(), 2u);
  EXPECT_EQ(report["branches"][0]["count"], 100);
  EXPECT_EQ(report["branches"][0]["from"]["address"], 0x17a4);
  EXPECT_TRUE(report["branches"][0]["from"]["function"].is_null());
}

TEST_F(Cli, MergeAddsTwoProfiles) {
  Profile other = testing::SyntheticProfile();
  other.sessions[0].session_id = 7;
  const std::string second = folder_ / "q.slbr";
  const std::string sum = folder_ / "sum.slbr";
  Write(other, second);
  const CommandResult merged = RunSoftlbr({"merge", "-o", sum, profile_, second});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  const json stats = json::parse(RunSoftlbr({"stats", sum, "--json"}).out);
  EXPECT_EQ(stats["taken_branches"], 320);
  EXPECT_EQ(stats["modules"][0]["taken_branches"], 612);
  EXPECT_EQ(stats["sessions"].size(), 2u);
}

TEST_F(Cli, MergeWritesToStandardOutput) {
  const CommandResult merged = RunSoftlbr({"merge", "-o", "-", profile_});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  testing::WriteFile(folder_ / "sum.slbr", merged.out);
  EXPECT_EQ(json::parse(RunSoftlbr({"stats", folder_ / "sum.slbr", "--json"}).out)["taken_branches"], 160);
}

TEST_F(Cli, MergeWeighsTracesAndRefusesProfilesWithoutThem) {
  const std::string sum = folder_ / "sum.slbr";
  Profile without = testing::SyntheticProfile();
  without.traces.clear();
  Write(without, folder_ / "q.slbr");
  ExpectFailure(RunSoftlbr({"merge", "--weights", "start", "-o", sum, folder_ / "q.slbr"}), 1,
                "record it with --traces");
  EXPECT_NE(access(sum.c_str(), F_OK), 0);
  ExpectFailure(RunSoftlbr({"merge", "--weights", "time", "-o", sum, profile_}), 2, "");

  // Later branches are of three kinds in equal parts; the first ones, which are not counted, are not.
  Profile traced = testing::SyntheticProfile();
  traced.branches = {{{0, 0x2000}, {0, 0x2100}, 40}, {{0, 0x2108}, {0, 0x2000}, 20}, {{0, 0x2208}, {0, 0x2000}, 20}};
  traced.ranges.clear();
  traced.traces.clear();
  for (int i = 0; i < 30; ++i) {
    Trace trace;
    trace.sampled_pc = {0, 0x2000};
    const uint64_t loop = i % 3 == 0 ? 0x2208 : 0x2108;
    trace.branches = {
        {{0, loop}, {0, 0x2000}}, {{0, 0x2000}, {0, 0x2100}}, {{0, 0x2208}, {0, 0x2000}}, {{0, 0x2108}, {0, 0x2000}}};
    traced.traces.push_back(trace);
  }
  Write(traced, folder_ / "traced.slbr");
  ASSERT_EQ(RunSoftlbr({"merge", "--weights", "start", "-o", sum, folder_ / "traced.slbr"}).exit_code, 0);
  const auto read = ReadProfileFile(sum);
  const auto& weighted = std::get<Profile>(read);
  ASSERT_EQ(weighted.branches.size(), 3u);
  uint64_t total = 0;
  for (const BranchCount& row : weighted.branches) total += row.count;
  EXPECT_NEAR(static_cast<double>(total), 80, 2);
  EXPECT_EQ(weighted.whole_traces, 30u);
  EXPECT_NEAR(static_cast<double>(weighted.branches[0].count), 80.0 / 3, 1) << "a third of all";
  ExpectFailure(RunSoftlbr({"merge", "--weights", "length", "-o", sum, folder_ / "q.slbr"}), 1,
                "record it with --traces");
  ASSERT_EQ(RunSoftlbr({"merge", "--weights", "length", "-o", sum, folder_ / "traced.slbr"}).exit_code, 0);
}

TEST_F(Cli, MergeWeighsInEachWayThatItNames) {
  const std::pair<Location, Location> a = {{0, 0x2000}, {0, 0x2100}}, b = {{0, 0x2108}, {0, 0x2000}};
  Profile traced = testing::SyntheticProfile();
  traced.branches = {{a.first, a.second, 1000}, {b.first, b.second, 600}};
  traced.ranges.clear();
  traced.traces.clear();
  for (int i = 0; i < 400; ++i) {
    Trace trace;
    trace.sampled_pc = {0, 0x2000};
    trace.branches = i < 300 ? std::vector{a, a, a, b} : std::vector{b, b, b, a};
    traced.traces.push_back(trace);
  }
  Write(traced, folder_ / "traced.slbr");
  std::set<uint64_t> counts;
  for (const std::string weights : {"none", "start", "balance"}) {
    const std::string sum = folder_ / "sum.slbr";
    const CommandResult merged = RunSoftlbr({"merge", "--weights", weights, "-o", sum, folder_ / "traced.slbr"});
    ASSERT_EQ(merged.exit_code, 0) << merged.err;
    EXPECT_EQ(merged.err, "");
    counts.insert(std::get<Profile>(ReadProfileFile(sum)).branches[0].count);
  }
  EXPECT_EQ(counts.size(), 3u);
}

TEST_F(Cli, MergeBalancesEachRecordingAlone) {
  const std::pair<Location, Location> a = {{0, 0x2000}, {0, 0x2100}}, b = {{0, 0x2108}, {0, 0x2000}};
  const auto write = [&](const std::string& name, uint64_t session, int of_a,
                         const std::vector<std::pair<Location, Location>>& path) {
    Profile profile = testing::SyntheticProfile();
    profile.sessions[0].session_id = session;
    profile.branches = {{a.first, a.second, 1000}, {b.first, b.second, 600}};
    profile.ranges.clear();
    profile.traces.assign(400, Trace{0, {0, 0x2000}, AbortReason::kNone, path});
    for (int i = of_a; i < 400; ++i) std::swap(profile.traces[i].branches.front(), profile.traces[i].branches.back());
    Write(profile, folder_ / name);
  };
  write("p.slbr", 7, 300, {a, a, a, b});
  write("q.slbr", 8, 390, {b, a, b, a});
  write("short.slbr", 9, 400, {a});
  const std::string sum = folder_ / "sum.slbr";
  const auto merge = [&](std::vector<std::string> arguments) {
    for (std::string& name : arguments) name = folder_ / name;
    arguments.insert(arguments.begin(), {"merge", "--weights", "balance", "-o", sum});
    return RunSoftlbr(arguments);
  };
  const auto counts = [&] {
    const Profile profile = std::get<Profile>(ReadProfileFile(sum));
    return std::vector<uint64_t>{profile.branches.at(0).count, profile.branches.at(1).count};
  };
  ASSERT_EQ(merge({"p.slbr"}).exit_code, 0);
  const std::vector<uint64_t> p = counts();
  ASSERT_EQ(merge({"q.slbr"}).exit_code, 0);
  const std::vector<uint64_t> q = counts();
  EXPECT_NE(p, q);
  for (const std::vector<std::string>& names : {std::vector<std::string>{"p.slbr", "q.slbr"}, {"q.slbr", "p.slbr"}}) {
    const CommandResult both = merge(names);
    EXPECT_EQ(both.exit_code, 0);
    EXPECT_EQ(both.err, "");
    EXPECT_EQ(counts(), (std::vector<uint64_t>{p[0] + q[0], p[1] + q[1]}));
  }

  Profile idle = testing::SyntheticProfile();  // of a session without a sample
  idle.sessions[0].session_id = 10;
  idle.branches.clear();
  idle.ranges.clear();
  idle.traces.clear();
  Write(idle, folder_ / "idle.slbr");
  const CommandResult with_idle = merge({"p.slbr", "idle.slbr"});
  EXPECT_EQ(with_idle.exit_code, 0);
  EXPECT_EQ(with_idle.err, "");
  EXPECT_EQ(counts(), p);

  ExpectFailure(merge({"short.slbr"}), 1, "no trace has two branches of known code, so there is nothing to weigh");
  const CommandResult with_short = merge({"p.slbr", "short.slbr"});
  EXPECT_EQ(with_short.exit_code, 0);
  EXPECT_NE(with_short.err.find("short.slbr: no trace has two branches of known code; its counts stay as recorded"),
            std::string::npos)
      << with_short.err;
  EXPECT_EQ(counts(), (std::vector<uint64_t>{p[0] + 1000, p[1] + 600}));

  ASSERT_EQ(RunSoftlbr({"merge", "-o", folder_ / "two.slbr", folder_ / "p.slbr", folder_ / "q.slbr"}).exit_code, 0);
  const CommandResult of_two = merge({"two.slbr"});
  EXPECT_EQ(of_two.exit_code, 0);
  EXPECT_NE(of_two.err.find("two.slbr: --weights balance on 2 sessions at once: what a program passes through once"),
            std::string::npos)
      << of_two.err;
}

TEST_F(Cli, MergeCountsRepeatedSessionsOnce) {
  Profile other = testing::SyntheticProfile();
  other.sessions[0].session_id = 7;
  Write(other, folder_ / "q.slbr");
  ASSERT_EQ(RunSoftlbr({"merge", "-o", folder_ / "sum.slbr", profile_, folder_ / "q.slbr"}).exit_code, 0);
  const CommandResult merged = RunSoftlbr(
      {"merge", "-o", folder_ / "twice.slbr", folder_ / "sum.slbr", folder_ / "sum.slbr", folder_ / "q.slbr"});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_NE(merged.err.find("q.slbr: session 0x7 is already in"), std::string::npos) << merged.err;
  const json stats = json::parse(RunSoftlbr({"stats", folder_ / "twice.slbr", "--json"}).out);
  EXPECT_EQ(stats["samples"], 24);
  EXPECT_EQ(stats["taken_branches"], 320);
  EXPECT_EQ(stats["modules"][0]["taken_branches"], 5 * 306);
  EXPECT_EQ(stats["sessions"].size(), 2u);
}

// Each of the two can be read, and they can be added up, but reading the sum would take more memory than the limit.
TEST_F(Cli, MergeWritesNothingThatCannotBeRead) {
  if (SOFTLBR_TEST_IS_SANITIZED != 0) GTEST_SKIP() << "missing: speed, for millions of rows in a sanitized build";
  constexpr uint64_t kRows = 1100000;
  for (const uint64_t part : {1, 2}) {
    Profile profile = testing::SyntheticProfile();
    profile.sessions[0].session_id = part;
    profile.modules[0].segments[1].memory_bytes = 1 << 28;
    profile.branches.clear();
    for (uint64_t i = 0; i < part * kRows; ++i)
      profile.branches.push_back({{0, 0x2000 + part + 8 * i}, {0, 0x2000}, 1});
    Write(profile, folder_ / std::to_string(part));
    ASSERT_EQ(RunSoftlbr({"stats", folder_ / std::to_string(part)}).exit_code, 0);
  }
  const std::string sum = folder_ / "sum.slbr";
  ExpectFailure(RunSoftlbr({"merge", "-o", sum, folder_ / "1", folder_ / "2"}), 1, "could not be read again");
  EXPECT_NE(access(sum.c_str(), F_OK), 0);
}

TEST_F(Cli, FailedMergeKeepsOldFile) {
  const std::string sum = folder_ / "sum.slbr";
  testing::WriteFile(sum, "old");
  EXPECT_EQ(RunSoftlbr({"merge", "-o", sum, profile_, folder_ / "missing.slbr"}).exit_code, 1);
  EXPECT_EQ(testing::ReadFile(sum), "old");
}

TEST_F(Cli, DiffWithItselfHasOverlapOne) {
  const CommandResult result = RunSoftlbr({"diff", profile_, profile_, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json diff = json::parse(result.out);
  EXPECT_NEAR(diff["overlap"].get<double>(), 1.0, 1e-9);
  EXPECT_EQ(diff["branches_only_in_a"], 0);
}

TEST_F(Cli, DiffSumsSmallerShares) {
  Profile a = testing::SyntheticProfile();
  Profile b = a;
  a.branches = {{{0, 0x17a4}, {0, 0x1800}, 75}, {{0, 0x17b0}, {0, 0x17a0}, 25}};
  b.branches = {{{0, 0x17a4}, {0, 0x1800}, 1}, {{0, 0x17c0}, {1, 0x1100}, 1}};
  Write(a, folder_ / "a.slbr");
  Write(b, folder_ / "b.slbr");
  const CommandResult result = RunSoftlbr({"diff", folder_ / "a.slbr", folder_ / "b.slbr", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json diff = json::parse(result.out);
  EXPECT_NEAR(diff["overlap"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(diff["branches_in_both"], 1);
  EXPECT_EQ(diff["branches_only_in_a"], 1);
  EXPECT_EQ(diff["branches_only_in_b"], 1);
  EXPECT_NEAR(diff["changes"][0]["share_change"].get<double>(), 0.5, 1e-9);
  EXPECT_NE(RunSoftlbr({"diff", folder_ / "a.slbr", folder_ / "b.slbr"}).out.find("Overlap: 50.00%"),
            std::string::npos);
  const std::string text = RunSoftlbr({"diff", folder_ / "b.slbr", folder_ / "a.slbr"}).out;
  EXPECT_NE(text.find("-50.00 points"), std::string::npos) << text;
}

TEST_F(Cli, DiffIsAGateWithMin) {
  Profile other = testing::SyntheticProfile();
  for (RangeCount& range : other.ranges) range.first += 1;
  Write(other, folder_ / "other.slbr");
  const std::vector<std::string> diff = {"diff", profile_, folder_ / "other.slbr", "--min", "0.95"};
  const auto with = [&diff](const std::string& by) {
    std::vector<std::string> arguments = diff;
    arguments.insert(arguments.end(), {"--by", by});
    return RunSoftlbr(arguments);
  };
  EXPECT_EQ(RunSoftlbr(diff).exit_code, 0) << "the same branches";
  EXPECT_EQ(with("function").exit_code, 0);
  const CommandResult below = with("range");
  EXPECT_EQ(below.exit_code, 1);
  EXPECT_NE(below.err.find("an overlap of 0.0000, below the 0.9500 of --min"), std::string::npos) << below.err;
  EXPECT_NE(below.out.find("Overlap: 100.00%"), std::string::npos) << "the comparison is printed all the same";
  EXPECT_EQ(RunSoftlbr({"diff", profile_, profile_, "--min", "1.5"}).exit_code, 2);
  ExpectFailure(RunSoftlbr({"diff", profile_, profile_, "--min", "nan"}), 2, "--min");
}

TEST_F(Cli, ConvertWritesFileOrStandardOutput) {
  const std::string out = folder_ / "out.bolt";
  ASSERT_EQ(RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", out}).exit_code, 0);
  const std::string golden = testing::ReadFile(std::string(SOFTLBR_GOLDEN_FOLDER) + "/prog.bolt");
  EXPECT_EQ(testing::ReadFile(out), golden);
  EXPECT_EQ(RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", "-"}).out, golden);
}

// Whole traces have no bound: 256 MiB of them in memory would exceed the reader's limit, and exceed what is permitted
// here.
TEST_F(Cli, LongTracesAreReadMergedAndConvertedWithinTheMemoryLimit) {
  // no memory limit and too slow when sanitized
  constexpr uint64_t kTraces = SOFTLBR_TEST_IS_SANITIZED != 0 ? 128 : 8 * 1024;
  constexpr uint64_t kBranches = 512;
  Profile profile = testing::SyntheticProfileWithTraces();
  Trace trace = profile.traces[0];
  trace.branches.resize(kBranches, trace.branches[0]);
  profile.traces.clear();
  ASSERT_EQ(WriteProfileFile(profile, profile_,
                             [&](const TraceVisitor& visit) {
                               for (uint64_t i = 0; i < kTraces; ++i) visit(trace);
                             }),
            "");
  const auto run = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"sh", "-c", "ulimit -v 400000; exec \"$0\" \"$@\"", testing::SoftlbrPath()});
    // shadow memory needs terabytes of addresses
    if (SOFTLBR_TEST_IS_SANITIZED != 0) arguments[2] = "exec \"$0\" \"$@\"";
    return testing::RunCommand(arguments);
  };
  const std::string sum = folder_ / "sum.slbr";
  const CommandResult merged = run({"merge", "-o", sum, profile_, profile_});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  const CommandResult stats = run({"stats", sum, "--json"});
  ASSERT_EQ(stats.exit_code, 0) << stats.err;
  EXPECT_EQ(json::parse(stats.out)["whole_traces"], 2 * kTraces);
  EXPECT_EQ(run({"report", sum}).exit_code, 0);
  EXPECT_EQ(run({"diff", sum, profile_}).exit_code, 0);
  EXPECT_EQ(run({"dump", sum}).exit_code, 0);
  const CommandResult count = testing::RunCommand(
      {"sh", "-c", "\"$0\" dump --traces \"$1\" | grep -c '^trace_branch '", testing::SoftlbrPath(), sum});
  EXPECT_EQ(count.out, std::to_string(2 * kTraces * kBranches) + "\n") << count.err;
  for (const std::string format : {"perfscript", "perfdata"}) {
    const std::string out = folder_ / "out";
    const CommandResult converted = run({"convert", "--to", format, sum, "-o", out});
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
    EXPECT_GT(std::filesystem::file_size(out), 2 * kTraces * kBranches * 24) << format;
  }
}

TEST_F(Cli, PerfWeighsTheSamplesOfPerfData) {
  if (testing::RunCommand({"perf", "--version"}).exit_code != 0) GTEST_SKIP() << "missing: perf";
  Write(testing::SyntheticProfileWithTraces(), profile_);
  ASSERT_EQ(RunSoftlbr({"convert", "--to", "perfdata", profile_, "-o", folder_ / "perf.data"}).exit_code, 0);
  const CommandResult report =
      testing::RunCommand({"perf", "report", "--stdio", "--no-branch-stack", "-i", folder_ / "perf.data"});
  EXPECT_NE(report.out.find("50.00%"), std::string::npos) << report.out << report.err;
}

TEST_F(Cli, ConvertOfEmptyProfileFails) {
  Profile empty = testing::SyntheticProfile();
  empty.branches.clear();
  empty.ranges.clear();
  Write(empty, profile_);
  ExpectFailure(RunSoftlbr({"convert", "--to", "bolt", profile_, "-o", folder_ / "out"}), 1,
                "in code of no known module");
  empty.counters.lost[static_cast<int>(LossReason::kUnmapped)] = 0;
  empty.sessions[0].counters = empty.counters;
  Write(empty, profile_);
  for (const char* format : {"bolt", "llvm", "autofdo", "perfscript"}) {
    ExpectFailure(RunSoftlbr({"convert", "--to", format, profile_, "-o", folder_ / "out"}), 1, "holds no taken branch");
  }
  ExpectFailure(RunSoftlbr({"convert", "--to", "perfdata", profile_, "-o", folder_ / "out"}), 1, "--traces");
  ExpectFailure(RunSoftlbr({"report", profile_}), 1, "holds no taken branch");
}

TEST_F(Cli, ConvertListsModulesForUnknownBinary) {
  ExpectFailure(RunSoftlbr({"convert", "--to", "bolt", profile_, "-b", "/bin/true", "-o", "-"}), 1, "prog, libx.so");
  ExpectFailure(RunSoftlbr({"convert", "--to", "bolt", profile_, "-b", "liby.so", "-o", "-"}), 1, "prog, libx.so");
}

TEST_F(Cli, ConvertOfSeveralProgramsAsksForOne) {
  Profile other = testing::SyntheticProfile();
  other.sessions[0].session_id = 7;
  other.modules[0].name = "other";
  other.modules[0].build_id[0] = 1;
  Write(other, folder_ / "q.slbr");
  ASSERT_EQ(RunSoftlbr({"merge", "-o", folder_ / "sum.slbr", profile_, folder_ / "q.slbr"}).exit_code, 0);
  ExpectFailure(RunSoftlbr({"convert", "--to", "bolt", folder_ / "sum.slbr", "-o", "-"}), 1, "2 programs or builds");
  EXPECT_EQ(RunSoftlbr({"convert", "--to", "bolt", folder_ / "sum.slbr", "-b", "other", "-o", "-"}).exit_code, 0);
}

TEST_F(Cli, CommandsRejectFilesThatAreNotProfiles) {
  const std::string text = folder_ / "text";
  testing::WriteFile(text, "hello\n");
  const std::string empty = folder_ / "empty";
  testing::WriteFile(empty, "");
  const std::string without_profiles = folder_ / "folder";
  std::filesystem::create_directory(without_profiles);
  for (const std::string& path : {text, empty, folder_ / "missing", without_profiles}) {
    ExpectFailure(RunSoftlbr({"stats", path}), 1, "");
    ExpectFailure(RunSoftlbr({"report", path}), 1, "");
    ExpectFailure(RunSoftlbr({"dump", path}), 1, "");
    ExpectFailure(RunSoftlbr({"merge", "-o", folder_ / "sum", path}), 1, "");
    ExpectFailure(RunSoftlbr({"diff", path, profile_}), 1, "");
    ExpectFailure(RunSoftlbr({"convert", "--to", "llvm", path, "-o", "-"}), 1, "");
  }
}

TEST_F(Cli, TruncatedProfilesNeverCrash) {
  const std::string bytes = testing::ReadFile(profile_);
  const std::string cut = folder_ / "cut.slbr";
  for (size_t size = 0; size < bytes.size(); size += std::max<size_t>(1, bytes.size() / 60)) {
    testing::WriteFile(cut, bytes.substr(0, size));
    for (const char* command : {"stats", "dump", "report"}) {
      const CommandResult result = RunSoftlbr({command, cut});
      EXPECT_EQ(result.signal_number, 0) << command << " of " << size << " bytes";
      EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << command << " of " << size << " bytes";
    }
  }
}

TEST_F(Cli, OutputEscapesModuleNames) {
  Profile hostile = testing::SyntheticProfile();
  hostile.modules[0].name = "a\x1b[31mb\nbranch 1 x y";
  Write(hostile, profile_);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"stats", profile_}, {"dump", profile_}, {"report", profile_}}) {
    const CommandResult result = RunSoftlbr(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(result.out.find("\nbranch 1 x y"), std::string::npos);
  }
}

TEST_F(Cli, FullStandardOutputFails) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "missing: /dev/full";
  const CommandResult result =
      testing::RunCommand({"sh", "-c", "exec \"$0\" dump \"$1\" > /dev/full", testing::SoftlbrPath(), profile_});
  ExpectFailure(result, 1, "standard output");
}

TEST_F(Cli, DoctorAnswersForThisMachine) {
  const CommandResult result = RunSoftlbr({"doctor", "--json"});
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.err;
  const json doctor = json::parse(result.out);
  EXPECT_EQ(doctor["can_record"].get<bool>(), result.exit_code == 0);
  std::vector<std::string> names;
  for (const json& check : doctor["checks"]) {
    names.push_back(check["name"]);
    EXPECT_TRUE(check["state"] == "ok" || check["state"] == "weaker" || check["state"] == "missing");
    EXPECT_FALSE(check["state"] == "missing" && check["remedy"].is_null()) << check["name"];
  }
  for (const char* name :
       {"architecture", "kernel", "perf_event_paranoid", "sampler task-clock", "sampler thread-timer", "sigtrap",
        "breakpoints", "seccomp", "debugger", "file descriptors", "preload library", "decoder plugin"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

}  // namespace
}  // namespace softlbr::toolchain
