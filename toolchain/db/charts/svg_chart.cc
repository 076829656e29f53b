#include "toolchain/db/charts/svg_chart.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr double kWidth = 860;
constexpr double kMargin = 16;
constexpr double kTitleLine = 28;
constexpr double kLeastX = 1.0 / 1024;  // of a curve
constexpr double kMostX = 1ull << 62;
constexpr int kMostDecades = 8;       // of a logarithmic axis of percents: from 100 down to a millionth
constexpr double kLetterWidth = 6.7;  // of a usual sans-serif font of 12 pixels, rather more than the mean
constexpr char kGrid[] = "#dddddd";
constexpr char kCurveColour[] = "#2166ac";
constexpr char kNothing[] = "There is no executed code to show.";

enum class Anchor { kStart, kMiddle, kEnd };

// With one digit behind the point: finer than the eye, and alike whatever the rounding of the machine's functions.
std::string Pixels(double value) {
  if (!std::isfinite(value)) value = 0;
  std::array<char, 32> buffer;
  const double bounded = std::clamp(value, -1e6, 1e6);
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bounded, std::chars_format::fixed, 1);
  return std::string(buffer.data(), end.ptr);
}

double Percent(double value) { return std::isfinite(value) ? std::clamp(value, 0.0, 100.0) : 0; }

// safe: by SafeText.
std::string EscapedForXml(const std::string& safe) {
  std::string result;
  for (size_t i = 0; i < safe.size(); ++i) {
    // U+FFFE and U+FFFF are valid UTF-8, but no characters of XML.
    const std::string_view three = std::string_view(safe).substr(i, 3);
    if (three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf") {
      result += three == "\xef\xbf\xbe" ? "\\xef\\xbf\\xbe" : "\\xef\\xbf\\xbf";
      i += 2;
      continue;
    }
    switch (safe[i]) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += safe[i];
    }
  }
  return result;
}

class Drawing {
 public:
  Drawing(double height, const std::string& title) {
    svg_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + Pixels(kWidth) + " " + Pixels(height) + "\" width=\"" +
           Pixels(kWidth) + "\" height=\"" + Pixels(height) + "\" font-family=\"sans-serif\" font-size=\"12\">\n";
    Rectangle(0, 0, kWidth, height, "white");
    Text(kMargin, kTitleLine, title, Anchor::kStart, " font-size=\"15\" font-weight=\"bold\"");
  }

  // Cuts the text to so many letters.
  void Text(double x, double y, const std::string& text, Anchor anchor, const std::string& attributes = "", size_t letters = 110) {
    const char* anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    svg_ += "<text x=\"" + Pixels(x) + "\" y=\"" + Pixels(y) + "\"" + anchors[static_cast<size_t>(anchor)] + attributes + ">" +
            EscapedForXml(Shorten(SafeText(text), letters)) + "</text>\n";
  }

  // tooltip: may be empty.
  void Rectangle(double x, double y, double width, double height, const std::string& colour, const std::string& tooltip = "") {
    svg_ += "<rect x=\"" + Pixels(x) + "\" y=\"" + Pixels(y) + "\" width=\"" + Pixels(width) + "\" height=\"" + Pixels(height) +
            "\" fill=\"" + colour + "\"";
    svg_ += tooltip.empty() ? "/>\n" : "><title>" + SvgText(tooltip) + "</title></rect>\n";
  }

  void Line(double x1, double y1, double x2, double y2, const std::string& attributes) {
    svg_ += "<line x1=\"" + Pixels(x1) + "\" y1=\"" + Pixels(y1) + "\" x2=\"" + Pixels(x2) + "\" y2=\"" + Pixels(y2) + "\" " +
            attributes + "/>\n";
  }

  // tooltip: may be empty.
  void Circle(double x, double y, const std::string& tooltip) {
    svg_ += "<circle cx=\"" + Pixels(x) + "\" cy=\"" + Pixels(y) + "\" r=\"4\" fill=\"" + kCurveColour + "\"";
    svg_ += tooltip.empty() ? "/>\n" : " fill-opacity=\"0.6\"><title>" + SvgText(tooltip) + "</title></circle>\n";
  }

  void GridLine(double x1, double y1, double x2, double y2) { Line(x1, y1, x2, y2, std::string("stroke=\"") + kGrid + "\""); }

