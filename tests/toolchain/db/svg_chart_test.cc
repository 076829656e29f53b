// Charts stay well-formed XML, and inside their picture, whatever the names and numbers.
#include "toolchain/db/charts/svg_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <regex>

namespace softlbr::toolchain {
namespace {

const std::vector<std::string>& HostileNames() {
  static const std::vector<std::string> names = {
      "\"quoted\" 'twice'",
      "</text><script>alert(1)</script>",
      "operator<<(a & b) && c &amp; ]]>",
      "line\nfeed\r\ttab",
      "<!-- comment --> <?xml ?> <![CDATA[",
      std::string("zero\0byte", 9),
      "\x1b[31mred\x7f",
      "broken \xff\xfe\xc3 utf-8 \xed\xa0\x80",
      "no characters of XML: \xef\xbf\xbe \xef\xbf\xbf",
      "turned \xe2\x80\xae around",
      std::string(4096, '<'),
      std::string(4096, '\n'),
      std::string(4096, '\xc3'),
      "",
  };
  return names;
}

// What is wrong with this XML, of the few forms that a chart has: elements, quoted attributes, the escapes of SvgText.
std::optional<std::string> Fault(const std::string& xml) {
  static const std::regex tag(R"rx(^<(/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<>]*")*)(/?)>)rx");
  static const std::regex escape("^&(amp|lt|gt|quot|#39);");
  std::vector<std::string> open;
  for (size_t i = 0; i < xml.size();) {
    const unsigned char c = static_cast<unsigned char>(xml[i]);
    const auto here = xml.begin() + static_cast<std::ptrdiff_t>(i);
    std::smatch match;
    if (c == '<') {
      if (!std::regex_search(here, xml.end(), match, tag)) return "a bad tag at byte " + std::to_string(i);
      if (match[1] == "/") {
        if (open.empty() || open.back() != match[2]) return "</" + match[2].str() + "> closes nothing";
        open.pop_back();
      } else if (match[4] != "/") {
        open.push_back(match[2]);
      }
      i += static_cast<size_t>(match[0].length());
      continue;
    }
    if (c == '&' && !std::regex_search(here, here + std::min<std::ptrdiff_t>(8, xml.end() - here), match, escape))
      return "a bare &";
    if (c == '>') return "a bare >";
    if ((c < 0x20 && c != '\n') || c == 0x7f) return "a control character";
    ++i;
  }
  if (!open.empty()) return "<" + open.back() + "> stays open";
  return std::nullopt;
}

