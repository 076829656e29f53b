// Execution that runs from one sized symbol into the next: what `softlbr report` and `softlbr convert` make of it.
//
// The independent answers: the addresses of objdump's disassembly, and llvm-profgen's profile of the same source built
// without such ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;

// `first` has one instruction and runs on into `second`, as glibc's strcasecmp does.
constexpr char kRunsOn[] =
    "\t.text\n\t.globl first\n\t.type first,@function\nfirst:\tmov $9, %ecx\n\t.size first, .-first\n"
    "\t.globl second\n\t.type second,@function\nsecond:\txor %eax, %eax\n1:\tadd %edi, %eax\n\trol $3, %eax\n\tdec "
    "%ecx\n\tjnz "
    "1b\n\tret\n"
    "\t.size second, .-second\n\t.section .note.GNU-stack,\"\",@progbits\n";
constexpr char kCaller[] =
    "unsigned first(unsigned);\nint main(void) { unsigned s = 0; for (unsigned i = 0; i < 6000000; i++) s += first(i); "
    "return s == "
    "1; }\n";
// Two blocks of a loop and a rare path; with a section for each block, each is a symbol of its own.
constexpr char kWalk[] =
    "volatile unsigned sink;\n"
    "__attribute__((noinline)) unsigned walk(unsigned n) {\n"
    "  unsigned s = 0;\n"
    "  while (n != 1) {\n"
    "    s += n & 3;\n"
    "    if (n & 1) { n = 3 * n + 1; sink = s; } else { n = n / 2; sink = n; }\n"
    "    if (s == 0xffffffff) sink = 0;\n"
    "  }\n"
    "  return s;\n"
    "}\n"
    "int main(void) { unsigned s = 0; for (int i = 1; i < 1000000; i++) s += walk((i & 1023) + 1); return s == 1; }\n";

// Addresses of the instructions of a program, by objdump.
std::vector<uint64_t> Instructions(const std::string& program) {
  std::vector<uint64_t> addresses;
  std::istringstream lines(RunCommand({"objdump", "-d", "--no-show-raw-insn", program}).out);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(":\t");
    if (line.starts_with(" ") && colon != std::string::npos)
      addresses.push_back(std::stoull(line.substr(0, colon), nullptr, 16));
  }
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

// Executed instructions by address, from the ranges of a result of --to llvm.
std::map<uint64_t, uint64_t> Executions(const std::string& converted, const std::vector<uint64_t>& instructions) {
  std::map<uint64_t, uint64_t> counts;
  std::istringstream lines(converted);
  size_t ranges = 0;
  lines >> ranges;
  for (size_t i = 0; i < ranges; ++i) {
    uint64_t first = 0, last = 0, count = 0;
    char separator = 0;
    lines >> std::hex >> first >> separator >> last >> separator >> std::dec >> count;
    for (const uint64_t address : instructions) {
      if (address >= first && address <= last) counts[address] += count;
    }
  }
  return counts;
}

