#include "toolchain/db/charts/report_charts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/db/charts/svg_chart.h"

namespace softlbr::toolchain {
namespace {

// The report's tables have a few rows of this; a curve needs more points: 16 for each doubling, and the first that reaches 50, 90 and 99 %.
// Groups of instructions, hottest first. x: the number of instructions so far, times width.
std::string CurveQuery(const std::string& groups, unsigned width) {
  return "-- Curve\nWITH\nalike AS ( -- of each server\n  SELECT n, count(*) AS group_rows FROM (SELECT " + groups +
         R"SQL(, sum(exact(count)) AS n FROM instruction GROUP BY first_key, second_key) AS part GROUP BY n
),
part AS (SELECT n, unnest(range(group_rows::BIGINT)) AS number FROM alike),
ranked AS (SELECT n, row_number() OVER hottest AS rank, sum(n) OVER hottest AS covered, sum(n) OVER () AS total FROM part
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

constexpr char kCurveOf[] = "executed instructions in them";

using MakeBar = std::function<Bar(const Row&)>;

std::string DrawQueryBars(const AskFunction& ask, const std::string& sql, uint64_t top, BarChart chart, const MakeBar& bar_of) {
  Rows rows = ask(sql);
  const Row row(rows);
  while (chart.bars.size() < top && rows.Next()) chart.bars.push_back(bar_of(row));
  return DrawBars(chart);
}

std::string DrawQueryCurve(const AskFunction& ask, const std::string& sql, CurveChart chart) {
  Rows rows = ask(sql);
  const Row row(rows);
  while (rows.Next()) chart.points.push_back({row.Number("x"), row.Number("percent")});
  return DrawCurve(chart);
}

std::string DrawLibraries(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Executed instructions by program and library", "of all executed instructions", {{"", "#2f79b5"}}, {}};
  return DrawQueryBars(ask, query.sql, top, chart, [](const Row& row) {
    return Bar{row.Text("module"), {row.Number("percent")}, PercentText(row.Number("percent"))};
  });
}

std::string DrawDistances(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Distances of taken branches in cache lines of 64 bytes",
                       "of the kind's taken branches",
                       {{"0 or 1 lines", "#0b3c6f"},
                        {"to 8", "#2f79b5"},
                        {"to 64", "#7fb5dc"},
                        {"to 512", "#cfe2f1"},
                        {"to 16,384", "#fdc98f"},
                        {"more", "#e6812a"},
                        {"other module", "#8c8c8c"}},
                       {}};
  return DrawQueryBars(ask, query.sql, top, chart, [](const Row& row) {
    Bar bar{row.Text("kind"), {}, ShortCount(row.Number("branches")) + " branches"};
    double before = 0;
    for (const char* column : {"within_1", "within_8", "within_64", "within_512", "within_16384"}) {
      bar.percents.push_back(row.Number(column) - before);
      before = row.Number(column);
    }
    bar.percents.push_back(100 - before - row.Number("other_module"));
    bar.percents.push_back(row.Number("other_module"));
    return bar;
  });
}

std::string DrawFragmentation(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Fragmentation: how much of its bytes a hot function needs",
                       "of the function's bytes; the hottest function is at the top",
                       {{"90 % of its executed instructions", "#b2182b"},
                        {"the next 9 %", "#ef8a62"},
                        {"the next 0.9 %", "#fddbc7"},
                        {"the rest, or nothing", "#b8c4cc"}},
                       {}};
  return DrawQueryBars(ask, query.sql, top, chart, [](const Row& row) {
    const double ten = row.Number("cold_10");
    const double one = row.Number("cold_1");
    const double tenth = row.Number("cold_01");
    return Bar{row.Text("function"),
               {100 - ten, ten - one, one - tenth, tenth},
               ByteSize(static_cast<uint64_t>(std::min(row.Number("bytes"), 9e18)))};
  });
}

// One share a row.
std::string DrawShares(const AskFunction& ask, const ReportQuery& query, uint64_t top, const char* title,
                       const std::function<std::string(const Row&)>& name_of) {
  const BarChart chart{title, "of all executed instructions", {{"", "#2f79b5"}}, {}};
  return DrawQueryBars(ask, query.sql, top, chart, [&](const Row& row) {
    return Bar{name_of(row), {row.Number("percent")}, PercentText(row.Number("percent"))};
  });
}

std::string DrawExtensions(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  return DrawShares(ask, query, top, "Executed instructions by extension of the instruction set",
                    [](const Row& row) { return row.Text("extension"); });
}

std::string DrawInstructions(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  return DrawShares(ask, query, top, "Executed instructions by kind of branch", [](const Row& row) { return row.Text("branch"); });
}

std::string DrawLoops(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  return DrawShares(ask, query, top, "Executed instructions by nesting depth of their loop", [](const Row& row) {
    const double depth = row.Number("depth");
    return depth == 0 ? "in no loop" : "depth " + ShortCount(depth) + ", " + ShortCount(row.Number("loops")) + " loops";
  });
}

std::string DrawLineFragmentation(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Fragmentation within cache lines: lines of which half or less is hot",
                       "of the function's executed cache lines; the hottest function is at the top",
                       {{"half or less serves 99 % of the line's execution", "#b2182b"},
                        {"90 %", "#ef8a62"},
                        {"more than half is needed", "#b8c4cc"}},
                       {}};
  return DrawQueryBars(ask, query.sql, top, chart, [](const Row& row) {
    const double at_90 = row.Number("fragmented_90");
    const double at_99 = row.Number("fragmented_99");
    return Bar{row.Text("function"), {at_99, at_90 - at_99, 100 - at_90}, ShortCount(row.Number("lines")) + " lines"};
  });
}

