// Remedies that the commands print about profiles: each is done in the words of the message, and the result is looked
// at. ../record/record_remedies_test.cc has those of record, optimize_remedies_test.cc those of optimize.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::HasProgram;
using testing::RunCommand;
using testing::RunSoftlbr;
using testing::WordBehind;
using testing::WordsBehind;
using Words = std::vector<std::string>;

Words Joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class ProfileRemedies : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
    Build(program_, {"-O2"});
  }
  void Build(const std::string& output, const Words& options) {
    const CommandResult built =
        RunCommand(Joined({"gcc", "-g", "-Wl,--build-id", SOFTLBR_CHECKED_PROGRAM_SOURCE, "-o", output}, options));
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }
  void Record(const std::string& program, const Words& options = {}, const std::string& steps = "12") {
    const CommandResult recorded = RunSoftlbr(Joined(
        Joined({"record", "-q", "-e", "thread-timer", "-F", "2000", "-o", profile_}, options), {"--", program, steps}));
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  }
  // Of the interpreter's loop, which is most of what the program executes.
  static double ShareOfRun(const CommandResult& mix) {
    EXPECT_EQ(mix.exit_code, 0) << mix.err;
    if (mix.exit_code != 0) return 0;
    const json said = json::parse(mix.out);
    for (const json& row : said["tables"][0]["rows"]) {
      if (row["function"] == "run") return row["share"];
    }
    return 0;
  }
  CommandResult Mix(const Words& options) {
    return RunSoftlbr(Joined({"mix", "--by", "function", "--json", profile_}, options));
  }

  testing::TemporaryFolder folder_;
  std::string program_ = folder_ / "app";
  std::string profile_ = folder_ / "p.slbr";
};

TEST_F(ProfileRemedies, AMovedFileIsNamed) {
  Record(program_);
  std::filesystem::rename(program_, folder_ / "moved");
  for (const char* command : {"blocks", "mix"}) {
    const CommandResult refused = RunSoftlbr({command, profile_});
    // What of the kernel's vdso was executed is still there.
    const std::string option =
        WordBehind(refused.err, refused.exit_code == 0 ? "name its file with " : "name their files with ");
    const CommandResult found = RunSoftlbr({command, "--json", profile_, option, folder_ / "moved"});
    EXPECT_EQ(found.exit_code, 0) << found.err;
    EXPECT_GT(json::parse(found.out)["executed_instructions"], 1000) << found.out;
    EXPECT_EQ(found.err.find("app"), std::string::npos) << found.err;
    EXPECT_GT(ShareOfRun(Mix({option, folder_ / "moved"})), 0.5);
  }
}

TEST_F(ProfileRemedies, AProfileWithoutFoldersIsRecordedWithThem) {
  std::filesystem::create_directory(folder_ / "elsewhere");
  std::filesystem::rename(program_, folder_ / "elsewhere/app");
  Words options = {"--no-paths"};
  Record(folder_ / "elsewhere/app", options);
  const CommandResult report = RunSoftlbr({"report", profile_});
  std::erase(options, WordBehind(report.out, "record without "));
  Record(folder_ / "elsewhere/app", options);
  EXPECT_GT(ShareOfRun(Mix({})), 0.5);
}

TEST_F(ProfileRemedies, TheFileThatRanIsKept) {
  Record(program_);
  std::filesystem::rename(program_, folder_ / "kept");
  Build(program_, {"-O1"});
  const CommandResult report = RunSoftlbr({"report", profile_});
  EXPECT_NE(report.out.find("keep the file that ran"), std::string::npos) << report.out;
  const std::string option = WordBehind(report.out, "or name it with ");
  EXPECT_GT(ShareOfRun(Mix({option, folder_ / "kept"})), 0.5);
  std::filesystem::rename(folder_ / "kept", program_);
  EXPECT_GT(ShareOfRun(Mix({})), 0.5);
}

