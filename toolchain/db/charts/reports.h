// The questions of `softlbr db report`: the files of queries/, in the order of the report.
#ifndef SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORTS_H_
#define SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORTS_H_

#include <span>
#include <string>

namespace softlbr::toolchain {

struct ReportQuery {
  const char* name;  // of the file, without .sql
  const char* sql;   // its first line is the title, as a comment
};

std::span<const ReportQuery> ReportQueries();
std::string TitleOf(const ReportQuery& query);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORTS_H_