std::string DrawMemoryFunctions(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Functions that copy, compare or set memory: how much of their code is hot",
                       "of the function's cache lines of 64 bytes; the hottest function is at the top",
                       {{"90 % of its executed instructions", "#b2182b"},
                        {"the next 9 %", "#ef8a62"},
                        {"the rest", "#fddbc7"},
                        {"not executed", "#b8c4cc"}},
                       {}};
  return DrawQueryBars(ask, query.sql, top, chart, [](const Row& row) {
    const double executed = row.Number("lines_100");
    const double all = std::max({executed, row.Number("bytes") / 64, 1.0});
    const double at_90 = row.Number("lines_90");
    const double at_99 = row.Number("lines_99");
    const double percent = 100 / all;
    return Bar{row.Text("function"),
               {at_90 * percent, (at_99 - at_90) * percent, (executed - at_99) * percent, (all - executed) * percent},
               ByteSize(static_cast<uint64_t>(std::min(row.Number("bytes"), 9e18)))};
  });
}

std::string DrawWorkingSet(const AskFunction& ask, const ReportQuery&, uint64_t) {
  const CurveChart chart{
      "Working set of the executed instructions", "size of the hottest cache lines", kCurveOf, true, {}, {50, 90, 99}};
  return DrawQueryCurve(ask, CurveQuery("module AS first_key, line_of(address) AS second_key", 64), chart);
}

std::string DrawFunctions(const AskFunction& ask, const ReportQuery&, uint64_t) {
  const CurveChart chart{
      "Executed instructions by rank of the function", "number of the hottest functions", kCurveOf, false, {}, {50, 90, 99}};
  return DrawQueryCurve(ask, CurveQuery("module AS first_key, coalesce(function, 0) AS second_key", 1), chart);
}

std::string DrawSizes(const AskFunction& ask, const ReportQuery& query, uint64_t) {
  CurveChart chart{"Executed instructions by size of the function", "functions up to this size", kCurveOf, true, {}, {50, 90}};
  Rows rows = ask(query.sql);
  const Row row(rows);
  while (rows.Next()) chart.points.push_back({std::exp2(row.Number("log2_bytes")), row.Number("percent_so_far")});
  return DrawCurve(chart);
}

std::string DrawCalls(const AskFunction& ask, const ReportQuery& query, uint64_t) {
  constexpr size_t kNamed = 8;
  PointChart chart{"Calls and size of the 100 most called functions",
                   "size of the function",
                   "calls, of those of the most called one",
                   true,
                   {},
                   kNamed};
  Rows rows = ask(query.sql);
  const Row row(rows);
  while (rows.Next()) chart.points.push_back({row.Number("bytes"), row.Number("percent_of_most"), row.Text("function")});
  return DrawPoints(chart);
}

// A kind of branch has a row for each class of targets.
std::string DrawTargets(const AskFunction& ask, const ReportQuery& query, uint64_t) {
  const std::vector<std::string> classes = {"1", "2", "3 to 4", "5 to 16", "over 16"};
  BarChart chart{"Indirect branches by the number of their targets",
                 "of the kind's executions",
                 {{"1 target", "#0b3c6f"}, {"2", "#2f79b5"}, {"3 to 4", "#7fb5dc"}, {"5 to 16", "#fdc98f"}, {"more", "#e6812a"}},
                 {}};
  Rows rows = ask(query.sql);
  const Row row(rows);
  double instructions = 0;  // of the kind so far
  while (rows.Next()) {
    if (chart.bars.empty() || chart.bars.back().name != row.Text("kind")) {
      chart.bars.push_back({row.Text("kind"), std::vector<double>(classes.size()), ""});
      instructions = 0;
    }
    const auto number = std::find(classes.begin(), classes.end(), row.Text("targets")) - classes.begin();
    if (static_cast<size_t>(number) < classes.size())
      chart.bars.back().percents[static_cast<size_t>(number)] = row.Number("percent");
    instructions += row.Number("instructions");
    chart.bars.back().note = ShortCount(instructions) + " branches";
  }
  return DrawBars(chart);
}

struct Chart {
  const char* part;
  std::string (*draw)(const AskFunction&, const ReportQuery&, uint64_t);
};

constexpr Chart kCharts[] = {{"libraries", DrawLibraries},
                             {"functions", DrawFunctions},
                             {"sizes", DrawSizes},
                             {"calls", DrawCalls},
                             {"working_set", DrawWorkingSet},
                             {"distances", DrawDistances},
                             {"targets", DrawTargets},
                             {"fragmentation", DrawFragmentation},
                             {"line_fragmentation", DrawLineFragmentation},
                             {"loops", DrawLoops},
                             {"memory_functions", DrawMemoryFunctions},
                             {"extensions", DrawExtensions},
                             {"instructions", DrawInstructions}};

}  // namespace

std::vector<std::string> PartsWithChart() {
  std::vector<std::string> parts;
  for (const Chart& chart : kCharts) parts.emplace_back(chart.part);
  return parts;
}

std::string DrawReport(const AskFunction& ask, const ReportQuery& query, uint64_t top) {
  for (const Chart& chart : kCharts) {
    if (query.name == std::string(chart.part)) return chart.draw(ask, query, top);
  }
  throw StatedFailure(std::string("db report: ") + query.name + " has no picture");
}

}  // namespace softlbr::toolchain
