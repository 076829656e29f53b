// `softlbr db export` from ClickHouse servers. The rows (export_rows.h) are byte for byte those of a database file,
// however many servers there are.
//
// Modules are exported one after another, in the order of build ids and names; each is on one server. Its instructions
// are fetched in parts, by address. Memory: names and blocks of one module, opcodes and source files, two parts.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_EXPORT_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_EXPORT_H_

#include <cstdint>
#include <string>

#include "toolchain/clickhouse/server_set.h"

namespace softlbr::toolchain {

inline constexpr uint64_t kExportPartInstructions = 200'000;

// part_instructions: of one query to a server; a part ends with a block. `file` is replaced as a whole or left as it
// was. UsageFailure for a name that ends neither in .parquet nor in .csv.
void ExportFromServers(const ServerSet& servers, const std::string& file,
                       uint64_t part_instructions = kExportPartInstructions);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_EXPORT_H_
