#include "toolchain/db/charts/report_charts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// The report's tables have a few rows of this; a curve needs more points: 16 for each doubling, and the first that
// reaches 50, 90 and 99 %. Groups of instructions, hottest first. x: the number of instructions so far, times width.
std::string CurveQuery(const std::string& groups, unsigned width) {
  return "-- Curve\nWITH\nalike AS ( -- of each server\n  SELECT n, count(*) AS group_rows FROM (SELECT " + groups +
         R"SQL(, sum(exact(count)) AS n FROM instruction GROUP BY first_key, second_key) AS part GROUP BY n
),
part AS (SELECT n, unnest(range(group_rows::BIGINT)) AS number FROM alike),
ranked AS (SELECT n, row_number() OVER hottest AS rank, sum(n) OVER hottest AS covered,
         sum(n) OVER () AS total FROM part
           WINDOW hottest AS (ORDER BY n DESC ROWS UNBOUNDED PRECEDING))
SELECT (rank * )SQL" +
         std::to_string(width) + R"SQL()::DOUBLE AS x, covered * 100 / total AS percent FROM ranked
WHERE rank <= 16 OR covered = total OR floor(log2(rank) * 16) <> floor(log2(greatest(rank - 1, 1)) * 16)
   OR covered * 100 / total >= 50 AND (covered - n) * 100 / total < 50
   OR covered * 100 / total >= 90 AND (covered - n) * 100 / total < 90
   OR covered * 100 / total >= 99 AND (covered - n) * 100 / total < 99
ORDER BY rank
)SQL";
}

// Columns of the current row, by name.
class Row {
 public:
  explicit Row(const Rows& rows) : rows_(rows) {
    for (size_t i = 0; i < rows.columns(); ++i) columns_.emplace(rows.ColumnName(i), i);
  }

  // 0 if it is null or no number.
  double Number(const std::string& column) const {
    const Value value = rows_.Get(columns_.at(column));
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* number = std::get_if<uint64_t>(&value)) return static_cast<double>(*number);
    if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<double>(*number);
    double number = 0;
    if (const auto* digits = std::get_if<Digits>(&value)) {
      std::from_chars(digits->text.data(), digits->text.data() + digits->text.size(), number);
    }
    return number;
  }

  std::string Text(const std::string& column) const { return std::string(rows_.Text(columns_.at(column))); }

 private:
  const Rows& rows_;
  std::map<std::string, size_t> columns_;
};

std::string PercentText(double percent) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), percent, std::chars_format::fixed, 1);
  return std::string(buffer.data(), end.ptr) + " %";
}

// 1234567: "1.2 M"
std::string ShortCount(double count) {
  const char* units[] = {"", " k", " M", " G", " T", " P", " E"};
  size_t unit = 0;
  for (; count >= 1000 && unit + 1 < std::size(units); ++unit) count /= 1000;
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), count, std::chars_format::fixed,
                                 unit == 0 || count >= 100 ? 0 : 1);
  return std::string(buffer.data(), end.ptr) + units[unit];
}

// A chart as draw_chart.sh reads it.
class ChartText {
 public:
  ChartText(const char* kind, const std::string& title) { Line({"kind", kind}), Line({"title", title}); }

  // Fields of an axis, of a series.
  void Axis(const std::vector<std::string>& fields) { Setting("x", fields); }
  void YAxis(const std::vector<std::string>& fields) { Setting("y", fields); }
  void Series(const std::vector<std::string>& fields) { Setting("series", fields); }

  // Values are clamped to shares that fit into what the row has left. Long names are cut.
  void Bar(const std::string& name, const std::string& note, const std::vector<double>& percents) {
    std::vector<std::string> fields = {Cut(name, 42), Cut(note, 21)};
    double left = 100;
    for (const double percent : percents) {
      const double drawn = std::isfinite(percent) ? std::clamp(percent, 0.0, left) : 0;
      fields.push_back(Number(drawn));
      left -= drawn;
    }
    Row(fields);
  }

  // Left out if it is not on a logarithmic axis.
  void Point(size_t series, double x, double percent, const std::string& text = "") {
    if (!std::isfinite(x) || x <= 0 || !std::isfinite(percent)) return;
    Row({std::to_string(series), Number(std::clamp(x, 1.0 / 1024, 0x1p62)), Number(percent), Cut(text, 24)});
  }

