// Tests converted profiles with their consumers: perf2bolt, llvm-bolt, llvm-profgen, create_llvm_prof, perf.
//
// Builds four binaries (position-independent with lld, with GNU ld, at a fixed address, a shared library), single-steps
// each, writes its true path as a profile, converts that with `softlbr convert` and passes it to the tools. Their
// counts must equal the known ones exactly, and perf2bolt must report less than 1 % mismatching traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/convert/true_path_profile.h"
#include "tests/toolchain/programs/workload.h"
#include "tests/truth/recording.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;

constexpr size_t kBranchesPerTrace = 32;
constexpr uint64_t kMaxSteps = 3000000;
constexpr uint64_t kLeafCalls = uint64_t{WORKLOAD_CALLS} * LEAF_CALLS_PER_WORKLOAD;

struct Variant {
  const char* name;
  std::vector<std::string> compiler;  // with flags
  bool is_library;                    // the workload is a shared library
  bool is_by_lld;
};

std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class Acceptance : public ::testing::TestWithParam<Variant> {
 protected:
  // Builds and single-steps the program and writes the profile. Empty on success, else the missing capability.
  std::string Prepare() {
    const Variant& variant = GetParam();
    if (!HasProgram(variant.compiler[0])) return "missing: " + variant.compiler[0];
    const std::string missing = truth::MissingCapability();
    if (missing.find("ptrace") != std::string::npos) return "missing: " + missing;
    const std::string sources = SOFTLBR_PROGRAM_SOURCES;
    program_ = folder_ / "acceptance_program";
    if (variant.is_library) {
      binary_ = folder_ / "libworkload.so";
      Build({"-fPIC", "-shared", sources + "/workload.c", "-o", binary_});
      Build({sources + "/workload_main.c", binary_, "-Wl,-rpath," + folder_.path(), "-o", program_});
    } else {
      binary_ = program_;
      Build({sources + "/workload.c", sources + "/workload_main.c", "-o", program_});
    }
    truth::TruePath path;
    truth::Launch launch;
    launch.arguments = {program_};
    const std::string error = truth::StepThrough(launch, truth::Stepped::kItself, {}, kMaxSteps, &path);
    EXPECT_EQ(error, "");
    EXPECT_EQ(path.exit_status, 0);
    const Profile profile = testing::ProfileOfTruePath(path, kBranchesPerTrace, program_);
    EXPECT_GT(profile.branches.size(), 100u);
    profile_ = folder_ / "truth.slbr";
    EXPECT_EQ(WriteProfileFile(profile, profile_), "");
    return "";
  }

  void Build(std::vector<std::string> arguments) {
    const std::vector<std::string>& compiler = GetParam().compiler;
    arguments.insert(arguments.begin(), compiler.begin(), compiler.end());
    const CommandResult result = RunCommand(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  std::string Convert(const std::string& format) {
    const std::string out = folder_ / ("out." + format);
    const CommandResult result = RunSoftlbr({"convert", "--to", format, profile_, "-b", binary_, "-o", out});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "") << "no row of a true path may be dropped";
    return out;
  }

  // Returns the fdata text; checks what perf2bolt reports about its input.
  std::string Perf2Bolt(const std::string& input, bool is_aggregated, const std::string& binary) {
    const std::string fdata = folder_ / "out.fdata";
    std::vector<std::string> command = {"perf2bolt-19", "--aggregate-only", "-p", input, "-o", fdata, binary};
    if (is_aggregated) command.insert(command.begin() + 1, "-pa");
    const CommandResult result = RunCommand(command);
    EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
    const std::string said = result.out + result.err;
    std::smatch match;
    EXPECT_TRUE(std::regex_search(said, match,
                                  std::regex("mismatching disassembled function contents: (\\d+) \\(([0-9.]+)%\\)")))
        << said;
    EXPECT_LT(match.empty() ? 100.0 : std::stod(match[2]), 1.0) << said;
    EXPECT_TRUE(std::regex_search(said, match, std::regex("unknown regions: (\\d+) \\(([0-9.]+)%\\)"))) << said;
    // In perf.data the unknown regions are the branches of other modules.
    EXPECT_TRUE(!is_aggregated || (!match.empty() && std::stod(match[2]) < 1.0)) << said;
    const std::string text = ReadFile(fdata);
    EXPECT_FALSE(text.empty());
    return text;
  }

  // Taken branches to a function's first instruction, according to fdata.
  static uint64_t EntriesInFdata(const std::string& fdata, const std::string& function) {
    uint64_t total = 0;
    std::istringstream lines(fdata);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string from_kind, from, from_offset, to_kind, to, to_offset;
      uint64_t mispredicted = 0;
      uint64_t count = 0;
      words >> from_kind >> from >> from_offset >> to_kind >> to >> to_offset >> mispredicted >> count;
      const std::string name = to.substr(0, to.find('/'));
      if (to_kind == "1" && name == function && to_offset == "0") total += count;
    }
    return total;
  }

  // Head samples of a function in a text profile: "name:total:head".
  static uint64_t HeadInProfile(const std::string& text, const std::string& function) {
    std::smatch match;
    const std::regex line("(^|\\n)" + function + ":(\\d+):(\\d+)");
    return std::regex_search(text, match, line) ? std::stoull(match[3]) : 0;
  }

  std::string Profgen(const std::string& option, const std::string& input) {
    const std::string out = folder_ / "out.prof";
    std::vector<std::string> command = {"llvm-profgen-19", option + "=" + input, "--binary=" + binary_,
                                        "--output=" + out, "--format=text"};
    if (option == "--unsymbolized-profile") command.push_back("--use-offset=0");
    const CommandResult result = RunCommand(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err.find("profile is empty"), std::string::npos) << result.err;
    return ReadFile(out);
  }

  testing::TemporaryFolder folder_;
  std::string program_;
  std::string binary_;  // the module to convert
  std::string profile_;
};

