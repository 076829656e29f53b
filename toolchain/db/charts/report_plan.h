// A query of the report in its two stages: what each server answers for its own rows, and what is computed from all of
// these answers.
//
// The first common table expressions of a file of queries/ are the first stage. Each stands between the lines "NAME AS
// ( -- of each server" and ")" or "),", and uses only SQL that both DuckDB and ClickHouse (18.16) understand: no window
// functions, no casts, subqueries with names. Where the two differ, the file has these functions, which are replaced
// here:
//
//   exact(X)             X, or a type whose sums have 128 bits
//   line_of(X)           the cache line of an address
//   matches(TEXT, RE)    whether the expression is found in the text
//   instruction_where(C) the table `instruction`; ClickHouse leaves out the rows that do not satisfy C and reads no
//                        other column of them, which it does not do for a condition on a view. The query must also
//                        state C, or a condition that implies C
//   answer(COLUMNS FROM TABLE...)
//                        a question, in DuckDB's dialect, about the answers to the parts before this one, so that a
//                        server need not find them again. Its rows are one or two unsigned integers
//
// For a database file both stages are one query. The texts of queries are ours, not a user's.
#ifndef SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORT_PLAN_H_
#define SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORT_PLAN_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace softlbr::toolchain {

enum class SqlDialect { kDuckDb, kClickHouse };

std::string InDialect(std::string_view sql, SqlDialect dialect);

// A part of the first stage as it is sent to a server: `answer` returns the rows of a query as a list in ClickHouse's
// syntax.
std::string PutInAnswers(std::string_view sql, const std::function<std::string(const std::string& question)>& answer);

struct ServerPart {
  std::string name;  // of the table that the second stage reads
  std::string sql;   // in ClickHouse's dialect, for PutInAnswers
};

struct ReportPlan {
  std::vector<ServerPart> parts;
  std::string rest;  // in DuckDB's dialect
};

ReportPlan PlanReport(std::string_view sql);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_CHARTS_REPORT_PLAN_H_
