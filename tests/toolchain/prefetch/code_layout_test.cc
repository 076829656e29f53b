// Layouts of made-up line tables and symbols.
#include "toolchain/prefetch/code_layout.h"

#include <gtest/gtest.h>

namespace softlbr::toolchain {
namespace {

// Line 10 at 0x1000 (4 bytes, then 12 of alignment), line 12 at 0x1010, the end at 0x1014. Then a function of a
// library, at 0x1100.
CodePlaces Recorded() {
  CodePlaces places;
  places.rows = {{0x1000, "/somewhere/a.s", 10}, {0x1010, "/somewhere/a.s", 12}, {0x1014, "", 0, true}};
  places.functions = {{"start", 0x1000}, {"library", 0x1100}, {"twice", 0x1200}, {"twice", 0x1300}};
  return places;
}

// With two hints of 7 bytes before line 12, so that the function is 16 bytes farther on.
CodePlaces Rebuilt() {
  CodePlaces places;
  places.rows = {{0x2000, "a.s", 10}, {0x2008, "a.s.hints", 12}, {0x2016, "a.s", 12}, {0x201a, "", 0, true}};
  places.functions = {{"start", 0x2000}, {"library", 0x2110}, {"twice", 0x2210}, {"twice", 0x2310}};
  return places;
}

void ExpectSpan(const CodeLayout::Span& span, uint64_t first, uint64_t last) {
  EXPECT_EQ(span.first, first);
  EXPECT_EQ(span.last, last);
}

TEST(CodeLayout, WithoutARebuiltProgramNothingHasMoved) { ExpectSpan(CodeLayout().Of(0, 0x1234, 5), 0x1234, 0x1238); }

TEST(CodeLayout, FindsLinesOfAssemblyWithTheHintsBeforeThem) {
  const CodeLayout layout(3, Recorded(), Rebuilt());
  ExpectSpan(layout.Of(3, 0x1000, 4), 0x2000, 0x2003);
  ExpectSpan(layout.Of(3, 0x1010, 4), 0x2008, 0x2019);
  EXPECT_EQ(layout.known_lines(), 2u);
  EXPECT_EQ(layout.missing_lines(), 0u);
}

TEST(CodeLayout, AlignmentStaysWithTheLineBeforeIt) {
  const CodeLayout layout(3, Recorded(), Rebuilt());
  ExpectSpan(layout.Of(3, 0x1004, 1), 0x2004, 0x2004);
  ExpectSpan(layout.Of(3, 0x100e, 1), 0x2007, 0x2007);  // there are only 4 bytes of it now
}

TEST(CodeLayout, OtherCodeKeepsItsDistanceToTheFunctionBeforeIt) {
  const CodeLayout layout(3, Recorded(), Rebuilt());
  ExpectSpan(layout.Of(3, 0x1108, 2), 0x2118, 0x2119);
  ExpectSpan(layout.Of(3, 0x1308, 2), 0x2318, 0x2319);  // measured from `library`, as there are two of `twice`
  ExpectSpan(layout.Of(3, 0x10, 2), 0x10, 0x11);        // no function is before it
}

TEST(CodeLayout, OtherModulesHaveNotMoved) {
  const CodeLayout layout(3, Recorded(), Rebuilt());
  ExpectSpan(layout.Of(2, 0x1010, 4), 0x1010, 0x1013);
}

TEST(CodeLayout, CountsLinesThatTheRebuiltProgramDoesNotHave) {
  CodePlaces rebuilt = Rebuilt();
  rebuilt.rows.erase(rebuilt.rows.begin());
  const CodeLayout layout(3, Recorded(), rebuilt);
  EXPECT_EQ(layout.known_lines(), 1u);
  EXPECT_EQ(layout.missing_lines(), 1u);
}

}  // namespace
}  // namespace softlbr::toolchain
