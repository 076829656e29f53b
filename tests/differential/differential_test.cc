// Programs that nobody here wrote behave the same with and without `softlbr record` at a high rate: output,
// diagnostics, exit code and files are compared byte by byte. A table lists the programs (program_table.h);
// SOFTLBR_DIFFERENTIAL_TABLE names another table than quick.table.
//
// Both runs use a folder of the same name, made anew from the same inputs. A run that hangs is killed and fails the
// test.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/differential/program_table.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::differential {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::CommandResult;

constexpr char kPeriodNs[] = "100003";  // 10 kHz
constexpr char kBranches[] = "128";
constexpr char kLongestRunSeconds[] = "150";

std::string FileBytes(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The text without the lines that match `pattern`.
std::string WithoutLines(const std::string& text, const std::string& pattern) {
  const std::regex ignored(pattern);
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, ignored)) kept += line + "\n";
  }
  return kept;
}

// The contents of a folder: regular files by their bytes, links by their target.
std::map<std::string, std::string> Contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_symlink()) {
      files[name] = "-> " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      files[name] = FileBytes(entry.path());
    } else {
      files[name] = "(other)";
    }
  }
  return files;
}

// The first difference of two texts, with an excerpt of each.
std::string Difference(const std::string& plain, const std::string& recorded) {
  const auto place = std::mismatch(plain.begin(), plain.end(), recorded.begin(), recorded.end());
  const size_t at = static_cast<size_t>(place.first - plain.begin());
  constexpr size_t kBefore = 80;
  constexpr size_t kShown = 400;
  const size_t from = at < kBefore ? 0 : at - kBefore;
  return "from byte " + std::to_string(at) + " (of " + std::to_string(plain.size()) + " and " +
         std::to_string(recorded.size()) + ")\n--- plain\n" + plain.substr(std::min(from, plain.size()), kShown) +
         "\n--- recorded\n" + recorded.substr(std::min(from, recorded.size()), kShown);
}

std::vector<Program> Programs() {
  const char* table = std::getenv("SOFTLBR_DIFFERENTIAL_TABLE");
  try {
    return ReadProgramTable(table != nullptr ? table : SOFTLBR_DIFFERENTIAL_FOLDER "/quick.table");
  } catch (const std::exception& error) {
    fprintf(stderr, "%s\n", error.what());
    std::exit(1);
  }
}

// $IN in a run's words stands for the tree's folder of inputs.
std::string WithFolder(std::string word) {
  constexpr char kName[] = "$IN";
  const size_t at = word.find(kName);
  return at == std::string::npos ? word : word.replace(at, sizeof kName - 1, SOFTLBR_DIFFERENTIAL_FOLDER "/inputs");
}

struct Outcome {
  std::vector<CommandResult> runs;
  std::map<std::string, std::string> files;
};

class Differential : public ::testing::TestWithParam<Program> {
 protected:
  // Empty: nothing is missing.
  static std::string WhatIsMissing(const Program& program) {
    std::string missing;
    for (const std::string& need : program.needs) {
      const bool is_there =
          need.find('/') != std::string::npos ? access(need.c_str(), R_OK) == 0 : testing::HasProgram(need);
      if (!is_there) missing += " " + need;
    }
    return missing;
  }

  std::vector<std::string> Environment(const Program& program) const {
    std::vector<std::string> environment = {"LC_ALL=C.UTF-8",  "TZ=UTC",
                                            "HOME=" + work_,   "IN=" SOFTLBR_DIFFERENTIAL_FOLDER "/inputs",
                                            "DEBUGINFOD_URLS", "LD_PRELOAD"};
    environment.insert(environment.end(), program.environment.begin(), program.environment.end());
    return environment;
  }

