// Lines and inlining of a program that gcc and clang compile here.
#include "toolchain/code/source_lines.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "tests/toolchain/commands/run_command.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {
namespace {

// deepest() is inlined into middle(), and that into outer(); alone() has nothing inlined.
constexpr char kSource[] =
    "static inline __attribute__((always_inline)) int deepest(volatile int* a) { *a = *a * 3; return *a; }\n"
    "static inline __attribute__((always_inline)) int middle(volatile int* a) { *a = *a + 1; return deepest(a) + *a; "
    "}\n"
    "__attribute__((noinline)) int outer(volatile int* a) { *a = *a - 7; return middle(a) ^ *a; }\n"
    "__attribute__((noinline)) int alone(volatile int* a) { *a = *a - 9; return *a; }\n"
    "void _start(void) { volatile int a = 0; outer(&a); alone(&a); for (;;) continue; }\n";

class SourceLinesOfAProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
    testing::WriteFile(folder_ / "a.c", kSource);
    Build({"gcc", "-g"});
  }

  void Build(std::vector<std::string> compiler) {
    for (const char* option : {"-O1", "-nostdlib", "-static", "-fcf-protection=none"}) compiler.push_back(option);
    for (const std::string& word : {std::string("-o"), folder_ / "a", folder_ / "a.c"}) compiler.push_back(word);
    const testing::CommandResult built = testing::RunCommand(compiler);
    ASSERT_EQ(built.exit_code, 0) << built.err;
    image_ = std::get<ElfImagePtr>(ElfImage::Open(folder_ / "a"));
  }

  uint64_t StartOf(const std::string& function) const {
    const SymbolTable symbols(*image_, nullptr);
    for (const FunctionSymbol& symbol : symbols.functions()) {
      if (symbol.name == function) return symbol.start;
    }
    ADD_FAILURE() << function << " is missing";
    return 0;
  }

  // Of every byte of the function.
  std::set<uint32_t> DepthsIn(const std::string& function, const std::string& program = "a") {
    const SourceLines lines(folder_ / program);
    std::set<uint32_t> depths;
    const SymbolTable symbols(*image_, nullptr);
    for (const FunctionSymbol& symbol : symbols.functions()) {
      if (symbol.name != function) continue;
      for (uint64_t at = symbol.start; at < symbol.end; ++at) depths.insert(lines.InlineDepthOf(at));
    }
    return depths;
  }

  testing::TemporaryFolder folder_;
  ElfImagePtr image_;
};

TEST_F(SourceLinesOfAProgram, InlinedCallsAreCountedWhereTheirCodeStands) {
  EXPECT_EQ(DepthsIn("outer"), (std::set<uint32_t>{0, 1, 2}));
  EXPECT_EQ(DepthsIn("alone"), std::set<uint32_t>{0});
  EXPECT_EQ(SourceLines(folder_ / "a").InlineDepthOf(1), 0u) << "no code of a compilation unit";
}

TEST_F(SourceLinesOfAProgram, RowsSayWhatASearchForTheirAddressSays) {
  const SourceLines lines(folder_ / "a");
  const std::vector<LineRow> rows = lines.Rows();
  ASSERT_FALSE(rows.empty());
  EXPECT_TRUE(rows.back().is_end);
  std::set<int> seen;
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    EXPECT_LE(rows[i].address, rows[i + 1].address);
    // Of several rows at one address the last one counts.
    if (rows[i].is_end || rows[i].address == rows[i + 1].address) continue;
    const std::optional<SourceLine> found = lines.Of(rows[i].address);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->line, rows[i].line);
    EXPECT_EQ(found->file, rows[i].file);
    seen.insert(rows[i].line);
  }
  for (const int line : {1, 2, 3, 4, 5}) EXPECT_TRUE(seen.contains(line)) << line;
  EXPECT_TRUE(SourceLines("/dev/null").Rows().empty());
}