  void Add(const std::string& element) { svg_ += element; }
  std::string Take() { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

// Where the entries of a legend go, in as many lines as they need.
struct LegendEntry {
  double x = 0;
  size_t line = 0;
};

std::vector<LegendEntry> PlaceLegend(const std::vector<BarPart>& parts) {
  std::vector<LegendEntry> entries;
  LegendEntry next{kMargin, 0};
  for (const BarPart& part : parts) {
    const double width = 18 + kLetterWidth * static_cast<double>(part.name.size()) + 14;
    if (next.x + width > kWidth - kMargin && next.x > kMargin) next = {kMargin, next.line + 1};
    entries.push_back(next);
    next.x += width;
  }
  return entries;
}

// A power of two, or with the largest unit below it.
std::string AxisNumber(double value, bool is_in_bytes) {
  const auto whole = static_cast<uint64_t>(std::clamp(std::round(value), 0.0, 9e18));
  if (!is_in_bytes) return GroupedCount(whole);
  const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  size_t unit = 0;
  double left = value;
  for (; left >= 1024 && unit + 1 < std::size(units); ++unit) left /= 1024;
  std::array<char, 32> buffer;
  const bool is_whole = left == std::floor(left) || left >= 100;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::clamp(left, 0.0, 1e9), std::chars_format::fixed,
                                 is_whole ? 0 : 1);
  return std::string(buffer.data(), end.ptr) + units[unit];
}

// The plot of a curve or of points, in pixels, and its axis in powers of two.
class Plane {
 public:
  static constexpr double kLeft = 66;
  static constexpr double kTop = 52;
  static constexpr double kPlotWidth = kWidth - kLeft - 36;
  static constexpr double kPlotHeight = 330;
  static constexpr double kRight = kLeft + kPlotWidth;
  static constexpr double kBottom = kTop + kPlotHeight;
  static constexpr double kHeight = kBottom + 56;  // of the picture

  // The smallest and the largest x.
  Plane(double least, double most) {
    low_ = std::floor(std::log2(least));
    high_ = std::max(low_ + 1, std::ceil(std::log2(most)));
  }

  double X(double value) const { return kLeft + kPlotWidth * std::clamp((std::log2(value) - low_) / (high_ - low_), 0.0, 1.0); }
  static double Y(double percent) { return kTop + kPlotHeight * (1 - Percent(percent) / 100); }

  // A line and a number for each mark: at most thirteen.
  void DrawXAxis(Drawing* drawing, const std::string& name, bool is_in_bytes) const {
    const double step = std::ceil((high_ - low_) / 12);
    for (double power = low_; power <= high_; power += step) {
      const double x = X(std::exp2(power));
      drawing->GridLine(x, kTop, x, kBottom + 4);
      drawing->Text(x, kBottom + 19, AxisNumber(std::exp2(power), is_in_bytes), Anchor::kMiddle);
    }
    drawing->Text(kLeft + kPlotWidth / 2, kBottom + 42, name, Anchor::kMiddle);
  }

  static void DrawYMark(Drawing* drawing, double y, const std::string& text) {
    drawing->GridLine(kLeft, y, kRight, y);
    drawing->Text(kLeft - 8, y + 4, text, Anchor::kEnd);
  }

  static void NameYAxis(Drawing* drawing, const std::string& name) {
    const std::string turned = " transform=\"rotate(-90 16 " + Pixels(kTop + kPlotHeight / 2) + ")\"";
    drawing->Text(16, kTop + kPlotHeight / 2, name, Anchor::kMiddle, turned);
  }

 private:
  double low_ = 0;
  double high_ = 1;
};

std::string DrawNothing(const std::string& title) {
  Drawing drawing(80, title);
  drawing.Text(kMargin, 56, kNothing, Anchor::kStart);
  return drawing.Take();
}

}  // namespace

std::string SvgText(std::string_view text) { return EscapedForXml(SafeText(text)); }

std::string DrawBars(const BarChart& chart) {
  if (chart.bars.empty()) return DrawNothing(chart.title);
  constexpr double kLeft = 300;
  constexpr double kPlotWidth = 400;
  constexpr double kRowHeight = 22;
  constexpr double kBarHeight = 15;
  constexpr size_t kNameLetters = 42;
  constexpr size_t kNoteLetters = 21;
  const std::vector<LegendEntry> legend = chart.parts.size() > 1 ? PlaceLegend(chart.parts) : std::vector<LegendEntry>();
  const double top = 46 + (legend.empty() ? 0 : 18 * static_cast<double>(legend.back().line + 1) + 6);
  const double bottom = top + kRowHeight * static_cast<double>(chart.bars.size());
  Drawing drawing(bottom + 52, chart.title);
  for (size_t i = 0; i < legend.size(); ++i) {
    const double y = 44 + 18 * static_cast<double>(legend[i].line);
    drawing.Rectangle(legend[i].x, y, 12, 12, chart.parts[i].colour);
    drawing.Text(legend[i].x + 18, y + 10.5, chart.parts[i].name, Anchor::kStart);
  }
  for (int mark = 0; mark <= 100; mark += 20) {
    const double x = kLeft + kPlotWidth * mark / 100;
    drawing.GridLine(x, top - 4, x, bottom + 2);
    drawing.Text(x, bottom + 17, std::to_string(mark) + " %", Anchor::kMiddle);
  }
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double y = top + kRowHeight * static_cast<double>(i);
    drawing.Text(kLeft - 8, y + 13, bar.name, Anchor::kEnd, "", kNameLetters);
    double drawn = 0;
    for (size_t part = 0; part < std::min(bar.percents.size(), chart.parts.size()); ++part) {
      const double percent = std::min(Percent(bar.percents[part]), 100 - drawn);
      if (percent <= 0) continue;
      drawing.Rectangle(kLeft + kPlotWidth * drawn / 100, y + 2, kPlotWidth * percent / 100, kBarHeight, chart.parts[part].colour,
                        bar.name);
      drawn += percent;
    }
    drawing.Text(kLeft + kPlotWidth + 10, y + 13, bar.note, Anchor::kStart, " fill=\"#555555\"", kNoteLetters);
  }
  drawing.Text(kLeft + kPlotWidth / 2, bottom + 38, chart.axis, Anchor::kMiddle);
  return drawing.Take();
}

