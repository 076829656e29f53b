// Lines and inlining of a program that gcc compiles here.
#include "toolchain/code/source_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/toolchain/commands/run_command.h"
#include "toolchain/binary/symbols.h"

namespace softlbr::toolchain {
namespace {

// deepest() is inlined into middle(), and that into outer(); alone() has nothing inlined.
constexpr char kSource[] =
    "static inline __attribute__((always_inline)) int deepest(volatile int* a) { *a = *a * 3; return *a; }\n"
    "static inline __attribute__((always_inline)) int middle(volatile int* a) { *a = *a + 1; return deepest(a) + *a; }\n"
    "__attribute__((noinline)) int outer(volatile int* a) { *a = *a - 7; return middle(a) ^ *a; }\n"
    "__attribute__((noinline)) int alone(volatile int* a) { *a = *a - 9; return *a; }\n"
    "void _start(void) { volatile int a = 0; outer(&a); alone(&a); for (;;) continue; }\n";

class SourceLinesOfAProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
    testing::WriteFile(folder_ / "a.c", kSource);
    const testing::CommandResult built = testing::RunCommand(
        {"gcc", "-g", "-O1", "-nostdlib", "-static", "-fcf-protection=none", "-o", folder_ / "a", folder_ / "a.c"});
    ASSERT_EQ(built.exit_code, 0) << built.err;
    image_ = std::get<ElfImagePtr>(ElfImage::Open(folder_ / "a"));
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

}  // namespace
}  // namespace softlbr::toolchain