class FunctionEnds : public ::testing::Test {
 protected:
  void Build(const std::string& name, std::vector<std::string> command) {
    program_ = folder_ / name;
    profile_ = folder_ / (name + ".slbr");
    command.insert(command.end(), {"-o", program_});
    const CommandResult built = RunCommand(command);
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const CommandResult recorded = RunSoftlbr({"record", "-q", "-F", "2000", "-o", profile_, "--", program_});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  }
  std::string Convert(std::vector<std::string> options) {
    options.insert(options.begin(), {"convert", profile_, "-b", program_, "-o", folder_ / "out", "--to"});
    const CommandResult result = RunSoftlbr(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err.find("left out"), std::string::npos) << result.err;
    return ReadFile(folder_ / "out");
  }
  std::map<std::string, json> Report() {
    std::map<std::string, json> functions;
    const CommandResult result = RunSoftlbr({"report", profile_, "-b", program_, "--json", "--top", "1000"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(result.out);
    for (const json& function : report["functions"]) {
      if (function["name"].is_string()) functions[function["name"]] = function;
    }
    return functions;
  }

  testing::TemporaryFolder folder_;
  std::string program_;
  std::string profile_;
};

TEST_F(FunctionEnds, EachFunctionGetsItsOwnInstructions) {
  if (!HasProgram("gcc") || !HasProgram("objdump")) GTEST_SKIP() << "missing: gcc, objdump";
#if !defined(__x86_64__)
  GTEST_SKIP() << "missing: an x86-64 machine";
#endif
  testing::WriteFile(folder_ / "ends.s", kRunsOn);
  testing::WriteFile(folder_ / "main.c", kCaller);
  Build("ends", {"gcc", "-O2", "-g", "-no-pie", "-Wl,--emit-relocs", folder_ / "main.c", folder_ / "ends.s"});
  const std::string converted = Convert({"llvm"});
  std::map<std::string, json> report = Report();
  const std::map<uint64_t, uint64_t> executions = Executions(converted, Instructions(program_));
  ASSERT_TRUE(report.contains("first") && report.contains("second"));
  const uint64_t first = report["first"]["address"];
  const uint64_t second = report["second"]["address"];
  EXPECT_EQ(report["first"]["executed_instructions"], executions.at(first)) << "it has one instruction";
  EXPECT_EQ(executions.at(first), executions.at(second)) << "each run of the one begins the other";
  uint64_t in_second = 0;
  for (const auto& [address, count] : executions) in_second += address >= second && address < second + 13 ? count : 0;
  EXPECT_EQ(report["second"]["executed_instructions"], in_second);
  EXPECT_GT(in_second, 20 * executions.at(first)) << "nine rounds of four instructions";
  // BOLT drops a trace that runs through two functions.
  if (!HasProgram("perf2bolt-19")) return;
  Convert({"bolt"});
  const CommandResult aggregated =
      RunCommand({"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder_ / "out", "-o", folder_ / "fdata", program_});
  EXPECT_NE((aggregated.out + aggregated.err).find("mismatching disassembled function contents: 0"), std::string::npos)
      << aggregated.out << aggregated.err;
}

// The same source with and without sections for blocks has the same body samples, in shares.
TEST_F(FunctionEnds, SectionsForBlocksKeepTheirSamples) {
  for (const char* tool : {"clang-19", "llvm-profgen-19"}) {
    if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
  }
  testing::WriteFile(folder_ / "blocks.c", kWalk);
  std::map<std::string, std::map<std::string, double>> shares;  // by build, by line of the source
  for (const std::string build : {"plain", "sections"}) {
    std::vector<std::string> command = {"clang-19", "-O1", "-g", "-Wl,--build-id", folder_ / "blocks.c"};
    if (build == "sections") command.push_back("-fbasic-block-sections=all");
    Build(build, command);
    testing::WriteFile(folder_ / "llvm", Convert({"llvm"}));
    const CommandResult profgen =
        RunCommand({"llvm-profgen-19", "--unsymbolized-profile=" + (folder_ / "llvm"), "--use-offset=0",
                    "--binary=" + program_, "--format=text", "--output=" + (folder_ / "prof")});
    ASSERT_EQ(profgen.exit_code, 0) << profgen.err;
    std::istringstream lines(ReadFile(folder_ / "prof"));
    std::string function;
    double total = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(" ")) function = line.substr(0, line.find(':'));
      const size_t colon = line.find(": ");
      if (function != "walk" || !line.starts_with(" ") || colon == std::string::npos) continue;
      const double samples = std::stod(line.substr(colon + 2));
      shares[build][line.substr(1, line.find('.') < colon ? line.find('.') - 1 : colon - 1)] += samples;
      total += samples;
    }
    ASSERT_GT(total, 1000) << ReadFile(folder_ / "prof");
    for (auto& [line, share] : shares[build]) share /= total;
  }
  double overlap = 0;
  for (const auto& [line, share] : shares["plain"]) overlap += std::min(share, shares["sections"][line]);
  EXPECT_GT(overlap, 0.9);
}

}  // namespace
}  // namespace softlbr::toolchain