TEST_P(Acceptance, Perf2BoltCountsMatchTruePath) {
  if (!HasProgram("perf2bolt-19")) GTEST_SKIP() << "missing: perf2bolt-19";
  const std::string missing = Prepare();
  if (!missing.empty()) GTEST_SKIP() << missing;
  const std::string converted = Convert("bolt");
  if (HasFailure()) return;
  const std::string fdata = Perf2Bolt(converted, true, binary_);
  EXPECT_EQ(EntriesInFdata(fdata, "counted_leaf"), kLeafCalls);
  EXPECT_EQ(EntriesInFdata(fdata, "workload"), static_cast<uint64_t>(WORKLOAD_CALLS));
}

TEST_P(Acceptance, LlvmProfgenCountsMatchTruePath) {
  if (!HasProgram("llvm-profgen-19")) GTEST_SKIP() << "missing: llvm-profgen-19";
  const std::string missing = Prepare();
  if (!missing.empty()) GTEST_SKIP() << missing;
  const std::string converted = Convert("llvm");
  if (HasFailure()) return;
  const std::string text = Profgen("--unsymbolized-profile", converted);
  EXPECT_EQ(HeadInProfile(text, "counted_leaf"), kLeafCalls);
  EXPECT_EQ(HeadInProfile(text, "workload"), static_cast<uint64_t>(WORKLOAD_CALLS));
  // The same traces as perf script text must give the same profile.
  EXPECT_EQ(Profgen("--perfscript", Convert("perfscript")), text);
}

// Whichever binary was named: a perf script is of all.
TEST_P(Acceptance, APerfScriptOfCountsHoldsEveryBinary) {
  if (!HasProgram("llvm-profgen-19")) GTEST_SKIP() << "missing: llvm-profgen-19";
  const std::string missing = Prepare();
  if (!missing.empty()) GTEST_SKIP() << missing;
  auto read = ReadProfileFile(profile_);
  Profile counts = std::get<Profile>(std::move(read));
  counts.traces.clear();
  ASSERT_EQ(WriteProfileFile(counts, profile_), "");
  const std::string of_binary = Profgen("--perfscript", Convert("perfscript"));
  EXPECT_EQ(HeadInProfile(of_binary, "counted_leaf"), 2 * kLeafCalls);  // of counts, each branch is written twice
  const std::string binary = binary_;
  binary_ = program_;
  const std::string of_program = Convert("perfscript");
  binary_ = binary;
  EXPECT_EQ(Profgen("--perfscript", of_program), of_binary);
}

