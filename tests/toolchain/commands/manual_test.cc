// The manual pages and completions that are made from docs/cli.md: complete, well-formed, installed, and working in the
// shells.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "platform/base/limits.h"
#include "runtime/trigger/control_policy.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;

const std::string kManual = SOFTLBR_TOOLCHAIN_BUILD "/manual";
const std::vector<std::string> kCommands = {"record",  "report", "blocks",  "mix",    "db",      "prefetch",
                                            "stats",   "dump",   "merge",   "diff",   "convert", "doctor",
                                            "trigger", "list",   "request", "upload", "collect", "optimize"};

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// The page of the command line, the helps and the code tell one default.
TEST(Manual, TellsTheDefaultLimitsOfTheOverhead) {
  if (!HasProgram("scdoc")) GTEST_SKIP() << "missing: scdoc";
  const std::string page = std::regex_replace(ReadFile(kManual + "/softlbr-record.1"), std::regex(R"(\\&)"), "");
  const std::string help = RunSoftlbr({"help", "record"}).out;
  for (const uint64_t ppm : {uint64_t{kDefaultMaxOverheadPpm}, uint64_t{kFrequencyMaxOverheadPpm}}) {
    char percentage[32];
    std::snprintf(percentage, sizeof percentage, "%g%%", static_cast<double>(ppm) / 10000);
    EXPECT_NE(page.find(percentage), std::string::npos) << percentage;
    EXPECT_NE(help.find(percentage), std::string::npos) << percentage << " in " << help;
  }
  ASSERT_EQ(kUsualOverheadPpm, 10000u) << "change the helps and docs/cli.md, too";
  for (const char* command : {"trigger", "request"}) {
    const std::string text = RunSoftlbr({"help", command}).out;
    EXPECT_TRUE(std::regex_search(text, std::regex("default\\s+1%,\\s+or"))) << text;
  }
}

// The options that a command's --help lists, each with all of its names.
std::vector<std::vector<std::string>> OptionsOf(const std::string& command) {
  std::vector<std::vector<std::string>> options;
  const std::regex name("--?[A-Za-z][A-Za-z-]*");
  for (const std::string& line : Lines(RunSoftlbr({"help", command}).out)) {
    if (!line.starts_with("  -")) continue;
    const std::string column = line.substr(2, line.find(' ', 2) - 2);
    options.emplace_back(std::sregex_token_iterator(column.begin(), column.end(), name), std::sregex_token_iterator());
  }
  return options;
}

// What bash offers for the last of the words.
std::vector<std::string> Complete(const std::vector<std::string>& words, const std::string& folder = "/") {
  std::vector<std::string> command = {"bash", "-c",
                                      "cd \"$1\"; . \"$0\"; shift; COMP_WORDS=(softlbr \"$@\"); COMP_CWORD=$#; "
                                      "_softlbr; printf '%s\\n' \"${COMPREPLY[@]}\"",
                                      kManual + "/softlbr.bash", folder};
  command.insert(command.end(), words.begin(), words.end());
  const CommandResult result = RunCommand(command);
  EXPECT_EQ(result.err, "");
  std::vector<std::string> offered = Lines(result.out);
  std::sort(offered.begin(), offered.end());
  return offered;
}

using Words = std::vector<std::string>;

TEST(Manual, HasAPageForEachCommandWithAllItsOptions) {
  if (!HasProgram("scdoc")) GTEST_SKIP() << "missing: scdoc";
  const std::string top = ReadFile(kManual + "/softlbr.1");
  for (const std::string& command : kCommands) {
    SCOPED_TRACE(command);
    EXPECT_NE(top.find("softlbr " + command), std::string::npos);
    std::string page = ReadFile(kManual + "/softlbr-" + command + ".1");
    page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
    const std::string synopsis = page.substr(0, page.find(".SH DESCRIPTION"));
    size_t found = 0;
    for (const Words& names : OptionsOf(command)) {
      if (names.back() == "--help") continue;
      ++found;
      EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                              [&](const std::string& name) {
                                return std::regex_search(synopsis, std::regex("[\\[ ]" + name + "[\\] \n]"));
                              }))
          << names.back() << " is not in the synopsis of docs/cli.md";
    }
    EXPECT_GT(found, 0u);
  }
}