  size_t rows() const { return rows_; }
  const std::string& text() const { return text_; }

 private:
  static std::string Cut(const std::string& text, size_t letters) { return Shorten(SafeText(text), letters); }

  static std::string Number(double value) {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 9);
    return std::string(buffer.data(), end.ptr);
  }

  void Line(const std::vector<std::string>& fields) {
    for (size_t i = 0; i < fields.size(); ++i) text_ += (i == 0 ? "" : "\t") + fields[i];
    text_ += '\n';
  }

  void Setting(const char* key, std::vector<std::string> fields) {
    fields.insert(fields.begin(), key);
    Line(fields);
  }

  void Row(const std::vector<std::string>& fields) {
    if (rows_++ == 0) text_ += '\n';
    Line(fields);
  }

  std::string text_;
  size_t rows_ = 0;
};

constexpr char kOfAll[] = "of all executed instructions";
constexpr char kCurveOf[] = "executed instructions in them";
constexpr char kMostUsed[] = "#c0392b";  // hot code, and what is less and less used
constexpr char kUsed[] = "#e98b5f";
constexpr char kLittleUsed[] = "#e8bd94";
constexpr char kUnused[] = "#8fa1ad";
// From near to far, or few to many.
constexpr const char* kRange[] = {"#1f5fa8", "#4c8fd0", "#8dbce6", "#e3b341", "#e6812a", "#b2402b", "#8c8c8c"};

using AddBar = std::function<void(const Row&, ChartText*)>;

std::string BarsOf(const AskFunction& ask, const ReportQuery& query, uint64_t top, ChartText chart, const AddBar& add) {
  Rows rows = ask(query.sql);
  const Row row(rows);
  while (chart.rows() < top && rows.Next()) add(row, &chart);
  return chart.text();
}

// In shares, one after the other.
ChartText Bars(const char* title, const char* axis, const std::vector<std::pair<std::string, const char*>>& parts) {
  ChartText chart("bars", title);
  chart.Axis({axis, "%", "", "100"});
  for (const auto& [name, colour] : parts) chart.Series({name, colour});
  return chart;
}

// One share a row.
std::string SharesOf(const AskFunction& ask, const ReportQuery& query, uint64_t top, const char* title,
                     const std::function<std::string(const Row&)>& name_of) {
  return BarsOf(ask, query, top, Bars(title, kOfAll, {{"", ""}}), [&](const Row& row, ChartText* chart) {
    chart->Bar(name_of(row), PercentText(row.Number("percent")), {row.Number("percent")});
  });
}

std::string CodeSize(const Row& row) { return ByteSize(static_cast<uint64_t>(std::min(row.Number("bytes"), 9e18))); }

// x: in bytes or a number. The first points with as much as a percent of `marked` get a dot and their x.
std::string CurveOf(
    const AskFunction& ask, const std::string& sql, const char* title, const char* x_axis, bool is_in_bytes,
    const std::vector<int>& marked,
    const std::function<std::pair<double, double>(const Row&)>& point_of = [](const Row& row) {
      return std::pair(row.Number("x"), row.Number("percent"));
    }) {
  ChartText chart("points", title);
  chart.Axis({x_axis, is_in_bytes ? "bytes" : "", "2"});
  chart.YAxis({kCurveOf, "%", "", "100"});
  chart.Series({"", kRange[1], "lines"});
  chart.Series({"", kRange[1], "points", "left"});
  Rows rows = ask(sql);
  const Row row(rows);
  std::vector<int> left = marked;
  while (rows.Next()) {
    const auto [x, percent] = point_of(row);
    chart.Point(1, x, std::clamp(percent, 0.0, 100.0));
    while (!left.empty() && percent >= left.front()) {
      const std::string value =
          is_in_bytes ? ByteSize(static_cast<uint64_t>(x)) : GroupedCount(static_cast<uint64_t>(x));
      chart.Point(2, x, std::clamp(percent, 0.0, 100.0), std::to_string(left.front()) + " %: " + value);
      left.erase(left.begin());
    }
  }
  return chart.text();
}

