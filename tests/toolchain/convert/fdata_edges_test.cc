// `softlbr convert --format fdata` and perf2bolt make the same of one profile, line by line.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::ReadFile;
using testing::RunCommand;
using testing::RunSoftlbr;

std::multiset<std::string> Lines(const std::string& text) {
  std::multiset<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

// An entry that runs on into a loop, a switch with a table, calls at the end of a block, a conditional tail call, local
// functions. Works long enough for the samples to find every branch.
constexpr char kManyBlocks[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "__attribute__((noinline)) unsigned mix(unsigned x) {\n"
    "  for (int i = 0; i < 7; i++) { if (x & 1) x = (x >> 1) ^ 0xedb88320u; else x >>= 1; }\n"
    "  return x;\n"
    "}\n"
    "__attribute__((noinline)) static unsigned choose(unsigned x) {\n"
    "  switch (x % 9) {\n"
    "    case 0: x = mix(x);\n"
    "    case 1: x += 3; break;\n"
    "    case 2: x ^= mix(x + 1);\n"
    "    case 3: x -= 7; if (x & 16) x = mix(x);\n"
    "    case 4: x *= 5; break;\n"
    "    case 5: x = x / 3 + mix(x); break;\n"
    "    case 6: x = ~x; break;\n"
    "    case 7: x = mix(x) + mix(x + 2);\n"
    "    default: x += x >> 3;\n"
    "  }\n"
    "  return x;\n"
    "}\n"
    "__attribute__((noinline)) unsigned last(unsigned x) { if (x & 3) return choose(x); return x + 1; }\n"
    "__attribute__((noinline, cold)) void complain(unsigned x) { fprintf(stderr, \"%u\\n\", x); abort(); }\n"
    // gcc moves its calls of complain to checked.cold
    "__attribute__((noinline)) static unsigned checked(unsigned x) {\n"
    "  for (unsigned i = 0; i < (x & 3); i++) { if (x == 7000001) complain(x + i); x = x * 5 + i; if (x & 8) x ^= i; "
    "}\n"
    "  if (x & 64) return x; if (x == 7000002) complain(x); return x + 9;\n"
    "}\n"
    "static int compare(const void* a, const void* b) { unsigned x = *(const unsigned*)a, y = *(const unsigned*)b;\n"
    "  return x < y ? -1 : x > y; }\n"
    "int main(void) {\n"
    "  unsigned s = 0, v[64]; char text[32];\n"
    "  for (unsigned i = 1; i < 6000000; i++) {\n"
    "    s += last(i) + (i & 1 ? checked(i % 7000000) : 0); v[i & 63] = s;\n"
    "    if ((i & 63) == 0) { qsort(v, 64, sizeof v[0], compare); snprintf(text, sizeof text, \"%u\", s); s += "
    "strlen(text); }\n"
    "  }\n"
    "  printf(\"%u\\n\", s);\n"
    "  return 0;\n"
    "}\n";

struct Build {
  const char* name;
  std::vector<std::string> command;
  bool has_relocations = true;
};

void PrintTo(const Build& build, std::ostream* out) { *out << build.name; }

class FdataEdges : public ::testing::TestWithParam<Build> {};

TEST_P(FdataEdges, AreThoseOfPerf2Bolt) {
  if (!HasProgram("perf2bolt-19")) GTEST_SKIP() << "missing: perf2bolt-19";
  std::vector<std::string> command = GetParam().command;
  if (!HasProgram(command[0])) GTEST_SKIP() << "missing: " << command[0];
  const testing::TemporaryFolder folder;
  const std::string program = folder / "program";
  testing::WriteFile(folder / "blocks.c", kManyBlocks);
  if (GetParam().has_relocations) command.push_back("-Wl,--emit-relocs");
  command.insert(command.end(), {"-g", "-Wl,--build-id", folder / "blocks.c", "-o", program});
  const CommandResult built = RunCommand(command);
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const std::string profile = folder / "p.slbr";
  ASSERT_EQ(RunSoftlbr({"record", "-q", "-F", "4000", "--branches", "1024", "-o", profile, "--", program}).exit_code,
            0);
  ASSERT_EQ(RunSoftlbr({"convert", "--to", "bolt", "-b", program, "-o", folder / "pa", profile}).exit_code, 0);
  const CommandResult own =
      RunSoftlbr({"convert", "--to", "bolt", "--format", "fdata", "-b", program, "-o", folder / "ours", profile});
  ASSERT_EQ(own.exit_code, 0) << own.err;
  const CommandResult aggregated =
      RunCommand({"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder / "pa", "-o", folder / "theirs", program});
  ASSERT_EQ(aggregated.exit_code, 0) << aggregated.err;
  if (GetParam().has_relocations) {  // otherwise it has no edges for split functions, and calls that a mismatch
    EXPECT_NE((aggregated.out + aggregated.err).find("function contents: 0 (0.0%)"), std::string::npos)
        << aggregated.out;
  }
  const std::multiset<std::string> ours = Lines(ReadFile(folder / "ours"));
  EXPECT_GT(ours.size(), 40u);
  EXPECT_EQ(ours, Lines(ReadFile(folder / "theirs")));
}

INSTANTIATE_TEST_SUITE_P(
    Builds, FdataEdges,
    ::testing::Values(Build{"GccFixed", {"gcc", "-O2", "-no-pie"}}, Build{"GccPie", {"gcc", "-O2", "-fPIE", "-pie"}},
                      Build{"GccSize", {"gcc", "-Os", "-fPIE", "-pie"}},
                      Build{"GccLoops", {"gcc", "-O3", "-funroll-loops", "-no-pie"}},
                      Build{"GccWithoutRelocations", {"gcc", "-O2", "-fPIE", "-pie"}, false},
                      Build{"ClangWithoutRelocations", {"clang-19", "-O2", "-fPIE", "-pie"}, false},
                      Build{"ClangPie", {"clang-19", "-O2", "-fPIE", "-pie"}},
                      Build{"ClangLld", {"clang-19", "-O1", "-fuse-ld=lld"}}),
    [](const auto& build) { return std::string(build.param.name); });

// BOLT 22's form of the same profile gives the same edges between blocks, and invents no entry where a function of
// another module returns to.
TEST(BoltTraces, HaveTheEdgesOfBranchesAndRanges) {
  if (!HasProgram("gcc") || !HasProgram("perf2bolt-22")) GTEST_SKIP() << "missing: gcc, perf2bolt-22";
  const testing::TemporaryFolder folder;
  const std::string program = folder / "program";
  testing::WriteFile(folder / "blocks.c", kManyBlocks);
  ASSERT_EQ(RunCommand({"gcc", "-O2", "-g", "-no-pie", "-Wl,--build-id", "-Wl,--emit-relocs", folder / "blocks.c", "-o",
                        program})
                .exit_code,
            0);
  const std::string profile = folder / "p.slbr";
  ASSERT_EQ(RunSoftlbr({"record", "-q", "-F", "4000", "--branches", "256", "-o", profile, "--", program}).exit_code, 0);
  std::vector<std::multiset<std::string>> lines;
  for (const char* format : {"preaggregated", "traces"}) {
    ASSERT_EQ(RunSoftlbr({"convert", "--to", "bolt", "--format", format, "-b", program, "-o", folder / "in", profile})
                  .exit_code,
              0);
    const CommandResult aggregated =
        RunCommand({"perf2bolt-22", "--aggregate-only", "-pa", "-p", folder / "in", "-o", folder / "fdata", program});
    ASSERT_EQ(aggregated.exit_code, 0) << aggregated.err;
    lines.push_back(Lines(ReadFile(folder / "fdata")));
    std::erase_if(lines.back(), [](const std::string& line) { return line.starts_with("0 [unknown]"); });
  }
  EXPECT_NE(ReadFile(folder / "in").find("T "), std::string::npos);
  EXPECT_GT(lines[0].size(), 40u);
  std::vector<std::string> missing;
  std::set_difference(lines[0].begin(), lines[0].end(), lines[1].begin(), lines[1].end(), std::back_inserter(missing));
  EXPECT_TRUE(missing.empty()) << missing[0];
}

// BOLT reads counts as signed numbers and refuses a file with a larger one.
TEST(BoltCounts, SaturateWhereTheyAreSigned) {
  if (!HasProgram("gcc") || !HasProgram("perf2bolt-19") || !HasProgram("llvm-bolt-19"))
    GTEST_SKIP() << "missing: gcc, perf2bolt-19";
  const testing::TemporaryFolder folder;
  const std::string program = folder / "loop";
  testing::WriteFile(folder / "loop.s",
                     ".globl _start\n.type _start,@function\n_start: nop\n1: jmp 1b\n.size _start, .-_start\n");
  ASSERT_EQ(RunCommand({"gcc", "-nostdlib", "-static", "-Wl,--build-id", "-Wl,--emit-relocs", "-o", program,
                        folder / "loop.s"})
                .exit_code,
            0);
  const ElfImagePtr image = std::get<ElfImagePtr>(ElfImage::Open(program));
  uint64_t start = 0;
  for (const ElfSymbol& symbol : image->Symbols(false)) {
    if (symbol.name == "_start") start = symbol.value;
  }
  Profile profile = testing::SyntheticProfile();
  profile.modules = {{"loop", image->build_id(), image->machine(), image->type(), true, image->segments()}};
  profile.samples.clear();
  profile.traces.clear();
  profile.branches = {{{0, start + 1}, {0, start + 1}, ~uint64_t{0} - 5}};
  profile.ranges = {{0, start + 1, start + 1, uint64_t{1} << 63}};
  ASSERT_EQ(WriteProfileFile(profile, folder / "p.slbr"), "");
  ASSERT_EQ(RunSoftlbr({"convert", "--to", "bolt", "-b", program, "-o", folder / "pa", folder / "p.slbr"}).exit_code,
            0);
  const CommandResult aggregated =
      RunCommand({"perf2bolt-19", "--aggregate-only", "-pa", "-p", folder / "pa", "-o", folder / "theirs", program});
  EXPECT_EQ(aggregated.exit_code, 0) << aggregated.err;
  EXPECT_NE(ReadFile(folder / "theirs").find(" 9223372036854775807"), std::string::npos) << ReadFile(folder / "theirs");
  ASSERT_EQ(RunSoftlbr({"convert", "--to", "bolt", "--format", "fdata", "-b", program, "-o", folder / "ours",
                        folder / "p.slbr"})
                .exit_code,
            0);
  EXPECT_EQ(ReadFile(folder / "ours"), ReadFile(folder / "theirs"));
}

}  // namespace
}  // namespace softlbr::toolchain
