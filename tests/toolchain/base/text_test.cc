#include "toolchain/base/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace softlbr::toolchain {
namespace {

TEST(SafeText, KeepsPlainAndUtf8Text) {
  EXPECT_EQ(SafeText("std::vector<int>::push_back(int&&) caf\u00e9"), "std::vector<int>::push_back(int&&) caf\u00e9");
}

TEST(SafeText, EscapesControlCharacters) {
  EXPECT_EQ(SafeText("a\x1b[2Jb\nc\td\\"), "a\\x1b[2Jb\\x0ac\\x09d\\x5c");
  EXPECT_EQ(SafeText("\xff\xc0\x80"), "\\xff\\xc0\\x80");  // invalid and overlong UTF-8
  EXPECT_EQ(SafeText("\xc2\x9b"), "\\xc2\\x9b");           // C1 control sequence introducer
  EXPECT_EQ(SafeText("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(SafeText(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(SafeText("\xe2\x82"), "\\xe2\\x82");  // truncated sequence
}

TEST(SafeWord, EscapesSpaces) { EXPECT_EQ(SafeWord("a b"), "a\\x20b"); }

TEST(GroupedCount, GroupsByThousands) {
  EXPECT_EQ(GroupedCount(0), "0");
  EXPECT_EQ(GroupedCount(999), "999");
  EXPECT_EQ(GroupedCount(1000), "1,000");
  EXPECT_EQ(GroupedCount(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Counted, HasOneOrSeveral) {
  EXPECT_EQ(Counted(0, "sample"), "0 samples");
  EXPECT_EQ(Counted(1, "sample"), "1 sample");
  EXPECT_EQ(Counted(1234, "taken branch", "taken branches"), "1,234 taken branches");
}

TEST(Share, DistinguishesZeroFromSmall) {
  EXPECT_EQ(Share(1, 3), "33.3%");
  EXPECT_EQ(Share(0, 3), "0.0%");
  EXPECT_EQ(Share(1, 100000), "<0.1%");
  EXPECT_EQ(Share(0, 0), "-");
}

TEST(PartsPerMillion, AcceptsOnlyPercentages) {
  EXPECT_EQ(PartsPerMillion("1%"), 10000u);
  EXPECT_EQ(PartsPerMillion("0.5"), 5000u);
  EXPECT_EQ(PartsPerMillion("100%"), 1000000u);
  for (const char* text : {"", "%", "x", "0", "-1", "101", "1%%", "1 %", "nan", "inf"}) {
    EXPECT_EQ(PartsPerMillion(text), 0u) << text;
  }
}

TEST(Shorten, KeepsBothEndsAndWholeCharacters) {
  EXPECT_EQ(Shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(Shorten("abcdefghijk", 7), "abcd\u2026jk");
  EXPECT_EQ(Shorten("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 6), "\u00e9\u00e9\u00e9\u2026\u00e9\u00e9");
}

TEST(TextTable, AlignsToTheWidestEntry) {
  TextTable table({{"n", TextTable::Align::kRight}, {"name", TextTable::Align::kLeft}});
  table.AddRow({"1", "\u00e9"});
  table.AddRow({"1,234", "x"});
  std::ostringstream out;
  table.Print(out);
  EXPECT_EQ(out.str(), "      n  name\n      1  \u00e9\n  1,234  x\n");
}

TEST(TextTable, FitsTheTerminal) {
  const std::string name = "void softlbr::Engine<std::string>::run(std::vector<int> const&, int) const";
  TextTable table({{"count", TextTable::Align::kRight},
                   {"function", TextTable::Align::kLeft},
                   {"module", TextTable::Align::kLeft}});
  table.AddRow({"1,234", name, "libengine.so"});
  std::ostringstream narrow;
  table.Print(narrow, 60);
  EXPECT_NE(narrow.str().find("void softlbr::Engine<std"), std::string::npos) << narrow.str();
  for (std::istringstream lines(narrow.str()); lines.good();) {
    std::string line;
    std::getline(lines, line);
    EXPECT_LE(line.size(), 60u + 2 * 2) << line << ": each ellipsis takes three bytes of one column";
  }
  std::ostringstream piped;
  table.Print(piped, 0);
  EXPECT_NE(piped.str().find(name + "  libengine.so\n"), std::string::npos) << piped.str();
}

TEST(TextTable, OfManyColumnsFitsTheTerminal) {
  std::vector<TextTable::Column> columns = {{"share", TextTable::Align::kRight},
                                            {"instructions", TextTable::Align::kRight}};
  for (int i = 0; i < 8; ++i) columns.push_back({"dimension", TextTable::Align::kLeft});
  TextTable table(columns);
  table.AddRow({"100.0%", "60,420,995", "a", "particle_steps", "f(int)", "/usr/include/c++/12/bits/unique_ptr.h:191",
                "movsd", "read", "reg,mem", "conditional"});
  std::ostringstream narrow;
  table.Print(narrow, 80);
  for (std::istringstream lines(narrow.str()); lines.good();) {
    std::string line;
    std::getline(lines, line);
    const auto is_letter = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
    EXPECT_LE(std::count_if(line.begin(), line.end(), is_letter), 80) << line;
  }
  EXPECT_NE(narrow.str().find("60,420,995"), std::string::npos) << narrow.str() << "numbers are whole";
}

TEST(TextTable, ColoursTheLargeShares) {
  TextTable table({{"share", TextTable::Align::kRight}, {"name", TextTable::Align::kLeft}});
  for (const char* share : {"62.0%", "5.0%", "0.5%", "0.4%", "<0.1%", "-"}) table.AddRow({share, "50%"});
  std::ostringstream coloured, plain;
  table.Print(coloured, 80, true);
  table.Print(plain, 80, false);
  EXPECT_EQ(coloured.str(),
            "  share  name\n  \x1b[31m62.0%\x1b[0m  50%\n   \x1b[31m5.0%\x1b[0m  50%\n   \x1b[32m0.5%\x1b[0m  50%\n   "
            "0.4%  50%\n  "
            "<0.1%  50%\n      -  50%\n");
  EXPECT_EQ(plain.str().find('\x1b'), std::string::npos);
}

TEST(TextTable, FewLongEntriesDoNotMakeAllLinesLongInAPipe) {
  TextTable table({{"name", TextTable::Align::kLeft}, {"module", TextTable::Align::kLeft}});
  table.AddRow({std::string(500, 'x'), "a"});
  table.AddRow({"short", "b"});
  std::ostringstream out;
  table.Print(out, 0);
  EXPECT_NE(out.str().find("\n  short" + std::string(35 + 2, ' ') + "b\n"), std::string::npos) << out.str();
}

TEST(ShortenFunction, DropsTheParametersFirst) {
  EXPECT_EQ(ShortenFunction("f(int)", 10), "f(int)");
  EXPECT_EQ(ShortenFunction("Class::method(std::string const&, int) const", 30), "Class::method(\u2026) const");
  EXPECT_EQ(ShortenFunction("(anonymous namespace)::f(std::pair<int, int (*)(int)>)", 30),
            "(anonymous namespace)::f(\u2026)");
  EXPECT_EQ(ShortenFunction("a_name_without_parameters_that_is_long", 20),
            Shorten("a_name_without_parameters_that_is_long", 20));
}

TEST(Saturating, StopsAtMaximum) {
  EXPECT_EQ(SaturatingAdd(UINT64_MAX, 1), UINT64_MAX);
  EXPECT_EQ(SaturatingMultiply(UINT64_MAX, 2), UINT64_MAX);
  EXPECT_EQ(SaturatingAdd(2, 3), 5u);
}

TEST(ClosestWord, FindsMistypedWords) {
  const std::vector<std::string> words = {"record", "report", "stats", "diff"};
  EXPECT_EQ(ClosestWord("recrod", words), "record");
  EXPECT_EQ(ClosestWord("reord", words), "record");
  EXPECT_EQ(ClosestWord("reprt", words), "report");
  EXPECT_EQ(ClosestWord("stat", words), "stats");
  EXPECT_EQ(ClosestWord("dif", words), "diff");
  for (const std::string word : {"", "x", "ls", "perf", "nonsense", "statistics"})
    EXPECT_EQ(ClosestWord(word, words), "") << word;
  EXPECT_EQ(ClosestWord(std::string(1 << 20, 'r'), words), "");
}

}  // namespace
}  // namespace softlbr::toolchain
