// Which parts of the report have a picture, and how it is drawn from the database.
#ifndef SOFTLBR_TOOLCHAIN_DB_REPORT_CHARTS_H_
#define SOFTLBR_TOOLCHAIN_DB_REPORT_CHARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/db/database.h"
#include "toolchain/db/reports.h"

namespace softlbr::toolchain {

std::vector<std::string> PartsWithChart();

// query: one of these parts. top: bars of a chart with names. The result is SVG.
std::string DrawReport(const Connection& connection, const ReportQuery& query, uint64_t top);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_REPORT_CHARTS_H_
