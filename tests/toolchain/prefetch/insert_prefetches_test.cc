// Hints put into assembly by the script, assembled and linked: the layout finds the recorded code in the rebuilt
// program.
#include <gtest/gtest.h>

#include "tests/toolchain/commands/run_command.h"
#include "toolchain/prefetch/code_layout.h"

namespace softlbr::toolchain {
namespace {

// Line 5 is a target, before line 8 go two hints, and line 10 is in another section.
constexpr char kAssembly[] =
    "\t.file\t\"a.c\"\n"
    "\t.text\n"
    "\t.globl\t_start\n"
    "_start:\n"
    "\tnop\n"
    "\tnop\n"
    "\t.p2align 4\n"
    "\tnop\n"
    "\t.section\t.text.far,\"ax\",@progbits\n"
    "far:\tnop\n";
constexpr char kSites[] =
    "softlbr-prefetch 1\n"
    "hint 1 1 1 1 /before/a.s 8 line /before/a.s 5\n"
    "hint 1 1 1 1 /before/a.s 8 symbol _start 4\n";

class InsertedPrefetches : public ::testing::Test {
 protected:
  // prefix: of the tools' names; a test without them is skipped.
  void Build(const std::string& prefix, const std::string& instruction) {
    if (!testing::HasProgram(prefix + "as") || !testing::HasProgram(prefix + "ld"))
      GTEST_SKIP() << "missing: " << prefix << "as";
    testing::WriteFile(folder_ / "a.s", kAssembly);
    testing::WriteFile(folder_ / "sites", kSites);
    const testing::CommandResult inserted =
        testing::RunCommand({"perl", SOFTLBR_INSERT_PREFETCHES, folder_ / "sites", folder_ / "a.s", instruction});
    ASSERT_EQ(inserted.exit_code, 0) << inserted.err;
    testing::WriteFile(folder_ / "b.s", inserted.out);
    for (const std::string name : {"a", "b"}) {
      const auto made =
          testing::RunCommand({prefix + "as", "-g", folder_ / (name + ".s"), "-o", folder_ / (name + ".o")});
      ASSERT_EQ(made.exit_code, 0) << made.err;
      const auto linked = testing::RunCommand({prefix + "ld", folder_ / (name + ".o"), "-o", folder_ / name});
      ASSERT_EQ(linked.exit_code, 0) << linked.err;
    }
    recorded_ = PlacesOf("a");
    layout_ = CodeLayout(0, recorded_, PlacesOf("b"));
  }

  CodePlaces PlacesOf(const std::string& program) {
    return CodePlacesOf(*std::get<ElfImagePtr>(ElfImage::Open(folder_ / program)), folder_ / program);
  }

  uint64_t AddressOf(int line) {
    for (const LineRow& row : recorded_.rows) {
      if (!row.is_end && row.line == line) return row.address;
    }
    ADD_FAILURE() << "no code of line " << line;
    return 0;
  }

  // Where the hints of `bytes` each are, and what they ask for.
  void ExpectMovedCode(uint32_t bytes) {
    EXPECT_EQ(layout_.missing_lines(), 0u);
    EXPECT_EQ(layout_.known_lines(), 4u);
    for (const int line : {5, 6, 10}) {
      const CodeLayout::Span span = layout_.Of(0, AddressOf(line), 1);
      EXPECT_EQ(span.first, span.last) << "no hint before line " << line;
    }
    const CodeLayout::Span span = layout_.Of(0, AddressOf(8), 1);
    EXPECT_EQ(span.last - span.first, 2 * bytes);
    EXPECT_EQ(span.first % 16, 0u) << "the hints stand behind the alignment";
    EXPECT_EQ(layout_.Of(0, AddressOf(10), 1).first - layout_.Of(0, AddressOf(8), 1).last,
              AddressOf(10) - AddressOf(8));
  }

  testing::TemporaryFolder folder_;
  CodePlaces recorded_;
  CodeLayout layout_;
};

TEST_F(InsertedPrefetches, KeepTheLineNumbersOfX86Code) {
  Build("", "prefetcht1");
  if (!IsSkipped() && !HasFatalFailure()) ExpectMovedCode(7);
}

TEST_F(InsertedPrefetches, KeepTheLineNumbersOfA64Code) {
  Build("aarch64-linux-gnu-", "prfm");
  if (!IsSkipped() && !HasFatalFailure()) ExpectMovedCode(4);
}

}  // namespace
}  // namespace softlbr::toolchain