std::string Libraries(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  return SharesOf(ask, query, top, "Executed instructions by program and library",
                  [](const Row& row) { return row.Text("module"); });
}

std::string Distances(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const ChartText chart = Bars("Distances of taken branches in cache lines of 64 bytes", "of the kind's taken branches",
                               {{"0 or 1 lines", kRange[0]},
                                {"to 8", kRange[1]},
                                {"to 64", kRange[2]},
                                {"to 512", kRange[3]},
                                {"to 16,384", kRange[4]},
                                {"more", kRange[5]},
                                {"other module", kRange[6]}});
  return BarsOf(ask, query, top, chart, [](const Row& row, ChartText* bars) {
    std::vector<double> percents;
    double before = 0;
    for (const char* column : {"within_1", "within_8", "within_64", "within_512", "within_16384"}) {
      percents.push_back(row.Number(column) - before);
      before = row.Number(column);
    }
    percents.push_back(100 - before - row.Number("other_module"));
    percents.push_back(row.Number("other_module"));
    bars->Bar(row.Text("kind"), ShortCount(row.Number("branches")) + " branches", percents);
  });
}

std::string Fragmentation(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const ChartText chart = Bars("Fragmentation: how much of its bytes a hot function needs",
                               "of the function's bytes; the hottest function is at the top",
                               {{"90 % of its executed instructions", kMostUsed},
                                {"the next 9 %", kUsed},
                                {"the next 0.9 %", kLittleUsed},
                                {"the rest, or nothing", kUnused}});
  return BarsOf(ask, query, top, chart, [](const Row& row, ChartText* bars) {
    const double ten = row.Number("cold_10");
    const double one = row.Number("cold_1");
    const double tenth = row.Number("cold_01");
    bars->Bar(row.Text("function"), CodeSize(row), {100 - ten, ten - one, one - tenth, tenth});
  });
}

std::string Extensions(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  return SharesOf(ask, query, top, "Executed instructions by extension of the instruction set",
                  [](const Row& row) { return row.Text("extension"); });
}

std::string Instructions(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  return SharesOf(ask, query, top, "Executed instructions by kind of branch",
                  [](const Row& row) { return row.Text("branch"); });
}

std::string Loops(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  return SharesOf(ask, query, top, "Executed instructions by nesting depth of their loop", [](const Row& row) {
    const double depth = row.Number("depth");
    return depth == 0 ? "in no loop" : "depth " + ShortCount(depth) + ", " + ShortCount(row.Number("loops")) + " loops";
  });
}

std::string LineFragmentation(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const ChartText chart = Bars("Fragmentation within cache lines: lines of which half or less is hot",
                               "of the function's executed cache lines; the hottest function is at the top",
                               {{"half or less serves 99 % of the line's execution", kMostUsed},
                                {"90 %", kUsed},
                                {"more than half is needed", kUnused}});
  return BarsOf(ask, query, top, chart, [](const Row& row, ChartText* bars) {
    const double at_90 = row.Number("fragmented_90");
    const double at_99 = row.Number("fragmented_99");
    bars->Bar(row.Text("function"), ShortCount(row.Number("lines")) + " lines", {at_99, at_90 - at_99, 100 - at_90});
  });
}

std::string MemoryFunctions(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const ChartText chart = Bars("Functions that copy, compare or set memory: how much of their code is hot",
                               "of the function's cache lines of 64 bytes; the hottest function is at the top",
                               {{"90 % of its executed instructions", kMostUsed},
                                {"the next 9 %", kUsed},
                                {"the rest", kLittleUsed},
                                {"not executed", kUnused}});
  return BarsOf(ask, query, top, chart, [](const Row& row, ChartText* bars) {
    const double executed = row.Number("lines_100");
    const double all = std::max({executed, row.Number("bytes") / 64, 1.0});
    const double at_90 = row.Number("lines_90");
    const double at_99 = row.Number("lines_99");
    const double percent = 100 / all;
    bars->Bar(row.Text("function"), CodeSize(row),
              {at_90 * percent, (at_99 - at_90) * percent, (executed - at_99) * percent, (all - executed) * percent});
  });
}

