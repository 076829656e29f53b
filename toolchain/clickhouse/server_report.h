// Questions to ClickHouse servers.
//
// Each server answers for its own rows. The answers are put together in a DuckDB database in memory, which computes the
// rest of a report by the same SQL as for a database file. So the results are the same, byte for byte, however many
// servers there are.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_REPORT_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_REPORT_H_

#include <string>

#include "toolchain/clickhouse/server_set.h"
#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

// The rows of a part of the report. sql: of ReportQuery.
Rows AskReport(const ServerSet& servers, const Connection& memory, const std::string& sql);

// The rows of a user's query, which is sent unchanged to each server: those of the first server, then those of the
// second, and so on.
Rows AskServers(const ServerSet& servers, const Connection& memory, const std::string& sql);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_REPORT_H_