// True if all coordinates of rectangles, circles and texts are numbers inside the picture.
bool IsInsidePicture(const std::string& svg) {
  static const std::regex size("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"");
  static const std::regex number(" (x|y|x1|x2|y1|y2|cx|cy|width|height)=\"([^\"]*)\"");
  std::smatch picture;
  if (!std::regex_search(svg, picture, size)) return false;
  const double most = std::max(std::stod(picture[1]), std::stod(picture[2]));
  for (std::sregex_iterator it(svg.begin(), svg.end(), number); it != std::sregex_iterator(); ++it) {
    const std::string value = (*it)[2];
    if (value.find_first_not_of("0123456789.") != std::string::npos) return false;  // no sign, no nan
    if (std::stod(value) > most) return false;
  }
  return true;
}

TEST(SvgChart, TheCheckFindsFaults) {
  EXPECT_FALSE(Fault("<svg a=\"1\"><text>x &amp; y</text><rect/></svg>").has_value());
  for (const char* bad : {"<svg>", "<a></b>", "<a>&</a>", "<a>></a>", "<a>\x01</a>", "<a x=1></a>", "<a><b</a>"}) {
    EXPECT_TRUE(Fault(bad).has_value()) << bad;
  }
  EXPECT_FALSE(IsInsidePicture("<svg viewBox=\"0 0 10 10\"><rect x=\"-1\"/>"));
  EXPECT_FALSE(IsInsidePicture("<svg viewBox=\"0 0 10 10\"><rect x=\"11\"/>"));
}

TEST(SvgChart, TextsAreEscaped) {
  EXPECT_EQ(SvgText("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(SvgText("a\nb"), "a\\x0ab");
  EXPECT_EQ(SvgText("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");
  EXPECT_EQ(SvgText("\xc3\xa9"), "\xc3\xa9");
}

TEST(SvgChart, HostileNamesAreHarmless) {
  for (const std::string& name : HostileNames()) {
    const BarChart bars{name, name, {{name, "red"}, {"b", "blue"}}, {{name, {30, 50}, name}}};
    EXPECT_EQ(Fault(DrawBars(bars)), std::nullopt) << SvgText(name);
    const CurveChart curve{name, name, name, false, {{1, 10}, {2, 100}}, {50}};
    EXPECT_EQ(Fault(DrawCurve(curve)), std::nullopt) << SvgText(name);
    const PointChart points{name, name, name, false, {{1, 10, name}, {2, 100, name}}, 1};
    EXPECT_EQ(Fault(DrawPoints(points)), std::nullopt) << SvgText(name);
  }
}

TEST(SvgChart, NamesAreEscapedOnce) {
  const std::string svg = DrawBars({"t", "a", {{"", "red"}}, {{"a\nb<c", {10}, "d\te"}}});
  EXPECT_NE(svg.find(">a\\x0ab&lt;c</text>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>a\\x0ab&lt;c</title>"), std::string::npos);
  EXPECT_NE(svg.find(">d\\x09e</text>"), std::string::npos);
}

TEST(SvgChart, LongNamesAreCutAndTheTooltipHasThemWhole) {
  const std::string name = "ns::" + std::string(4000, 'x') + "::last";
  const std::string svg = DrawBars({"t", "a", {{"", "red"}}, {{name, {10}, ""}}});
  EXPECT_NE(svg.find("<title>" + name + "</title>"), std::string::npos);
  EXPECT_EQ(svg.find(">" + name + "</text>"), std::string::npos);
  EXPECT_NE(svg.find("::last</text>"), std::string::npos);
}

TEST(SvgChart, NumbersStayInThePicture) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {-infinity, -1e300, -5, 0, 1e-300, 99.9, 100, 250, 1e19, 1e300, infinity, std::nan("")};
  for (const double a : numbers) {
    for (const double b : numbers) {
      SCOPED_TRACE(::testing::Message() << a << " " << b);
      EXPECT_TRUE(IsInsidePicture(DrawBars({"t", "a", {{"p", "red"}, {"q", "blue"}}, {{"n", {a, b}, ""}}})));
      for (const bool is_in_bytes : {false, true}) {
        for (const std::string& svg : {DrawCurve({"t", "x", "y", is_in_bytes, {{a, b}, {b, a}}, {50}}),
                                       DrawPoints({"t", "x", "y", is_in_bytes, {{a, b, "p"}, {b, a, "q"}}, 2})}) {
          EXPECT_TRUE(IsInsidePicture(svg)) << svg;
          EXPECT_EQ(svg.find("nan"), std::string::npos);
          EXPECT_EQ(svg.find("inf"), std::string::npos);
        }
      }
    }
  }
}

TEST(SvgChart, PointsAreBetweenLogarithmicAxes) {
  const std::string svg = DrawPoints({"t", "x", "y", true, {{64, 100, "first"}, {4096, 0.5, "second"}, {128, 0, "none"}}, 1});
  for (const char* mark :
       {">100 %<", ">10 %<", ">1 %<", ">0.1 %<", ">64 B<", ">4 KiB<", ">first</text>", "<title>second</title>"}) {
    EXPECT_NE(svg.find(mark), std::string::npos) << mark << svg;
  }
  EXPECT_EQ(svg.find(">0.01 %<"), std::string::npos) << "the axis ends below the lowest point";
  EXPECT_EQ(svg.find(">second</text>"), std::string::npos) << "only the first are named beside the point";
  EXPECT_EQ(svg.find("none"), std::string::npos);
}

TEST(SvgChart, NothingToShowIsSaid) {
  for (const std::string& svg : {DrawBars({"t", "a", {{"p", "red"}}, {}}), DrawCurve({"t", "x", "y", true, {}, {}}),
                                 DrawPoints({"t", "x", "y", true, {}})}) {
    EXPECT_EQ(Fault(svg), std::nullopt);
    EXPECT_NE(svg.find("no executed code"), std::string::npos);
  }
}

}  // namespace
}  // namespace softlbr::toolchain
