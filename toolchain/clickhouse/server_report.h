// Questions to ClickHouse servers.
//
// Each server answers for its own rows; the answers are united in a database in memory, of DuckDB, which makes the rest of a report of
// them by the same SQL as of a database file. So the results are the same, byte for byte, however many servers there are.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_REPORT_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_REPORT_H_

#include <string>

#include "toolchain/clickhouse/server_set.h"
#include "toolchain/db/database.h"

namespace softlbr::toolchain {

// The rows of a part of the report. sql: of ReportQuery.
Rows AskReport(const ServerSet& servers, const Connection& memory, const std::string& sql);

// The rows of a user's question, which is asked of each server as it is: those of the first server, then those of the second, and so on.
Rows AskServers(const ServerSet& servers, const Connection& memory, const std::string& sql);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_REPORT_H_
