// Which parts of the report have a picture, and what it shows.
#ifndef SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORT_CHARTS_H_
#define SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORT_CHARTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "toolchain/db/charts/reports.h"
#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

std::vector<std::string> PartsWithChart();

// Answers a query in the two stages of report_plan.h, like the queries of the report.
using AskFunction = std::function<Rows(const std::string& sql)>;

// query: one of these parts. top: bars of a chart with names. The result is what draw_chart.sh reads: names in it are
// cut and SafeText, numbers finite and on their axis.
std::string ChartOfReport(const AskFunction& ask, const ReportQuery& query, uint64_t top);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORT_CHARTS_H_
