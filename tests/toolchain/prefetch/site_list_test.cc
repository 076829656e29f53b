// What the reader of a list of sites takes, and what it refuses.
#include "toolchain/prefetch/site_list.h"

#include <gtest/gtest.h>

#include <sstream>

#include "toolchain/base/failure.h"

namespace softlbr::toolchain {
namespace {

std::vector<ListedHint> Read(const std::string& text) {
  std::istringstream in(text);
  return ReadSiteList(in, "sites");
}

// The failure's text; empty if there is none.
std::string FailureOf(const std::string& text) {
  try {
    Read(text);
    return "";
  } catch (const StatedFailure& failure) {
    return failure.what();
  }
}

constexpr char kHead[] = "softlbr-prefetch 1\npath 100 9 8 7 6 5\ngiven 3\nfan-in 4010 4 1 1 1 1 1 1 f+0x1\n";

TEST(SiteList, ReadsHintsOfLinesAndOfSymbols) {
  const auto hints = Read(std::string(kHead) +
                          "hint 4010 40ff 12 7 /a/b.s 31 line /a/c.s 5\nhint 4020 5000 1 0 b.s 40 symbol memcpy 64\n");
  ASSERT_EQ(hints.size(), 2u);
  EXPECT_EQ(hints[0].site, 0x4010u);
  EXPECT_EQ(hints[0].target, 0x40ffu);
  EXPECT_EQ(hints[0].executions, 12u);
  EXPECT_EQ(hints[0].covered, 7u);
  EXPECT_EQ(hints[0].place.file, "/a/b.s");
  EXPECT_EQ(hints[0].place.line, 31);
  EXPECT_EQ(hints[0].target_line.file, "/a/c.s");
  EXPECT_EQ(hints[0].target_line.line, 5);
  EXPECT_EQ(hints[0].symbol, "");
  EXPECT_EQ(hints[1].symbol, "memcpy");
  EXPECT_EQ(hints[1].symbol_offset, 64u);
  EXPECT_EQ(hints[1].target_line.file, "");
  EXPECT_TRUE(Read(kHead).empty());
}

TEST(SiteList, RefusesWhatIsNoListAndSaysWhere) {
  const std::string remedy = "; write the list with `softlbr prefetch`";
  EXPECT_EQ(FailureOf(""), "sites:1: not a list of sites" + remedy);
  EXPECT_EQ(FailureOf("softlbr-prefetch 2\n"), "sites:1: not a list of sites" + remedy);
  EXPECT_EQ(FailureOf(std::string(kHead) + "hunt\n"), "sites:5: no row of a list" + remedy);
  const std::string hint = std::string(kHead) + "hint 4010 40ff 12 7 b.s 31 ";
  EXPECT_EQ(FailureOf(hint + "line c.s 5"), "");
  for (const char* end :
       {"line c.s", "line c.s 5 6", "line c.s -5", "line  5", "line c.s 5x", "line c.s 18446744073709551616"}) {
    EXPECT_EQ(FailureOf(hint + end), "sites:5: not a hint" + remedy) << end;
  }
  EXPECT_EQ(FailureOf(hint + "place c.s 5"), "sites:5: not a target" + remedy);
  EXPECT_EQ(FailureOf(hint + "line c.s 2147483648"), "sites:5: not a target" + remedy);
  EXPECT_EQ(FailureOf(std::string(kHead) + "hint 40g0 40ff 12 7 b.s 31 line c.s 5"), "sites:5: not a hint" + remedy);
}

}  // namespace
}  // namespace softlbr::toolchain