TEST_F(ProfileRemedies, TwoBuildsAreComparedIfBothAreNamed) {
  Record(program_);
  const std::string before = folder_ / "before.slbr";
  std::filesystem::rename(profile_, before);
  std::filesystem::rename(program_, folder_ / "first");
  Build(program_, {"-O1"});
  Record(program_);
  std::filesystem::rename(program_, folder_ / "second");
  const auto overlap = [&](const Words& options) {
    const CommandResult diff = RunSoftlbr(Joined({"diff", "--json", "--by", "function", before, profile_}, options));
    EXPECT_EQ(diff.exit_code, 0) << diff.err;
    const json value = json::parse(diff.out)["overlap_of_functions"];
    return value.is_null() ? std::pair(0.0, diff.err) : std::pair(value.get<double>(), diff.err);
  };
  const auto [without, message] = overlap({});
  EXPECT_LT(without, 0.1);
  const std::string option = WordBehind(message, "name both files with ");
  EXPECT_GT(overlap({option, folder_ / "first", option, folder_ / "second"}).first, 0.8);
  const CommandResult gate = RunSoftlbr({"diff", "--by", "block", "--min", "0.01", before, profile_});
  EXPECT_EQ(gate.exit_code, 1);
  const std::string named = WordBehind(gate.err.substr(gate.err.rfind("so --min")), "name its file with ");
  EXPECT_EQ(RunSoftlbr({"diff", "--by", "block", "--min", "0.01", before, profile_, named, folder_ / "first", named,
                        folder_ / "second"})
                .exit_code,
            0);
}

TEST_F(ProfileRemedies, WeightsNeedWholeTraces) {
  const auto merge = [&](const std::string& weights) {
    return RunSoftlbr({"merge", "--weights", weights, "-o", folder_ / "sum.slbr", profile_});
  };
  Record(program_);
  const CommandResult refused = merge("start");
  EXPECT_EQ(refused.exit_code, 1);
  Record(program_, WordsBehind(refused.err, "record it with "));
  for (const char* weights : {"start", "balance", "length"}) {
    const CommandResult merged = merge(weights);
    EXPECT_EQ(merged.exit_code, 0) << weights << ": " << merged.err;
    EXPECT_GT(json::parse(RunSoftlbr({"stats", "--json", folder_ / "sum.slbr"}).out)["taken_branches"], 1000);
  }
}

TEST_F(ProfileRemedies, AProfileWithNothingToWeighIsMergedWithoutWeights) {
  const CommandResult recorded = RunSoftlbr(
      {"record", "-q", "--traces", "-e", "thread-timer", "-c", "100000000000", "-o", profile_, "--", "true"});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  Words merge = {"merge", "--weights", "start", "-o", folder_ / "sum.slbr", profile_};
  const CommandResult refused = RunSoftlbr(merge);
  EXPECT_EQ(refused.exit_code, 1) << refused.err;
  const auto option = std::find(merge.begin(), merge.end(), WordBehind(refused.err, "merge without "));
  ASSERT_NE(option, merge.end()) << refused.err;
  merge.erase(option, option + 2);  // with its value
  EXPECT_EQ(RunSoftlbr(merge).exit_code, 0);
  EXPECT_EQ(json::parse(RunSoftlbr({"stats", "--json", folder_ / "sum.slbr"}).out)["taken_branches"], 0);
}