TEST_P(Acceptance, PerfDataMatchesAggregatedFormats) {
  for (const char* tool : {"perf2bolt-19", "llvm-profgen-19", "perf"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  if (RunCommand({"perf", "--version"}).exit_code != 0) GTEST_SKIP() << "missing: a perf that runs here";
  const std::string missing = Prepare();
  if (!missing.empty()) GTEST_SKIP() << missing;
  const std::string data = Convert("perfdata");
  if (HasFailure()) return;
  const CommandResult script = RunCommand({"perf", "script", "-i", data, "-F", "ip,brstack", "--show-mmap-events"});
  EXPECT_EQ(script.exit_code, 0) << script.err;
  EXPECT_NE(script.out.find("PERF_RECORD_MMAP2"), std::string::npos);
  EXPECT_EQ(Profgen("--perfdata", data), Profgen("--unsymbolized-profile", Convert("llvm")));
  // perf2bolt before 20 mistakes the first segment of lld's layout for the mapped one (a known bug, fixed in 20).
  if (GetParam().is_by_lld) return;
  EXPECT_EQ(SortedLines(Perf2Bolt(data, false, binary_)), SortedLines(Perf2Bolt(Convert("bolt"), true, binary_)));
}

Variant MakeVariant(const char* name, std::vector<std::string> compiler, bool is_library) {
  compiler.insert(compiler.begin() + 1, {"-O2", "-g", "-Wl,--build-id", "-Wl,--emit-relocs"});
  const bool is_by_lld = std::find(compiler.begin(), compiler.end(), "-fuse-ld=lld") != compiler.end();
  return {name, std::move(compiler), is_library, is_by_lld};
}

INSTANTIATE_TEST_SUITE_P(
    Binaries, Acceptance,
    ::testing::Values(MakeVariant("PieByLld", {"clang-19", "-fuse-ld=lld", "-fPIE", "-pie"}, false),
                      MakeVariant("PieByGnuLd", {"gcc", "-fPIE", "-pie"}, false),
                      MakeVariant("FixedAddress", {"gcc", "-fno-pie", "-no-pie"}, false),
                      MakeVariant("SharedLibrary", {"clang-19", "-fuse-ld=lld", "-fPIE", "-pie"}, true)),
    [](const ::testing::TestParamInfo<Variant>& variant) { return std::string(variant.param.name); });

// Debian's AutoFDO 0.19 reads DWARF 4 only, and expects addresses that equal file offsets only in this layout
// (docs/cli.md).
class AcceptanceOfAutofdo : public Acceptance {};

TEST_P(AcceptanceOfAutofdo, CreateLlvmProfCountsMatchTruePath) {
  if (!HasProgram("create_llvm_prof")) GTEST_SKIP() << "missing: create_llvm_prof";
  const std::string missing = Prepare();
  if (!missing.empty()) GTEST_SKIP() << missing;
  const std::string converted = Convert("autofdo");
  if (HasFailure()) return;
  const std::string out = folder_ / "out.prof";
  const CommandResult result = RunCommand({"create_llvm_prof", "--profiler=text", "--profile=" + converted,
                                           "--binary=" + binary_, "--out=" + out, "--format=text", "-logtostderr"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string text = ReadFile(out);
  EXPECT_EQ(HeadInProfile(text, "counted_leaf"), kLeafCalls) << text;
  EXPECT_EQ(HeadInProfile(text, "workload"), static_cast<uint64_t>(WORKLOAD_CALLS)) << text;
}

INSTANTIATE_TEST_SUITE_P(Binaries, AcceptanceOfAutofdo,
                         ::testing::Values(MakeVariant("PieByGnuLd", {"gcc", "-gdwarf-4", "-fPIE", "-pie"}, false)),
                         [](const ::testing::TestParamInfo<Variant>& variant) {
                           return std::string(variant.param.name);
                         });

TEST(AcceptanceOfBolt, OptimizedProgramStillWorks) {
  for (const char* tool : {"clang-19", "perf2bolt-19", "llvm-bolt-19"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  const std::string missing = truth::MissingCapability();
  if (missing.find("ptrace") != std::string::npos) GTEST_SKIP() << "missing: " << missing;
  const testing::TemporaryFolder folder;
  const std::string sources = SOFTLBR_PROGRAM_SOURCES;
  const std::string program = folder / "program";
  const CommandResult built = RunCommand({"clang-19", "-fuse-ld=lld", "-O2", "-Wl,--emit-relocs", "-Wl,--build-id",
                                          sources + "/workload.c", sources + "/workload_main.c", "-o", program});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  truth::TruePath path;
  truth::Launch launch;
  launch.arguments = {program};
  ASSERT_EQ(truth::StepThrough(launch, truth::Stepped::kItself, {}, kMaxSteps, &path), "");
  const std::string profile = folder / "truth.slbr";
  ASSERT_EQ(WriteProfileFile(testing::ProfileOfTruePath(path, kBranchesPerTrace, program), profile), "");
  ASSERT_EQ(RunSoftlbr({"convert", "--to", "bolt", profile, "-b", program, "-o", folder / "p.bolt"}).exit_code, 0);
  const CommandResult aggregated = RunCommand(
      {"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder / "p.bolt", "-o", folder / "p.fdata", program});
  ASSERT_EQ(aggregated.exit_code, 0) << aggregated.err;
  const CommandResult optimized =
      RunCommand({"llvm-bolt-19", program, "-data", folder / "p.fdata", "-o", folder / "optimized",
                  "-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions", "-dyno-stats"});
  ASSERT_EQ(optimized.exit_code, 0) << optimized.err;
  const CommandResult before = RunCommand({program});
  const CommandResult after = RunCommand({folder / "optimized"});
  EXPECT_EQ(after.exit_code, 0);
  EXPECT_EQ(after.out, before.out);
}

}  // namespace
}  // namespace softlbr::toolchain
