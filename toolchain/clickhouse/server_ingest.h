// `softlbr db ingest` into ClickHouse servers: as toolchain/db/ingest.h has it, with batches of uploads in place of
// transactions.
//
// An interrupted run leaves the uploads and binaries that were complete; the same command sends the others again. Only
// one ingest into a database may run at a time. Memory: a batch of uploads and a profile, or two binaries.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_INGEST_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_INGEST_H_

#include <string>
#include <vector>

#include "toolchain/clickhouse/server_set.h"
#include "toolchain/db/ingest.h"

namespace softlbr::toolchain {

IngestResult IngestToServers(const ServerSet& servers, const std::vector<std::string>& profiles,
                             const std::vector<std::string>& binaries);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_INGEST_H_
