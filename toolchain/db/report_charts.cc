#include "toolchain/db/report_charts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>

#include "toolchain/db/report_plan.h"
#include "toolchain/db/svg_chart.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"

namespace softlbr::toolchain {
namespace {

// The report's tables have a few rows of this; a curve needs more points: 16 for each doubling, and the first of 50, 90 and 99 %.
// Groups of instructions, hottest first. x: how many they are so far, times width.
std::string CurveQuery(const std::string& group, unsigned width) {
  return "WITH part AS (SELECT sum(count) AS n FROM instruction GROUP BY " + group + R"SQL(),
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

std::string DrawQueryBars(const Connection& connection, const std::string& sql, uint64_t top, BarChart chart,
                          const MakeBar& bar_of) {
  Rows rows = connection.Query(InDialect(sql, SqlDialect::kDuckDb));
  const Row row(rows);
  while (chart.bars.size() < top && rows.Next()) chart.bars.push_back(bar_of(row));
  return DrawBars(chart);
}

std::string DrawQueryCurve(const Connection& connection, const std::string& sql, CurveChart chart) {
  Rows rows = connection.Query(sql);
  const Row row(rows);
  while (rows.Next()) chart.points.push_back({row.Number("x"), row.Number("percent")});
  return DrawCurve(chart);
}

std::string DrawLibraries(const Connection& connection, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Executed instructions by program and library", "of all executed instructions", {{"", "#2f79b5"}}, {}};
  return DrawQueryBars(connection, query.sql, top, chart, [](const Row& row) {
    return Bar{row.Text("module"), {row.Number("percent")}, PercentText(row.Number("percent"))};
  });
}

std::string DrawDistances(const Connection& connection, const ReportQuery& query, uint64_t top) {
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
  return DrawQueryBars(connection, query.sql, top, chart, [](const Row& row) {
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

std::string DrawFragmentation(const Connection& connection, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Fragmentation: how much of its bytes a hot function needs",
                       "of the function's bytes; the hottest function is at the top",
                       {{"90 % of its executed instructions", "#b2182b"},
                        {"the next 9 %", "#ef8a62"},
                        {"the next 0.9 %", "#fddbc7"},
                        {"the rest, or nothing", "#b8c4cc"}},
                       {}};
  return DrawQueryBars(connection, query.sql, top, chart, [](const Row& row) {
    const double ten = row.Number("cold_10");
    const double one = row.Number("cold_1");
    const double tenth = row.Number("cold_01");
    return Bar{row.Text("function"),
               {100 - ten, ten - one, one - tenth, tenth},
               ByteSize(static_cast<uint64_t>(std::min(row.Number("bytes"), 9e18)))};
  });
}

// One share a row.
std::string DrawShares(const Connection& connection, const ReportQuery& query, uint64_t top, const char* title,
                       const std::function<std::string(const Row&)>& name_of) {
  const BarChart chart{title, "of all executed instructions", {{"", "#2f79b5"}}, {}};
  return DrawQueryBars(connection, query.sql, top, chart, [&](const Row& row) {
    return Bar{name_of(row), {row.Number("percent")}, PercentText(row.Number("percent"))};
  });
}

std::string DrawExtensions(const Connection& connection, const ReportQuery& query, uint64_t top) {
  return DrawShares(connection, query, top, "Executed instructions by extension of the instruction set",
                    [](const Row& row) { return row.Text("extension"); });
}

std::string DrawInstructions(const Connection& connection, const ReportQuery& query, uint64_t top) {
  return DrawShares(connection, query, top, "Executed instructions by kind of branch",
                    [](const Row& row) { return row.Text("branch"); });
}

std::string DrawLoops(const Connection& connection, const ReportQuery& query, uint64_t top) {
  return DrawShares(connection, query, top, "Executed instructions by nesting depth of their loop", [](const Row& row) {
    const double depth = row.Number("depth");
    return depth == 0 ? "in no loop" : "depth " + ShortCount(depth) + ", " + ShortCount(row.Number("loops")) + " loops";
  });
}

std::string DrawLineFragmentation(const Connection& connection, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Fragmentation within cache lines: lines of which half or less is hot",
                       "of the function's executed cache lines; the hottest function is at the top",
                       {{"half or less serves 99 % of the line's execution", "#b2182b"},
                        {"90 %", "#ef8a62"},
                        {"more than half is needed", "#b8c4cc"}},
                       {}};
  return DrawQueryBars(connection, query.sql, top, chart, [](const Row& row) {
    const double at_90 = row.Number("fragmented_90");
    const double at_99 = row.Number("fragmented_99");
    return Bar{row.Text("function"), {at_99, at_90 - at_99, 100 - at_90}, ShortCount(row.Number("lines")) + " lines"};
  });
}

std::string DrawMemoryFunctions(const Connection& connection, const ReportQuery& query, uint64_t top) {
  const BarChart chart{"Functions that copy, compare or set memory: how much of their code is hot",
                       "of the function's cache lines of 64 bytes; the hottest function is at the top",
                       {{"90 % of its executed instructions", "#b2182b"},
                        {"the next 9 %", "#ef8a62"},
                        {"the rest", "#fddbc7"},
                        {"not executed", "#b8c4cc"}},
                       {}};
  return DrawQueryBars(connection, query.sql, top, chart, [](const Row& row) {
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

std::string DrawWorkingSet(const Connection& connection, const ReportQuery&, uint64_t) {
  const CurveChart chart{
      "Working set of the executed instructions", "size of the hottest cache lines", kCurveOf, true, {}, {50, 90, 99}};
  return DrawQueryCurve(connection, CurveQuery("module, address // 64", 64), chart);
}

std::string DrawFunctions(const Connection& connection, const ReportQuery&, uint64_t) {
  const CurveChart chart{
      "Executed instructions by rank of the function", "number of the hottest functions", kCurveOf, false, {}, {50, 90, 99}};
  return DrawQueryCurve(connection, CurveQuery("module, function", 1), chart);
}

struct Chart {
  const char* part;
  std::string (*draw)(const Connection&, const ReportQuery&, uint64_t);
};

constexpr Chart kCharts[] = {{"libraries", DrawLibraries},
                             {"functions", DrawFunctions},
                             {"working_set", DrawWorkingSet},
                             {"distances", DrawDistances},
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

std::string DrawReport(const Connection& connection, const ReportQuery& query, uint64_t top) {
  for (const Chart& chart : kCharts) {
    if (query.name == std::string(chart.part)) return chart.draw(connection, query, top);
  }
  throw StatedFailure(std::string("db report: ") + query.name + " has no picture");
}

}  // namespace softlbr::toolchain