TEST_F(ProfileRemedies, ThreadsNeedWholeTraces) {
  const auto record = [&](const Words& options) {
    return RunSoftlbr(
        Joined(Joined({"record", "-q", "-e", "thread-timer", "-o", profile_}, options), {"--", SOFTLBR_BUSY_LOOP}));
  };
  EXPECT_EQ(record({}).exit_code, 3);
  const Words mix = {"mix", "--by", "thread", "--json", profile_};
  const CommandResult refused = RunSoftlbr(mix);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(record(WordsBehind(refused.err, "record it with ")).exit_code, 3);
  const CommandResult counted = RunSoftlbr(mix);
  ASSERT_EQ(counted.exit_code, 0) << counted.err;
  const json rows = json::parse(counted.out)["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 2u) << rows;
  for (const json& row : rows) EXPECT_GT(row["instructions"], 1000) << row;
}

TEST_F(ProfileRemedies, GroupsAreWrittenInTheFormOfTheMessage) {
  Record(program_);
  const std::string groups = folder_ / "groups";
  testing::WriteFile(groups, "jump, add\n");
  const Words mix = {"mix", "--json", profile_, "--groups", groups};
  const CommandResult form = RunSoftlbr(Joined(mix, {"--by", "group"}));
  EXPECT_EQ(form.exit_code, 1);
  const size_t from = form.err.find("write lines `");
  const size_t to = form.err.rfind('`');
  ASSERT_LT(from, to) << form.err;
  std::string line = form.err.substr(from + 13, to - from - 13);
  for (const char* mnemonic : {"add", "xor"}) {
    const size_t word = line.find("mnemonic");
    ASSERT_NE(word, std::string::npos) << line;
    line.replace(word, 8, mnemonic);
  }
  testing::WriteFile(groups, line + "\n");
  const CommandResult elsewhere = RunSoftlbr(Joined(mix, {"--by", "mnemonic"}));
  EXPECT_EQ(elsewhere.exit_code, 2);
  EXPECT_NE(elsewhere.err.find("add it there"), std::string::npos) << elsewhere.err;
  const std::string added = WordBehind(elsewhere.err, "without "), option = WordBehind(elsewhere.err, " in ");
  const CommandResult grouped = RunSoftlbr(Joined(mix, {option, "mnemonic", option, added}));
  ASSERT_EQ(grouped.exit_code, 0) << grouped.err;
  std::set<std::string> names;
  const json said = json::parse(grouped.out);
  for (const json& row : said["tables"][0]["rows"]) names.insert(row["group"]);
  EXPECT_TRUE(names.contains(line.substr(0, line.find(':')))) << grouped.out;
}

TEST_F(ProfileRemedies, EachDimensionThatIsListedGivesATable) {
  Record(program_, {"--traces"});
  testing::WriteFile(folder_ / "groups", "all: *\n");
  const CommandResult refused = RunSoftlbr({"mix", "--csv", profile_});
  EXPECT_EQ(refused.exit_code, 2);
  size_t tables = 0;
  for (size_t at = refused.err.find("which: ") + 7; at < refused.err.size(); ++tables) {
    const size_t end = refused.err.find_first_of(",\n", at);
    const std::string dimension = refused.err.substr(at, end - at);
    at = refused.err.find_first_not_of(", \n", end);
    Words command = {"mix", "--csv", profile_, "--by", dimension};
    if (dimension == "group") command.insert(command.end(), {"--groups", folder_ / "groups"});
    const CommandResult table = RunSoftlbr(command);
    EXPECT_EQ(table.exit_code, 0) << dimension << ": " << table.err;
    EXPECT_GE(std::count(table.out.begin(), table.out.end(), '\n'), 2) << dimension << ": " << table.out;
  }
  EXPECT_GE(tables, 12u) << refused.err;
}

TEST_F(ProfileRemedies, SessionsOfTwoLabelsAreMergedByThemselves) {
  const Words profiles = {folder_ / "a.slbr", folder_ / "b.slbr"};
  for (const std::string& path : profiles) {
    Record(program_, {"--label", path == profiles[0] ? "arm=A" : "arm=B"});
    std::filesystem::rename(profile_, path);
  }
  const Words merge = Joined({"merge", "-o", folder_ / "sum.slbr"}, profiles);
  const CommandResult both = RunSoftlbr(merge);
  EXPECT_EQ(both.exit_code, 0);
  const CommandResult one =
      RunSoftlbr(Joined(merge, {WordBehind(both.err, "merge each value by itself with "), "arm=A"}));
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.err.find("warning"), std::string::npos) << one.err;
  const auto branches = [](const std::string& path) {
    return json::parse(RunSoftlbr({"stats", "--json", path}).out)["taken_branches"].get<uint64_t>();
  };
  EXPECT_EQ(branches(folder_ / "sum.slbr"), branches(profiles[0]));
}

TEST_F(ProfileRemedies, ARequestNamesABuildThatHasAnId) {
  if (dlopen("libsodium.so.23", RTLD_NOW | RTLD_LOCAL) == nullptr) GTEST_SKIP() << "missing: libsodium23";
  const std::string key = folder_ / "key";
  const Words request = {"request", "--key", key, "--app", "app", "-b", program_, "-o", folder_ / "request"};
  Build(program_, {"-Wl,--build-id=none"});
  const CommandResult no_id = RunSoftlbr(request);
  EXPECT_EQ(no_id.exit_code, 1);
  Build(program_, WordsBehind(no_id.err, "link it with "));
  const CommandResult no_key = RunSoftlbr(request);
  EXPECT_EQ(no_key.exit_code, 1);
  // "softlbr request --new-key makes a key"
  const size_t end = no_key.err.find(" makes ");
  ASSERT_NE(end, std::string::npos) << no_key.err;
  const size_t start = no_key.err.rfind("; softlbr ", end);
  ASSERT_NE(start, std::string::npos) << no_key.err;
  std::istringstream words(no_key.err.substr(start + 10, end - start - 10));
  Words make;
  for (std::string word; words >> word;) make.push_back(word);
  EXPECT_EQ(RunSoftlbr(Joined(make, {key})).exit_code, 0);
  const CommandResult written = RunSoftlbr(request);
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_GT(std::filesystem::file_size(folder_ / "request"), 64u);
}