std::string WorkingSet(const AskFunction& ask, const ReportQuery&, uint64_t) {
  return CurveOf(ask, CurveQuery("module AS first_key, line_of(address) AS second_key", 64),
                 "Working set of the executed instructions", "size of the hottest cache lines", true, {50, 90, 99});
}

std::string Functions(const AskFunction& ask, const ReportQuery&, uint64_t) {
  return CurveOf(ask, CurveQuery("module AS first_key, coalesce(function, 0) AS second_key", 1),
                 "Executed instructions by rank of the function", "number of the hottest functions", false,
                 {50, 90, 99});
}

std::string Sizes(const AskFunction& ask, const ReportQuery& query, uint64_t) {
  return CurveOf(
      ask, query.sql, "Executed instructions by size of the function", "functions up to this size", true, {50, 90},
      [](const Row& row) { return std::pair(std::exp2(row.Number("log2_bytes")), row.Number("percent_so_far")); });
}

std::string Calls(const AskFunction& ask, const ReportQuery& query, uint64_t) {
  constexpr size_t kNamed = 8;
  ChartText chart("points", "Calls and size of the 100 most called functions");
  chart.Axis({"size of the function", "bytes", "2"});
  chart.YAxis({"calls, of those of the most called one", "%", "10", "100"});
  chart.Series({"", kRange[1], "points", "right"});
  Rows rows = ask(query.sql);
  const Row row(rows);
  while (rows.Next()) {
    const double percent = row.Number("percent_of_most");
    if (percent <= 0) continue;
    chart.Point(1, row.Number("bytes"), std::clamp(percent, 1e-6, 100.0),
                chart.rows() < kNamed ? row.Text("function") : "");
  }
  return chart.text();
}

// A kind of branch has a row for each class of targets.
std::string Targets(const AskFunction& ask, const ReportQuery& query, uint64_t) {
  const std::vector<std::string> classes = {"1", "2", "3 to 4", "5 to 16", "over 16"};
  ChartText chart = Bars(
      "Indirect branches by the number of their targets", "of the kind's executions",
      {{"1 target", kRange[0]}, {"2", kRange[1]}, {"3 to 4", kRange[2]}, {"5 to 16", kRange[3]}, {"more", kRange[4]}});
  Rows rows = ask(query.sql);
  const Row row(rows);
  std::string kind;
  std::vector<double> percents(classes.size());
  double instructions = 0;  // of the kind so far
  const auto add = [&] {
    if (!kind.empty()) chart.Bar(kind, ShortCount(instructions) + " branches", percents);
    percents.assign(classes.size(), 0);
    instructions = 0;
  };
  while (rows.Next()) {
    if (kind != row.Text("kind")) add();
    kind = row.Text("kind");
    const auto number = std::find(classes.begin(), classes.end(), row.Text("targets")) - classes.begin();
    if (static_cast<size_t>(number) < classes.size()) percents[static_cast<size_t>(number)] = row.Number("percent");
    instructions += row.Number("instructions");
  }
  add();
  return chart.text();
}

struct Chart {
  const char* part;
  std::string (*chart)(const AskFunction&, const ReportQuery&, uint64_t);
};

constexpr Chart kCharts[] = {{"libraries", Libraries},
                             {"functions", Functions},
                             {"sizes", Sizes},
                             {"calls", Calls},
                             {"working_set", WorkingSet},
                             {"distances", Distances},
                             {"targets", Targets},
                             {"fragmentation", Fragmentation},
                             {"line_fragmentation", LineFragmentation},
                             {"loops", Loops},
                             {"memory_functions", MemoryFunctions},
                             {"extensions", Extensions},
                             {"instructions", Instructions}};

}  // namespace

std::vector<std::string> PartsWithChart() {
  std::vector<std::string> parts;
  for (const Chart& chart : kCharts) parts.emplace_back(chart.part);
  return parts;
}

std::string ChartOfReport(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  for (const Chart& chart : kCharts) {
    if (query.name == std::string(chart.part)) return chart.chart(ask, query, top);
  }
  throw StatedFailure(std::string("db report: ") + query.name + " has no picture");
}

}  // namespace softlbr::toolchain