TEST_F(SourceLinesOfAProgram, WithoutDebugInformationNothingIsKnown) {
  if (!testing::HasProgram("strip")) GTEST_SKIP() << "missing: strip";
  ASSERT_EQ(testing::RunCommand({"strip", "-g", "-o", folder_ / "stripped", folder_ / "a"}).exit_code, 0);
  EXPECT_EQ(DepthsIn("outer", "stripped"), std::set<uint32_t>{0});
  EXPECT_FALSE(SourceLines(folder_ / "stripped").Of(SymbolTable(*image_, nullptr).functions()[0].start).has_value());
}

// Clang does not write .debug_aranges, which tells which unit has an address.
TEST_F(SourceLinesOfAProgram, UnitsAreFoundWithoutAddressRanges) {
  if (!testing::HasProgram("clang")) GTEST_SKIP() << "missing: clang";
  for (const char* version : {"-gdwarf-4", "-gdwarf-5"}) {
    Build({"clang", version, "-ffunction-sections"});
    ASSERT_EQ(image_->FindSection(".debug_aranges"), nullptr) << "nothing is tested";
    EXPECT_EQ(DepthsIn("outer"), (std::set<uint32_t>{0, 1, 2})) << version;
    EXPECT_EQ(DepthsIn("alone"), std::set<uint32_t>{0}) << version;
    const std::optional<SourceLine> line = SourceLines(folder_ / "a").Of(StartOf("alone"));
    ASSERT_TRUE(line.has_value()) << version;
    EXPECT_EQ(line->line, 4);
    EXPECT_EQ(line->file, folder_ / "a.c");
  }
}

TEST_F(SourceLinesOfAProgram, SplitDebugInformationIsReadFromItsFile) {
  for (const char* version : {"-gdwarf-4", "-gdwarf-5"}) {
    Build({"gcc", "-g", version, "-gsplit-dwarf"});
    EXPECT_EQ(DepthsIn("outer"), (std::set<uint32_t>{0, 1, 2})) << version;
    const uint64_t alone = StartOf("alone");
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".dwo") std::filesystem::remove(entry.path());
    }
    EXPECT_EQ(DepthsIn("outer"), std::set<uint32_t>{0}) << version << ": without the file nothing is known of calls";
    const std::optional<SourceLine> line = SourceLines(folder_ / "a").Of(alone);
    ASSERT_TRUE(line.has_value()) << version << ": lines are in the program";
    EXPECT_EQ(line->line, 4);
  }
}

TEST_F(SourceLinesOfAProgram, LinesThatCannotBeReadAreNamedOnce) {
  Build({"gcc", "-g", "-gz=zlib"});
  std::string bytes = testing::ReadFile(folder_ / "a");
  size_t compressed = 0;
  for (const ElfSection& section : image_->sections()) {
    if ((section.flags & SHF_COMPRESSED) == 0) continue;
    Elf64_Chdr header;
    std::memcpy(&header, bytes.data() + section.offset, sizeof header);
    header.ch_type = 99;  // which no libdw knows
    std::memcpy(bytes.data() + section.offset, &header, sizeof header);
    ++compressed;
  }
  ASSERT_NE(compressed, 0u) << "nothing is tested";
  testing::WriteFile(folder_ / "unknown", bytes);
  ::testing::internal::CaptureStderr();
  const uint64_t alone = StartOf("alone");
  EXPECT_TRUE(SourceLines(folder_ / "a").Of(alone).has_value());
  EXPECT_FALSE(SourceLines(folder_ / "unknown").Of(alone).has_value());
  EXPECT_TRUE(SourceLines(folder_ / "unknown").Rows().empty());
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find((folder_ / "a") + ": "), std::string::npos) << said;
  const size_t first = said.find("softlbr: warning: " + (folder_ / "unknown") + ": has debug information");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("warning", first + 10), std::string::npos) << said;
}

}  // namespace
}  // namespace softlbr::toolchain
