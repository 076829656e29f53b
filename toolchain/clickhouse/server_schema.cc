#include "toolchain/clickhouse/server_schema.h"

#include "toolchain/base/failure.h"

namespace softlbr::toolchain {
namespace {

struct ServerTable {
  const char* name;
  const char* columns;
  const char* order;  // of the rows. Rows that are equal in it are one row, sooner or later
};

constexpr ServerTable kTables[] = {
    {"upload_rows", "id UInt64, name String, sha256 String, bytes UInt64, taken_branches UInt64", "id"},
    {"session_rows", "id UInt64, upload UInt64, program String", "id, upload"},
    {"module_rows",
     "id UInt64, name String, build_id String, machine UInt16, elf_type UInt16, is_main UInt8, segments String", "id"},
    {"module_upload_rows", "module UInt64, upload UInt64, has_ranges UInt8, by_instructions UInt8", "module, upload"},
    {"range_rows", "module UInt64, upload UInt64, first UInt64, last UInt64, count UInt64",
     "module, upload, first, last"},
    {"branch_rows",
     "from_module UInt64, upload UInt64, from_address UInt64, to_module UInt64, to_address UInt64, count UInt64",
     "from_module, upload, from_address, to_module, to_address"},
    {"entry_rows", "module UInt64, upload UInt64, address UInt64, count UInt64", "module, upload, address"},
    {"sample_rows", "module UInt64, upload UInt64, address UInt64, count UInt64", "module, upload, address"},
    {"version_rows", "module UInt64, version UInt64", "module, version"},
    {"recovered_rows", "module UInt64, version UInt64, uploads UInt64, undecodable_ranges UInt64, file String",
     "module, version"},
    {"function_rows",
     "version UInt64, module UInt64, id UInt32, name String, start UInt64, bytes UInt64, is_stub UInt8,"
     " inline_depth UInt32",
     "version, id"},
    {"block_rows",
     "version UInt64, module UInt64, id UInt32, function UInt32, start UInt64, bytes UInt64, instructions UInt32, "
     "count UInt64,"
     " samples UInt64, branch String, loop UInt32, depth UInt32, prior Nullable(Int64), next Nullable(Int64)",
     "version, id"},
    {"loop_rows",
     "version UInt64, module UInt64, id UInt32, function UInt32, header UInt32, parent UInt32, depth UInt32, "
     "is_reducible UInt8",
     "version, id"},
    {"edge_rows",
     "version UInt64, from_module UInt64, from_address UInt64, to_module UInt64, to_address UInt64, kind String, count "
     "UInt64,"
     " explained String",
     "version, from_address, kind, to_module, to_address"},
    {"instruction_rows",
     "version UInt64, module UInt64, address UInt64, bytes UInt8, opcode UInt32, function UInt32, block UInt32, loop "
     "UInt32,"
     " depth UInt32, count UInt64, samples UInt64, prior_bytes UInt8, source UInt32, line UInt32",
     "version, address"},
    {"opcode_rows",
     "id UInt32, mnemonic String, extension String, packing String, memory String, operands String, branch String",
     "id"},
    {"source_rows", "id UInt32, file String", "id"},
};

struct ServerView {
  const char* name;
  const char* sql;
};

constexpr ServerView kViews[] = {
    {"current_version", "SELECT argMax(version, uploads) AS version FROM recovered_rows GROUP BY module"},
    {"upload", "SELECT DISTINCT id, name, sha256, bytes, taken_branches FROM upload_rows"},
    {"session", "SELECT DISTINCT id, upload, program FROM session_rows WHERE upload IN (SELECT id FROM upload_rows)"},
    {"opcode", "SELECT DISTINCT id, mnemonic, extension, packing, memory, operands, branch FROM opcode_rows"},
    {"source", "SELECT DISTINCT id, file FROM source_rows"},
    {"module",
     "SELECT id, name, build_id, machine, elf_type, is_main, coalesce(undecodable, 0) AS undecodable_ranges, "
     "coalesce(path, '') AS "
     "file"
     " FROM (SELECT id, any(name) AS name, any(build_id) AS build_id, any(machine) AS machine, any(elf_type) AS "
     "elf_type,"
     " any(is_main) AS is_main FROM module_rows GROUP BY id)"
     " ALL LEFT JOIN (SELECT module AS id, any(undecodable_ranges) AS undecodable, any(file) AS path FROM "
     "recovered_rows"
     " WHERE version IN (SELECT version FROM current_version) GROUP BY module) USING (id)"},
    {"range_count",
     "SELECT module, first, last, any(count) AS count FROM range_rows WHERE upload IN (SELECT id FROM upload_rows)"
     " GROUP BY module, upload, first, last"},
    {"branch_count",
     "SELECT from_module, from_address, to_module, to_address, any(count) AS count FROM branch_rows"
     " WHERE upload IN (SELECT id FROM upload_rows) GROUP BY from_module, upload, from_address, to_module, to_address"},
    {"sample_count",
     "SELECT module, address, any(count) AS count FROM sample_rows WHERE upload IN (SELECT id FROM upload_rows)"
     " GROUP BY module, upload, address"},
    {"function",
     "SELECT id, module, name, start, bytes, is_stub, inline_depth FROM function_rows WHERE version IN (SELECT version "
     "FROM "
     "current_version)"},
    {"block",
     "SELECT id, module, function, start, bytes, instructions, count, samples, branch, loop, depth, prior, next FROM "
     "block_rows"
     " WHERE version IN (SELECT version FROM current_version)"},
    {"loop",
     "SELECT id, module, function, header, parent, depth, is_reducible FROM loop_rows"
     " WHERE version IN (SELECT version FROM current_version)"},
    {"edge",
     "SELECT from_module, from_address, to_module, to_address, kind, count, explained FROM edge_rows"
     " WHERE version IN (SELECT version FROM current_version)"},
    {"instruction",
     "SELECT module, address, bytes, opcode, function, block, loop, depth, count, samples, prior_bytes, source, line"
     " FROM instruction_rows WHERE version IN (SELECT version FROM current_version)"},
};

constexpr char kOther[] = "; name the addresses of one database in the order in which `softlbr db ingest` got them";

}  // namespace

void CheckAnswers(ServerClient* client) {
  const auto rows = client->AskAll("SELECT 6 * 7", 1);
  if (rows.size() != 1 || rows[0][0].Count() != 42) {
    throw ServerFailure("db: the server does not answer SQL; is the address that of a ClickHouse server?");
  }
}

void CheckServer(ServerClient* client, uint64_t server, uint64_t servers) {
  const auto found = client->AskAll(
      "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = 'softlbr_schema'", 1);
  if (found.empty() || found[0][0].Count() == 0) {
    throw ServerFailure("db: the server's database has no tables of softlbr; name one that `softlbr db ingest` made");
  }
  const auto rows = client->AskAll("SELECT DISTINCT version, server, servers FROM softlbr_schema", 3);
  const uint64_t version = rows.size() == 1 ? rows[0][0].Count() : 0;
  if (version != kServerSchemaVersion) {
    const bool is_older = version < kServerSchemaVersion;
    throw ServerFailure(std::string("db: ") + (is_older ? "an older" : "a newer") +
                        " softlbr made the server's database (its tables are of version " + std::to_string(version) +
                        ", this softlbr's of " + std::to_string(kServerSchemaVersion) + "); " +
                        (is_older ? "ingest the profiles into a new one" : "use that softlbr"));
  }
  if (rows[0][1].Count() != server || rows[0][2].Count() != servers) {
    throw ServerFailure("db: the server's database is number " + std::to_string(rows[0][1].Count() + 1) + " of " +
                        std::to_string(rows[0][2].Count()) + kOther);
  }
}

void PrepareServer(ServerClient* client, uint64_t server, uint64_t servers) {
  for (const ServerTable& table : kTables) {
    client->Run(std::string("CREATE TABLE IF NOT EXISTS ") + table.name + " (" + table.columns +
                ") ENGINE = ReplacingMergeTree() ORDER BY (" + table.order + ")");
  }
  for (const ServerView& view : kViews)
    client->Run(std::string("CREATE VIEW IF NOT EXISTS ") + view.name + " AS " + view.sql);
  client->Run(
      "CREATE TABLE IF NOT EXISTS softlbr_schema (version UInt64, server UInt64, servers UInt64) ENGINE = MergeTree() "
      "ORDER BY "
      "version");
  if (client->AskAll("SELECT version FROM softlbr_schema", 1).empty()) {
    RowBinary row;
    client->Insert("softlbr_schema", row.Put(kServerSchemaVersion).Put(server).Put(servers));
  }
  CheckServer(client, server, servers);
}

}  // namespace softlbr::toolchain