std::string DrawCurve(const CurveChart& chart) {
  std::vector<CurvePoint> points;
  for (const CurvePoint& point : chart.points) {
    if (!std::isfinite(point.x) || point.x <= 0 || !std::isfinite(point.percent)) continue;
    points.push_back({std::clamp(point.x, kLeastX, kMostX), Percent(point.percent)});
  }
  if (points.empty()) return DrawNothing(chart.title);
  const Plane plane(points.front().x, points.back().x);
  Drawing drawing(Plane::kHeight, chart.title);
  for (int mark = 0; mark <= 100; mark += 20) Plane::DrawYMark(&drawing, Plane::Y(mark), std::to_string(mark) + " %");
  plane.DrawXAxis(&drawing, chart.x_axis, chart.is_in_bytes);
  std::string corners;
  for (const CurvePoint& point : points) {
    corners += (corners.empty() ? "" : " ") + Pixels(plane.X(point.x)) + "," + Pixels(Plane::Y(point.percent));
  }
  drawing.Add("<polyline points=\"" + corners + "\" fill=\"none\" stroke=\"" + kCurveColour +
              "\" stroke-width=\"2\" stroke-linejoin=\"round\"/>\n");
  for (const double marked : chart.marked) {
    const auto point = std::find_if(points.begin(), points.end(), [&](const CurvePoint& one) { return one.percent >= marked; });
    if (point == points.end()) continue;
    const double x = plane.X(point->x);
    const double y = Plane::Y(point->percent);
    drawing.Circle(x, y, "");
    // The curve only rises: above and left of the point there is room, except beside the axis.
    const bool is_far_left = x < Plane::kLeft + 130;
    drawing.Text(is_far_left ? x + 9 : x - 8, is_far_left ? y + 18 : y - 6,
                 std::to_string(static_cast<int>(std::lround(marked))) + " %: " + AxisNumber(point->x, chart.is_in_bytes),
                 is_far_left ? Anchor::kStart : Anchor::kEnd);
  }
  Plane::NameYAxis(&drawing, chart.y_axis);
  return drawing.Take();
}

std::string DrawPoints(const PointChart& chart) {
  std::vector<NamedPoint> points;
  double least = kMostX;
  double most = kLeastX;
  int decades = 1;
  for (const NamedPoint& point : chart.points) {
    if (!std::isfinite(point.x) || point.x <= 0 || !std::isfinite(point.percent) || point.percent <= 0) continue;
    const double percent = std::clamp(point.percent, 100 * std::pow(10, -kMostDecades), 100.0);
    points.push_back({std::clamp(point.x, kLeastX, kMostX), percent, point.name});
    least = std::min(least, points.back().x);
    most = std::max(most, points.back().x);
    decades = std::clamp(static_cast<int>(std::ceil(2 - std::log10(percent))), decades, kMostDecades);
  }
  if (points.empty()) return DrawNothing(chart.title);
  const Plane plane(least, most);
  Drawing drawing(Plane::kHeight, chart.title);
  const auto y_of = [&](double percent) { return Plane::Y(100 * (1 + (std::log10(percent) - 2) / decades)); };
  for (int i = 0; i <= decades; ++i) {
    std::string text = i <= 2 ? std::string("100").substr(0, static_cast<size_t>(3 - i))
                              : "0." + std::string(static_cast<size_t>(i - 3), '0') + "1";
    Plane::DrawYMark(&drawing, y_of(100 * std::pow(10, -i)), text + " %");
  }
  plane.DrawXAxis(&drawing, chart.x_axis, chart.is_in_bytes);
  for (size_t i = 0; i < points.size(); ++i) {
    const double x = plane.X(points[i].x);
    const double y = y_of(points[i].percent);
    drawing.Circle(x, y, points[i].name);
    const bool is_far_right = x > Plane::kRight - 130;
    if (i < chart.named)
      drawing.Text(is_far_right ? x - 8 : x + 8, y + 4, points[i].name, is_far_right ? Anchor::kEnd : Anchor::kStart, "", 24);
  }
  Plane::NameYAxis(&drawing, chart.y_axis);
  return drawing.Take();
}

}  // namespace softlbr::toolchain