// Functions of assembly, so that hints have a place; together they take `functions` times about 150 bytes. The first
// ten are called in the program's first 30 ms or so, then all; the argument says how often.
std::string ManyFunctions(int functions) {
  std::string text = "#include <stdlib.h>\nvolatile unsigned sink;\n", first, calls;
  for (int i = 0; i < functions; ++i) {
    const std::string name = "f" + std::to_string(i);
    text += "__attribute__((noinline)) void " + name + "(unsigned x) {";
    for (int step = 1; step < 5; ++step)
      text += " sink += x * " + std::to_string(31 * i + step) + "; if (sink & 1) sink ^= x;";
    text += " }\n";
    calls += name + "(n); ";
    if (i < 10) first += name + "(n); ";
  }
  return text +
         "int main(int count, char** arguments) {\n  const unsigned steps = count > 1 ? atoi(arguments[1]) : 0;\n" +
         "  for (unsigned n = 0; n < 100000; ++n) { " + first + "}\n  for (unsigned n = 0; n < 400000 / " +
         std::to_string(functions) + " * steps; ++n) { " + calls + "}\n  return 0;\n}\n";
}

class PrefetchRemedies : public ProfileRemedies {
 protected:
  void BuildFunctions(int functions) {
    testing::WriteFile(folder_ / "many.c", ManyFunctions(functions));
    ASSERT_EQ(RunCommand({"gcc", "-O1", "-S", folder_ / "many.c", "-o", folder_ / "many.s"}).exit_code, 0);
    ASSERT_EQ(RunCommand({"gcc", "-g", "-Wl,--build-id", folder_ / "many.s", "-o", program_}).exit_code, 0);
  }
  CommandResult Prefetch(const Words& options = {}) { return RunSoftlbr(Joined({"prefetch", profile_}, options)); }
  static int Hints(const CommandResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    int found = 0;
    for (size_t at = 0; (at = result.out.find("\nhint ", at)) != std::string::npos; ++at) ++found;
    return found;
  }
};

TEST_F(PrefetchRemedies, LongTracesGiveHints) {
  BuildFunctions(200);
  Record(program_);
  const CommandResult no_traces = Prefetch();
  EXPECT_EQ(no_traces.exit_code, 1);
  Words record = WordsBehind(no_traces.err, "use ");
  ASSERT_FALSE(record.empty());
  EXPECT_EQ(record[0], "record");
  record.erase(record.begin());
  Record(program_, record);
  const CommandResult chosen = Prefetch();
  EXPECT_GT(Hints(chosen), 0) << chosen.out;
  // A list of hints that is none, then the one that the named command writes.
  testing::WriteFile(folder_ / "list", "no list\n");
  const Words given = {"--layout", program_, "--hints", folder_ / "list"};
  const CommandResult no_list = Prefetch(given);
  EXPECT_NE(no_list.err.find("write the list with `softlbr prefetch`"), std::string::npos) << no_list.err;
  testing::WriteFile(folder_ / "list", chosen.out);
  EXPECT_GT(Hints(Prefetch(given)), 0);
}

TEST_F(PrefetchRemedies, MoreCodeIsExecutedInALongerRun) {
  BuildFunctions(400);
  const Words options = {"--traces", "--branches", "1024"};
  Record(program_, options, "0");
  const CommandResult cold = Prefetch();
  EXPECT_EQ(cold.exit_code, 1);
  EXPECT_NE(cold.err.find("record longer"), std::string::npos) << cold.err;
  Record(program_, options, "60");
  EXPECT_GT(Hints(Prefetch()), 0);
}

TEST_F(PrefetchRemedies, LittleCodeFillsASmallerCache) {
  BuildFunctions(20);
  Record(program_, {"--traces", "--branches", "1024"});
  const CommandResult cold = Prefetch();
  EXPECT_EQ(cold.exit_code, 1);
  const CommandResult lower = Prefetch({WordBehind(cold.err, "lower "), "1024"});
  EXPECT_GT(Hints(lower), 0) << lower.out << lower.err;
}