  bool MakeInputs(const Program& program) {
    fs::create_directory(work_);
    for (const std::string& line : program.make) {
      const CommandResult made =
          testing::RunCommand({"env", "-C", work_, "sh", "-e", "-c", line}, Environment(program));
      if (made.exit_code != 0) {
        ADD_FAILURE() << program.name << ": " << line << "\n" << made.err;
        return false;
      }
    }
    fs::copy(work_, inputs_, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    return true;
  }

  // The task clock if this machine permits it, else the thread timer.
  static std::string Event() {
    const CommandResult doctor = testing::RunSoftlbr({"doctor", "--json"});
    const json answer = json::parse(doctor.out, nullptr, false);
    return answer.is_object() && answer.value("sampler", "") == "thread-timer" ? "thread-timer" : "task-clock";
  }

  Outcome RunAll(const Program& program, bool is_recorded) {
    fs::remove_all(work_);
    fs::copy(inputs_, work_, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    Outcome outcome;
    for (size_t i = 0; i < program.runs.size(); ++i) {
      const CommandLine& run = program.runs[i];
      std::vector<std::string> command = {"env", "-C", work_, "timeout", "-s", "KILL", kLongestRunSeconds};
      if (!run.input.empty()) {
        for (const char* word : {"sh", "-c", "exec \"$@\" <\"$0\""}) command.emplace_back(word);
        command.push_back(WithFolder(run.input));
      }
      if (is_recorded) {
        for (const std::string& word :
             {testing::SoftlbrPath(), std::string("record"), std::string("-q"), std::string("-e"), event_,
              std::string("-c"), std::string(kPeriodNs), std::string("--branches"), std::string(kBranches),
              std::string("-o"), Profile(i), std::string("--")}) {
          command.push_back(word);
        }
      }
      for (const std::string& word : run.command) command.push_back(WithFolder(word));
      CommandResult result = testing::RunCommand(command, Environment(program));
      if (!program.ignored_lines.empty()) result.out = WithoutLines(result.out, program.ignored_lines);
      if (program.ends_abruptly) {
        const std::string without = WithoutLines(result.err, "^softlbr: the program ended without its exit handlers; ");
        EXPECT_TRUE(is_recorded || without == result.err);  // nor with a helper, which completes the profile
        result.err = without;
      }
      outcome.runs.push_back(result);
    }
    if (!program.are_files_unsteady) outcome.files = Contents(work_);
    return outcome;
  }

  std::string Profile(size_t run) const { return folder_ / ("run" + std::to_string(run) + ".slbr"); }

  // Every sample is a complete trace, an aborted one, or lost. (A trace that met a critical section continues after it
  // as another trace.) Where the end of the profile is missing, one trace of each thread was still open at the last
  // flush.
  static void ExpectEverySampleAccounted(const json& stats, bool ends_abruptly) {
    const uint64_t samples = stats["samples"].get<uint64_t>();
    uint64_t ended = stats["traces_complete"].get<uint64_t>() + stats["lost"].value("no_free_buffer", uint64_t{0});
    for (const auto& aborted : stats["traces_aborted"].items()) ended += aborted.value().get<uint64_t>();
    EXPECT_GE(ended + (ends_abruptly ? stats["threads_traced"].get<uint64_t>() : 0), samples);
    EXPECT_LE(ended, samples + stats["traces_aborted"].value("restartable_sequence", uint64_t{0}));
    EXPECT_EQ(stats["lost"].value("handler_replaced", uint64_t{0}), 0u);
  }

  testing::TemporaryFolder folder_;
  std::string work_ = folder_ / "work";
  std::string inputs_ = folder_ / "inputs";
  std::string event_ = Event();
};

TEST_P(Differential, ProgramBehavesTheSameWhenRecorded) {
  const Program& program = GetParam();
  const std::string missing = WhatIsMissing(program);
  if (!missing.empty()) GTEST_SKIP() << "missing:" << missing << " (Debian packages: " << program.packages << ")";
  if (!MakeInputs(program)) return;

  const Outcome plain = RunAll(program, false);
  const Outcome recorded = RunAll(program, true);
  uint64_t samples = 0;
  uint64_t threads = 0;
  for (size_t i = 0; i < program.runs.size(); ++i) {
    std::string shown;
    for (const std::string& word : program.runs[i].command) shown += word + " ";
    SCOPED_TRACE(shown);
    EXPECT_EQ(plain.runs[i].exit_code, i < program.exit_codes.size() ? program.exit_codes[i] : 0) << plain.runs[i].err;
    EXPECT_EQ(recorded.runs[i].exit_code, plain.runs[i].exit_code) << recorded.runs[i].err;
    EXPECT_EQ(recorded.runs[i].signal_number, plain.runs[i].signal_number);
    EXPECT_TRUE(recorded.runs[i].out == plain.runs[i].out)
        << "standard output differs " << Difference(plain.runs[i].out, recorded.runs[i].out);
    if (!program.is_stderr_unsteady) {
      EXPECT_TRUE(recorded.runs[i].err == plain.runs[i].err)
          << "standard error differs " << Difference(plain.runs[i].err, recorded.runs[i].err);
    }
    const CommandResult text = testing::RunSoftlbr({"stats", Profile(i), "--json"});
    ASSERT_EQ(text.exit_code, 0) << text.err << recorded.runs[i].err;
    const json stats = json::parse(text.out);
    samples += stats["samples"].get<uint64_t>();
    threads = stats["threads_traced"].get<uint64_t>();
    ExpectEverySampleAccounted(stats, program.ends_abruptly);
  }
  EXPECT_GE(samples, program.least_samples);
  EXPECT_GE(threads, program.least_threads);
  RecordProperty("samples", static_cast<int>(samples));
  for (const auto& [name, bytes] : plain.files) {
    const auto other = recorded.files.find(name);
    if (other == recorded.files.end()) {
      ADD_FAILURE() << "recorded, there is no file " << name;
    } else if (other->second != bytes) {
      ADD_FAILURE() << name << " differs " << Difference(bytes, other->second);
    }
  }
  EXPECT_EQ(recorded.files.size(), plain.files.size()) << "recorded, there are other files";
}

INSTANTIATE_TEST_SUITE_P(Table, Differential, ::testing::ValuesIn(Programs()),
                         [](const ::testing::TestParamInfo<Program>& instance) { return instance.param.name; });

TEST(ProgramTable, SplitsWordsAtBlanksOutsideQuotes) {
  EXPECT_EQ(SplitWords("a  'b c' d\"e f\"g ''"), (std::vector<std::string>{"a", "b c", "de fg", ""}));
  EXPECT_THROW((void)SplitWords("a 'b"), std::runtime_error);
}

TEST(ProgramTable, RefusesMalformedTables) {
  testing::TemporaryFolder folder;
  const std::string path = folder / "t";
  for (const char* text : {"run: x\n", "program: a\nrun: x\n", "program: a\npackages: p\nrum: x\n",
                           "program: a\nunsteady: me\n", "program: a\npackages: p\nexit: zero\nrun: x\n",
                           "program: a\npackages: p\nrun: x\n\nprogram: a\npackages: p\nrun: x\n"}) {
    testing::WriteFile(path, text);
    EXPECT_THROW((void)ReadProgramTable(path), std::runtime_error) << text;
  }
  testing::WriteFile(path, "# c\nprogram: a\npackages: p\nrun: < in x y\nrun: z\nexit: 0 3\n");
  const std::vector<Program> programs = ReadProgramTable(path);
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].runs[0].input, "in");
  EXPECT_EQ(programs[0].runs[0].command, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(programs[0].exit_codes, (std::vector<int>{0, 3}));
}

}  // namespace
}  // namespace softlbr::differential
