// Charts as SVG: bars of shares, curves of shares over a logarithmic axis, and points between two logarithmic axes.
//
// The same chart gives the same bytes on every machine. Names come from profiles and binaries, which are hostile: a text is drawn as
// SafeText, with XML's own characters escaped, and is cut where it would not fit; the whole of a cut name is its bar's tooltip. Numbers
// are clamped to what they may be, so that nothing is drawn outside its place.
#ifndef SOFTLBR_TOOLCHAIN_DB_CHARTS_SVG_CHART_H_
#define SOFTLBR_TOOLCHAIN_DB_CHARTS_SVG_CHART_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace softlbr::toolchain {

// The text as content of an element or a quoted attribute.
std::string SvgText(std::string_view text);

struct BarPart {
  std::string name;  // in the legend
  std::string colour;
};

struct Bar {
  std::string name;
  std::vector<double> percents;  // of each part, from the left; what exceeds 100 together is cut
  std::string note;              // behind the bar
};

struct BarChart {
  std::string title;
  std::string axis;            // what 100 % are
  std::vector<BarPart> parts;  // one part: no legend
  std::vector<Bar> bars;       // from the top
};

struct CurvePoint {
  double x = 0;  // a point that is not more than 0 is left out
  double percent = 0;
};

struct CurveChart {
  std::string title;
  std::string x_axis;
  std::string y_axis;
  bool is_in_bytes = false;         // x: with units such as KiB
  std::vector<CurvePoint> points;   // by x
  std::vector<double> marked = {};  // percents of which the first point with as much is marked, with its x
};

struct NamedPoint {
  double x = 0;        // a point with a number that is not more than 0 is left out
  double percent = 0;  // likewise; those below a millionth are drawn there
  std::string name;    // its tooltip; that of the first points is written beside them
};

struct PointChart {
  std::string title;
  std::string x_axis;
  std::string y_axis;
  bool is_in_bytes = false;  // x: with units such as KiB
  std::vector<NamedPoint> points;
  size_t named = 0;  // how many have their name beside them
};

std::string DrawBars(const BarChart& chart);
std::string DrawCurve(const CurveChart& chart);
std::string DrawPoints(const PointChart& chart);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_CHARTS_SVG_CHART_H_