class LongerRuns : public PrefetchRemedies {
 protected:
  void SetUp() override {
    PrefetchRemedies::SetUp();
    if (!IsSkipped()) BuildFunctions(200);
  }
  // What `stats` says of the profile, from " Expected: " on.
  std::string Expected() {
    const std::string text = RunSoftlbr({"stats", profile_}).out;
    const size_t at = text.find("\nExpected: ");
    EXPECT_NE(at, std::string::npos) << text;
    return at != std::string::npos ? text.substr(at + 1, text.find('\n', at + 1) - at - 1) : "";
  }
};

TEST_F(LongerRuns, HaveSamplesEnoughToTellHowFarASecondRecordingWouldAgree) {
  Record(program_, {}, "5");
  const std::string few = Expected();
  EXPECT_NE(few.find("too few samples"), std::string::npos) << few;
  EXPECT_NE(few.find("record longer"), std::string::npos) << few;
  Record(program_, {}, "200");
  EXPECT_NE(Expected().find("a second recording would overlap by "), std::string::npos) << Expected();
}

// The estimate is one of chance: half as long again is left for it. Without a limit, which on a busy machine buys fewer
// samples in the longer run.
TEST_F(LongerRuns, AgreeAsFarAsTheMessageSaysOfThem) {
  Record(program_, {"--max-overhead", "100%"}, "100");
  const std::string little = Expected();
  EXPECT_NE(little.find("too little"), std::string::npos) << little;
  const double times = std::stod(WordBehind(little, "record "));
  EXPECT_GT(times, 1) << little;
  Record(program_, {"--max-overhead", "100%"}, std::to_string(static_cast<int>(100 * times * 1.5)));
  EXPECT_NE(Expected().find("enough for bolt"), std::string::npos) << times << ' ' << Expected();
}

TEST_F(LongerRuns, PassAGateThatShortOnesFail) {
  const auto gate = [&](const std::string& steps) {
    const std::string other = folder_ / "other.slbr";
    Record(program_, {}, steps);
    std::filesystem::rename(profile_, other);
    Record(program_, {}, steps);
    return RunSoftlbr({"diff", "--min", "0.85", other, profile_});
  };
  const CommandResult brief = gate("5");
  EXPECT_EQ(brief.exit_code, 1) << brief.out;
  EXPECT_NE(brief.err.find("record longer"), std::string::npos) << brief.err;
  EXPECT_EQ(gate("400").exit_code, 0);
}

// A profile that has no sample, and then has.
TEST_F(LongerRuns, AndSmallerPeriodsGiveBranchesToReportAndConvert) {
  const auto record = [&](const std::string& period, const Words& program) {
    const CommandResult recorded =
        RunSoftlbr(Joined({"record", "-q", "-e", "thread-timer", "-c", period, "-o", profile_, "--"}, program));
    EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  };
  for (const Words& reader :
       {Words{"report", profile_}, Words{"convert", "--to", "bolt", profile_, "-o", folder_ / "out"}}) {
    std::filesystem::remove(profile_);
    record("100000000000", {program_, "12"});
    const CommandResult empty = RunSoftlbr(reader);
    EXPECT_EQ(empty.exit_code, 1) << empty.out;
    EXPECT_NE(empty.err.find("a longer run"), std::string::npos) << empty.err;
    const Words smaller = WordsBehind(empty.err, "a smaller ");
    ASSERT_GE(smaller.size(), 2u) << empty.err;
    EXPECT_EQ(smaller[0] + ' ' + smaller[1], "-c PERIOD");
    record("200000", {program_, "12"});
    EXPECT_EQ(RunSoftlbr(reader).exit_code, 0) << reader[0];
    record("20000000", {program_, "200"});
    EXPECT_EQ(RunSoftlbr(reader).exit_code, 0) << reader[0];
  }
}

// No cache is small enough for one loop, so none is advised.
TEST_F(PrefetchRemedies, CodeThatEveryCacheHoldsIsNamed) {
  testing::WriteFile(folder_ / "loop.c",
                     "int main(void) { for (volatile unsigned n = 0; n < 800000000; ++n) {} return 0; }\n");
  ASSERT_EQ(RunCommand({"gcc", "-g", "-O1", "-Wl,--build-id", folder_ / "loop.c", "-o", program_}).exit_code, 0);
  Record(program_, {"--traces", "--branches", "1024"});
  const CommandResult refused = Prefetch({"--cache", "512"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("there is nothing to prefetch"), std::string::npos) << refused.err;
  EXPECT_EQ(refused.err.find("--cache"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace softlbr::toolchain