TEST(Manual, PagesAreWellFormed) {
  if (!HasProgram("scdoc")) GTEST_SKIP() << "missing: scdoc";
  if (!HasProgram("groff")) GTEST_SKIP() << "missing: groff";
  for (const auto& entry : std::filesystem::directory_iterator(kManual)) {
    if (entry.path().extension() != ".1") continue;
    const CommandResult result = RunCommand({"groff", "-man", "-Tutf8", "-ww", entry.path()});
    EXPECT_EQ(result.exit_code, 0) << entry.path();
    EXPECT_EQ(result.err, "") << entry.path();
    for (const char* mark : {"|", "##", "`"}) {
      EXPECT_EQ(result.out.find(mark, result.out.find("DESCRIPTION")), std::string::npos)
          << mark << " was not understood: " << entry.path();
    }
  }
}

TEST(Manual, IsInstalledBelowShare) {
  if (!HasProgram("scdoc")) GTEST_SKIP() << "missing: scdoc";
  const testing::TemporaryFolder prefix;
  const CommandResult result = RunCommand(
      {SOFTLBR_CMAKE, "--install", SOFTLBR_TOOLCHAIN_BUILD, "--prefix", prefix.path(), "--component", "command"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* file :
       {"share/man/man1/softlbr.1", "share/man/man1/softlbr-record.1", "share/man/man1/softlbr-doctor.1",
        "share/bash-completion/completions/softlbr", "share/zsh/site-functions/_softlbr"}) {
    EXPECT_TRUE(std::filesystem::exists(prefix / file)) << file;
  }
}

TEST(Completion, BashOffersCommandsOptionsAndValues) {
  if (!HasProgram("bash")) GTEST_SKIP() << "missing: bash";
  EXPECT_EQ(Complete({"re"}), (Words{"record", "report", "request"}));
  EXPECT_EQ(Complete({"help", "d"}), (Words{"db", "diff", "doctor", "dump"}));
  EXPECT_EQ(Complete({"record", "-e", "t"}), (Words{"taken-branches", "task-clock", "thread-timer"}));
  EXPECT_EQ(Complete({"record", "--resolve", ""}), (Words{"lookahead", "static"}));
  EXPECT_EQ(Complete({"convert", "--to", "perf"}), (Words{"perfdata", "perfscript"}));
  EXPECT_EQ(Complete({"record", "--branches", ""}), Words{}) << "a number";
  EXPECT_EQ(Complete({"record", "-o", ""}), Words{}) << "left to bash: any file";
  for (const std::string& command : kCommands) {
    const Words offered = Complete({command, "-"});
    for (const Words& names : OptionsOf(command)) {
      EXPECT_TRUE(std::any_of(
          names.begin(), names.end(),
          [&](const std::string& name) { return std::find(offered.begin(), offered.end(), name) != offered.end(); }))
          << command << ' ' << names.back();
    }
  }
}

TEST(Completion, BashOffersProfilesAndPrograms) {
  if (!HasProgram("bash")) GTEST_SKIP() << "missing: bash";
  const testing::TemporaryFolder folder;
  for (const char* name : {"a.slbr", "ab.slbr", "a.txt"}) testing::WriteFile(folder / name, "");
  std::filesystem::create_directory(folder / "a_folder");
  EXPECT_EQ(Complete({"report", "a"}, folder.path()), (Words{"a.slbr", "a_folder", "ab.slbr"}));
  for (const Words& words : {Words{"record", "--", "pri"}, Words{"record", "-o", "x", "pri"}}) {
    const Words programs = Complete(words);
    EXPECT_NE(std::find(programs.begin(), programs.end(), "printf"), programs.end());
  }
}

// The functions that offer words print what they are given; a real completion needs a terminal.
TEST(Completion, ZshOffersCommandsOptionsAndValues) {
  if (!HasProgram("zsh")) GTEST_SKIP() << "missing: zsh";
  const auto complete = [](const std::string& words) {
    const CommandResult result =
        RunCommand({"zsh", "-fc",
                    "_arguments() { print -rl -- \"$@\" }; _describe() { print -rl -- ${(P)2} }; words=(softlbr " +
                        words + "); CURRENT=$#words; . " + kManual + "/_softlbr"});
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.exit_code, 0);
    return "\n" + result.out;
  };
  for (const std::string& command : kCommands) {
    EXPECT_NE(complete("x").find("\n" + command + ":"), std::string::npos) << command;
    const std::string offered = complete(command + " x");
    for (const Words& names : OptionsOf(command)) {
      EXPECT_TRUE(std::any_of(
          names.begin(), names.end(),
          [&](const std::string& name) { return std::regex_search(offered, std::regex("\n\\*?" + name + "[:\n]")); }))
          << command << ' ' << names.back();
    }
  }
  EXPECT_NE(complete("record x").find("(static lookahead)"), std::string::npos);
  EXPECT_NE(complete("convert x").find("(bolt llvm csspgo autofdo propeller perfscript perfdata)"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::toolchain
