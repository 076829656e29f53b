// The tables of a database on ClickHouse servers; each server has the same ones.
//
// Numbers are derived from content, so that the same rows may be sent twice: an upload's number is the start of its
// SHA-256, a module's the start of that of its identity. Stored rows (tables *_rows) are valid only once the row that
// names them is there:
//
//   facts (range, branch, entry, sample) : their upload, in upload_rows of the server
//   recovered rows, which have a version : the version, in recovered_rows; of several of one module, that of the most
//   uploads
//
// That row is written last, so an interrupted ingest leaves rows that nobody reads. The views have the names and
// columns of the tables of a database file, and only valid rows. 0 stands for no function, loop, source or line.
//
// All rows of a module are on one server, which its build id chooses. On every server: uploads, opcodes and sources. On
// the first only: sessions.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_SCHEMA_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_SCHEMA_H_

#include <cstdint>

#include "toolchain/clickhouse/server_client.h"

namespace softlbr::toolchain {

inline constexpr uint64_t kServerSchemaVersion = 3;

// Makes the tables that are missing. server: the number of this server among `servers`, from 0. StatedFailure if the
// database holds tables of another version, or is that of another server.
void PrepareServer(ServerClient* client, uint64_t server, uint64_t servers);
// ServerFailure if the address is not that of a ClickHouse server.
void CheckAnswers(ServerClient* client);
// The check of the tables alone.
void CheckServer(ServerClient* client, uint64_t server, uint64_t servers);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_SCHEMA_H_
