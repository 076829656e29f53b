// Which parts of the report have a picture, and how it is drawn from the database.
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

// query: one of these parts. top: bars of a chart with names. The result is SVG.
std::string DrawReport(const AskFunction& ask, const ReportQuery& query, uint64_t top);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORT_CHARTS_H_
