// Files that are not the one that ran although build id, or sizes and name, say so; and remedies, which are run.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;
using testing::WordsBehind;

constexpr char kTwoFunctions[] =
    "__attribute__((noinline)) unsigned FIRST(unsigned n) { unsigned s = 0; while (n != 1) { s += n & 3; if (n & 1) n "
    "= 3 * n + 1; "
    "else n /= 2; }\n"
    "  return s; }\n"
    "__attribute__((noinline)) unsigned SECOND(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < 5; i++) s = s * "
    "31 + (n >> "
    "i); return s; }\n"
    "int main(void) { unsigned s = 0; for (unsigned i = 1; i < 1000000; i++) s += walk((i & 255) + 1) + mix(i); return "
    "s == 1; }\n";

class OtherCode : public ::testing::Test {
 protected:
  void Build(const std::string& name, std::vector<std::string> options) {
    options.insert(options.begin(), {"gcc", "-O1", "-g", "-Wno-implicit-function-declaration", "-o", folder_ / name});
    options.push_back(folder_ / "two.c");
    const CommandResult built = RunCommand(options);
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }
  void Record(const std::string& name) {
    // Without a limit, which on a busy machine buys three samples.
    const CommandResult recorded = RunSoftlbr(
        {"record", "-q", "-F", "2000", "--max-overhead", "100%", "-o", folder_ / "p.slbr", "--", folder_ / name});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  }
  void SetUp() override {
    if (!HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
    testing::WriteFile(folder_ / "two.c", kTwoFunctions);
  }
  // The second function first.
  void SwapFunctions() {
    const std::string text = kTwoFunctions;
    const size_t second = text.find("__attribute__", 1);
    const size_t main = text.find("int main");
    testing::WriteFile(folder_ / "two.c",
                       text.substr(second, main - second) + text.substr(0, second) + text.substr(main));
  }
  CommandResult Convert(const std::string& to, const std::string& binary) {
    return RunSoftlbr({"convert", "--to", to, "-b", binary, "-o", folder_ / "out", folder_ / "p.slbr"});
  }

  testing::TemporaryFolder folder_;
};

// Without a build id, name and segments are equal, and the functions have changed places.
TEST_F(OtherCode, ARebuiltFileOfEqualSizesIsRefused) {
  const std::vector<std::string> options = {"-fno-toplevel-reorder", "-Wl,--build-id=none"};
  std::vector<std::string> before = options;
  before.insert(before.end(), {"-DFIRST=walk", "-DSECOND=mix"});
  Build("app", before);
  Record("app");
  const CommandResult right = Convert("bolt", folder_ / "app");
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_EQ(right.err.find("cannot have made"), std::string::npos) << right.err;
  SwapFunctions();
  Build("app", before);
  const CommandResult wrong = Convert("bolt", folder_ / "app");
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  EXPECT_NE(wrong.err.find("cannot have made"), std::string::npos) << wrong.err;
  const CommandResult report = RunSoftlbr({"report", folder_ / "p.slbr", "-b", folder_ / "app"});
  EXPECT_NE(report.err.find("cannot have made"), std::string::npos) << report.err;
}

// Two programs with one build id: each is looked up in its own file, in whatever order they are named.
TEST_F(OtherCode, FilesWithOneBuildIdAreToldApart) {
  const std::string id = "-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567";
  Build("a", {"-DFIRST=walk", "-DSECOND=mix", "-no-pie", id});
  testing::WriteFile(folder_ / "two.c",
                     std::string("static volatile char room[70000] = {1};\nunsigned pad(unsigned n) { unsigned s = 0; "
                                 "for (unsigned i = 0; i < n; i++) s += room[i]; return s; }\n") +
                         kTwoFunctions);
  Build("b", {"-DFIRST=walk", "-DSECOND=mix", "-no-pie", id});
  Record("b");
  for (const auto& order : {std::pair("a", "b"), std::pair("b", "a")}) {
    const CommandResult report =
        RunSoftlbr({"report", folder_ / "p.slbr", "-b", folder_ / order.first, "-b", folder_ / order.second});
    EXPECT_EQ(report.exit_code, 0) << report.err;
    EXPECT_EQ(report.err.find("cannot have made"), std::string::npos) << report.err;
    EXPECT_NE(report.out.find(folder_ / "b"), std::string::npos) << report.out;
  }
  EXPECT_EQ(Convert("bolt", folder_ / "b").exit_code, 0);
  const CommandResult other = Convert("bolt", folder_ / "a");
  EXPECT_EQ(other.exit_code, 1) << other.err;
  EXPECT_NE(other.err.find("cannot have made"), std::string::npos) << other.err;
}

// Every command that reads code says how much of the profile that code contradicts.
TEST_F(OtherCode, WhatContradictsTheCodeIsSaidByEachCommand) {
  const std::vector<std::string> options = {"-fno-toplevel-reorder", "-Wl,--build-id=none", "-DFIRST=walk",
                                            "-DSECOND=mix"};
  Build("app", options);
  Record("app");
  const std::string profile = folder_ / "p.slbr";
  const std::vector<std::vector<std::string>> commands = {
      {"report", profile}, {"mix", profile}, {"blocks", profile}, {"diff", profile, profile}};
  const std::string said = "its code cannot have made ";
  for (const auto& command : commands) {
    const CommandResult right = RunSoftlbr(command);
    EXPECT_EQ(right.exit_code, 0) << command[0] << ": " << right.err;
    EXPECT_EQ(right.err.find(said), std::string::npos) << command[0] << ": " << right.err;
  }
  SwapFunctions();
  Build("app", options);
  for (const auto& command : commands) {
    const CommandResult wrong = RunSoftlbr(command);
    EXPECT_NE(wrong.err.find(said), std::string::npos) << command[0] << ": " << wrong.err;
  }
}

TEST_F(OtherCode, ARenamedFileWithoutABuildIdIsTakenIfItIsNamed) {
  Build("app", {"-DFIRST=walk", "-DSECOND=mix", "-Wl,--build-id=none"});
  Record("app");
  std::filesystem::rename(folder_ / "app", folder_ / "kept");
  const std::string profile = folder_ / "p.slbr", kept = folder_ / "kept";
  const CommandResult report = RunSoftlbr({"report", "-b", kept, profile});
  EXPECT_EQ(report.err, "");
  EXPECT_NE(report.out.find("walk"), std::string::npos) << report.out;
  const CommandResult mix = RunSoftlbr({"mix", "--by", "function", "-b", kept, profile});
  EXPECT_NE(mix.out.find("walk"), std::string::npos) << mix.out << mix.err;
  EXPECT_EQ(Convert("bolt", kept).exit_code, 0);
}

// Of two builds, one with more code before the functions, all places of unchanged functions match.
TEST_F(OtherCode, TwoBuildsAreComparedByFunction) {
  Build("a", {"-DFIRST=walk", "-DSECOND=mix", "-fno-toplevel-reorder", "-Wl,--build-id"});
  Record("a");
  std::filesystem::rename(folder_ / "p.slbr", folder_ / "a.slbr");
  testing::WriteFile(folder_ / "two.c",
                     std::string("unsigned pad(unsigned n) { return n * 3 + 1; }\n") + kTwoFunctions);
  std::filesystem::create_directory(folder_ / "other");
  Build("other/a", {"-DFIRST=walk", "-DSECOND=mix", "-fno-toplevel-reorder", "-Wl,--build-id"});
  Record("other/a");
  const CommandResult diff = RunSoftlbr(
      {"diff", folder_ / "a.slbr", folder_ / "p.slbr", "-b", folder_ / "a", "-b", folder_ / "other/a", "--json"});
  ASSERT_EQ(diff.exit_code, 0) << diff.err;
  EXPECT_NE(diff.err.find("matched by function"), std::string::npos) << diff.err;
  const nlohmann::json overlaps = nlohmann::json::parse(diff.out);
  EXPECT_GT(overlaps["overlap"].get<double>(), 0.9) << diff.out;
  EXPECT_GT(overlaps["overlap_of_ranges"].get<double>(), 0.9) << diff.out;
  EXPECT_GT(overlaps["overlap_of_functions"].get<double>(), 0.9) << diff.out;
}

// The remedies for a stripped program are run as they are printed.
class Remedies : public OtherCode, public ::testing::WithParamInterface<const char*> {};

TEST_P(Remedies, JoinTheDebugFile) {
  for (const char* tool : {"objcopy", "eu-unstrip", "llvm-profgen-19"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  Build("full", {"-DFIRST=walk", "-DSECOND=mix"});
  ASSERT_EQ(RunCommand({"objcopy", "--only-keep-debug", folder_ / "full", folder_ / "app.debug"}).exit_code, 0);
  ASSERT_EQ(RunCommand({"objcopy", GetParam(), "--add-gnu-debuglink=" + (folder_ / "app.debug"), folder_ / "full",
                        folder_ / "app"})
                .exit_code,
            0);
  Record("app");
  const CommandResult converted = Convert("llvm", folder_ / "app");
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  // "... join the two with eu-unstrip -o BOTH APP DEBUG, and give it --binary=BOTH"
  const size_t at = converted.err.find("eu-unstrip -o BOTH ");
  ASSERT_NE(at, std::string::npos) << converted.err;
  std::istringstream words(converted.err.substr(at, converted.err.find(',', at) - at));
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word == "BOTH" ? folder_ / "both" : word);
  const CommandResult joined = RunCommand(command);
  ASSERT_EQ(joined.exit_code, 0) << joined.err;
  const CommandResult profgen =
      RunCommand({"llvm-profgen-19", "--unsymbolized-profile=" + (folder_ / "out"), "--use-offset=0",
                  "--binary=" + (folder_ / "both"), "--format=text", "--output=" + (folder_ / "prof")});
  EXPECT_EQ(profgen.exit_code, 0) << profgen.err;
  EXPECT_NE(ReadFile(folder_ / "prof").find("walk:"), std::string::npos) << ReadFile(folder_ / "prof");
}

INSTANTIATE_TEST_SUITE_P(Strips, Remedies, ::testing::Values("--strip-all", "--strip-debug"),
                         [](const auto& strip) { return std::string(strip.param) == "--strip-all" ? "All" : "Debug"; });

class PrintedRemedies : public OtherCode {
 protected:
  void BuildWith(std::vector<std::string> options) {
    options.insert(options.begin(), {"-DFIRST=walk", "-DSECOND=mix", "-Wl,--build-id"});
    Build("app", options);
  }
  void RecordWith(const std::vector<std::string>& options) {
    std::vector<std::string> command = {"record", "-q", "-F", "2000", "-o", folder_ / "p.slbr"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"--", folder_ / "app"});
    const CommandResult recorded = RunSoftlbr(command);
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  }
  // What llvm-profgen makes of the result.
  std::string Profgen(const std::string& option) {
    std::vector<std::string> command = {"llvm-profgen-19", option + "=" + (folder_ / "out"),
                                        "--binary=" + (folder_ / "app"), "--format=text",
                                        "--output=" + (folder_ / "prof")};
    if (option == "--unsymbolized-profile") command.push_back("--use-offset=0");
    const CommandResult made = RunCommand(command);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return ReadFile(folder_ / "prof");
  }
};

TEST_F(PrintedRemedies, RelocationsLetBoltMoveFunctions) {
  for (const char* tool : {"perf2bolt-19", "llvm-bolt-19"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  const auto optimize = [&] {
    const CommandResult made = RunCommand(
        {"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder_ / "out", "-o", folder_ / "fdata", folder_ / "app"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    const CommandResult bolted =
        RunCommand({"llvm-bolt-19", folder_ / "app", "-data=" + (folder_ / "fdata"), "-o", folder_ / "app.bolt",
                    "-reorder-functions=hfsort", "-reorder-blocks=ext-tsp"});
    return bolted;
  };
  BuildWith({});
  RecordWith({});
  const CommandResult before = Convert("bolt", folder_ / "app");
  EXPECT_NE(optimize().err.find("only works when relocations are enabled"), std::string::npos);
  BuildWith(WordsBehind(before.err, "link with "));
  RecordWith({});
  const CommandResult after = Convert("bolt", folder_ / "app");
  EXPECT_EQ(after.err, "");
  const CommandResult bolted = optimize();
  EXPECT_EQ(bolted.exit_code, 0) << bolted.err;
  EXPECT_EQ(RunCommand({folder_ / "app.bolt"}).exit_code, 0);
}

TEST_F(PrintedRemedies, LineTablesGiveASourceProfile) {
  if (!HasProgram("llvm-profgen-19")) GTEST_SKIP() << "missing: llvm-profgen-19";
  BuildWith({"-g0"});
  RecordWith({});
  const CommandResult refused = Convert("llvm", folder_ / "app");
  EXPECT_EQ(refused.exit_code, 1);
  std::vector<std::string> options = WordsBehind(refused.err, "compile with ");
  options.insert(options.begin(), "-g0");
  BuildWith(options);
  RecordWith({});
  EXPECT_EQ(Convert("llvm", folder_ / "app").exit_code, 0);
  EXPECT_NE(Profgen("--unsymbolized-profile").find("walk:"), std::string::npos);
}

TEST_F(PrintedRemedies, TheFileBeforeStrippingHasTheFunctions) {
  for (const char* tool : {"objcopy", "perf2bolt-19"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  BuildWith({});
  std::filesystem::rename(folder_ / "app", folder_ / "full");
  ASSERT_EQ(RunCommand({"objcopy", "--strip-all", folder_ / "full", folder_ / "app"}).exit_code, 0);
  RecordWith({});
  const CommandResult refused = Convert("bolt", folder_ / "app");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("name the file before stripping with -b, or link without -s"), std::string::npos)
      << refused.err;
  EXPECT_EQ(Convert("bolt", folder_ / "full").exit_code, 0);
  const CommandResult made = RunCommand(
      {"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder_ / "out", "-o", folder_ / "fdata", folder_ / "full"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(ReadFile(folder_ / "fdata").find(" walk "), std::string::npos);
}

TEST_F(PrintedRemedies, WholeTracesGivePerfDataAndContexts) {
  if (!HasProgram("llvm-profgen-19")) GTEST_SKIP() << "missing: llvm-profgen-19";
  BuildWith({});
  RecordWith({});
  const CommandResult no_data = Convert("perfdata", folder_ / "app"), no_contexts = Convert("csspgo", folder_ / "app");
  EXPECT_EQ(no_data.exit_code, 1);
  EXPECT_EQ(no_contexts.exit_code, 1);
  RecordWith(WordsBehind(no_contexts.err, "record with "));
  EXPECT_EQ(Convert("csspgo", folder_ / "app").exit_code, 0);
  const std::string contexts = Profgen("--perfscript");
  EXPECT_TRUE(contexts.starts_with("main:")) << contexts;
  EXPECT_NE(contexts.find(": walk:"), std::string::npos) << "walk as main called it: " << contexts;
  RecordWith(WordsBehind(no_data.err, "record with "));
  EXPECT_EQ(Convert("perfdata", folder_ / "app").exit_code, 0);
  if (!HasProgram("perf") || RunCommand({"perf", "--version"}).exit_code != 0)
    GTEST_SKIP() << "missing: a perf that runs here";
  const CommandResult script = RunCommand({"perf", "script", "-i", folder_ / "out", "-F", "ip,sym"});
  EXPECT_NE(script.out.find("walk"), std::string::npos) << script.err;
}

}  // namespace
}  // namespace softlbr::toolchain
