#include "toolchain/db/schema.h"

#include <map>

#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"

namespace softlbr::toolchain {
namespace {

struct Column {
  const char* name;
  DuckType type;
};

struct Table {
  const char* name;
  std::vector<Column> columns;
};

const std::vector<Table>& Tables() {
  using enum DuckType;
  static const std::vector<Table> tables = {
      {"softlbr_schema", {{"version", kUbigint}}},
      // Facts.
      {"upload", {{"id", kUinteger}, {"name", kVarchar}, {"sha256", kVarchar}, {"bytes", kUbigint}, {"taken_branches", kUbigint}}},
      {"session", {{"id", kUbigint}, {"upload", kUinteger}, {"program", kVarchar}}},
      {"module",
       {{"id", kUinteger},
        {"name", kVarchar},
        {"build_id", kVarchar},
        {"machine", kUsmallint},
        {"elf_type", kUsmallint},
        {"is_main", kBoolean},
        {"identity", kVarchar},
        {"segments", kVarchar},
        {"file", kVarchar},
        {"is_pending", kBoolean},
        {"undecodable_ranges", kUbigint}}},
      {"range_count", {{"module", kUinteger}, {"first", kUbigint}, {"last", kUbigint}, {"count", kUbigint}}},
      {"branch_count",
       {{"from_module", kUinteger},
        {"from_address", kUbigint},
        {"to_module", kUinteger},
        {"to_address", kUbigint},
        {"count", kUbigint}}},
      {"sample_count", {{"module", kUinteger}, {"address", kUbigint}, {"count", kUbigint}}},
      // Recovered.
      {"function",
       {{"id", kUinteger},
        {"module", kUinteger},
        {"name", kVarchar},
        {"start", kUbigint},
        {"bytes", kUbigint},
        {"is_stub", kBoolean}}},
      {"block",
       {{"id", kUinteger},
        {"module", kUinteger},
        {"function", kUinteger},
        {"start", kUbigint},
        {"bytes", kUbigint},
        {"instructions", kUinteger},
        {"count", kUbigint},
        {"samples", kUbigint},
        {"branch", kVarchar},
        {"loop", kUinteger},
        {"depth", kUinteger},
        {"prior", kBigint},
        {"next", kBigint}}},
      {"loop",
       {{"id", kUinteger},
        {"module", kUinteger},
        {"function", kUinteger},
        {"header", kUinteger},
        {"parent", kUinteger},
        {"depth", kUinteger},
        {"is_reducible", kBoolean}}},
      {"edge",
       {{"from_module", kUinteger},
        {"from_address", kUbigint},
        {"to_module", kUinteger},
        {"to_address", kUbigint},
        {"kind", kVarchar},
        {"count", kUbigint},
        {"explained", kVarchar}}},
      {"opcode",
       {{"id", kUinteger},
        {"mnemonic", kVarchar},
        {"extension", kVarchar},
        {"packing", kVarchar},
        {"memory", kVarchar},
        {"operands", kVarchar},
        {"branch", kVarchar}}},
      {"source", {{"id", kUinteger}, {"file", kVarchar}}},
      {"instruction",
       {{"module", kUinteger},
        {"address", kUbigint},
        {"bytes", kUtinyint},
        {"opcode", kUinteger},
        {"function", kUinteger},
        {"block", kUinteger},
        {"loop", kUinteger},
        {"depth", kUinteger},
        {"count", kUbigint},
        {"samples", kUbigint},
        {"prior_bytes", kUtinyint},
        {"source", kUinteger},
        {"line", kUinteger}}},
  };
  return tables;
}

const char* TypeName(DuckType type) {
  switch (type) {
    case DuckType::kBoolean: return "BOOLEAN";
    case DuckType::kUtinyint: return "UTINYINT";
    case DuckType::kUsmallint: return "USMALLINT";
    case DuckType::kUinteger: return "UINTEGER";
    case DuckType::kUbigint: return "UBIGINT";
    case DuckType::kBigint: return "BIGINT";
    default: return "VARCHAR";
  }
}

// One row for each instruction, with every name: what questions are asked of.
constexpr char kView[] =
    "CREATE VIEW asm AS SELECT b.name AS module, b.build_id, f.name AS function, i.address, i.bytes, o.mnemonic, o.extension, "
    "o.packing,"
    " o.memory, o.operands, o.branch, i.count, i.samples, k.start AS block, i.loop, i.depth,"
    " CASE WHEN i.address = k.start THEN (i.address::HUGEINT + k.prior)::UBIGINT ELSE i.address - i.prior_bytes END AS "
    "prior_address,"
    " CASE WHEN i.address - k.start + i.bytes = k.bytes THEN (i.address::HUGEINT + k.next)::UBIGINT ELSE i.address + i.bytes END"
    " AS next_address,"
    " s.file, i.line FROM instruction i JOIN module b ON b.id = i.module JOIN opcode o ON o.id = i.opcode JOIN block k ON k.id = "
    "i.block"
    " LEFT JOIN function f ON f.id = i.function LEFT JOIN source s ON s.id = i.source";

uint64_t TablesIn(const Connection& connection) {
  Rows rows = connection.Query("SELECT count(*)::UBIGINT FROM duckdb_tables()");
  rows.Next();
  return rows.Count(0);
}

}  // namespace

void CheckSchema(const Connection& connection) {
  Rows found = connection.Query("SELECT count(*)::UBIGINT FROM duckdb_tables() WHERE table_name = 'softlbr_schema'");
  found.Next();
  if (found.Count(0) == 0) throw StatedFailure("db: the database has no tables of softlbr; name one that `softlbr db ingest` made");
  Rows rows = connection.Query("SELECT version FROM softlbr_schema");
  if (!rows.Next() || rows.Count(0) != kSchemaVersion) {
    throw StatedFailure("db: the database is of another version of softlbr; ingest the profiles into a new one");
  }
}

void PrepareSchema(const Connection& connection) {
  if (TablesIn(connection) != 0) return CheckSchema(connection);
  Transaction transaction(connection);
  for (const Table& table : Tables()) {
    std::string sql = "CREATE TABLE " + std::string(table.name) + " (";
    for (size_t i = 0; i < table.columns.size(); ++i) {
      sql += std::string(i == 0 ? "" : ", ") + table.columns[i].name + " " + TypeName(table.columns[i].type);
    }
    connection.Run(sql + ")");
  }
  connection.Run(kView);
  Statement insert(connection, "INSERT INTO softlbr_schema VALUES ($1)");
  insert.Bind(kSchemaVersion).Execute();
  transaction.Commit();
}

const std::vector<DuckType>& ColumnsOf(const std::string& table) {
  static const std::map<std::string, std::vector<DuckType>> types = [] {
    std::map<std::string, std::vector<DuckType>> of;
    for (const Table& one : Tables()) {
      for (const Column& column : one.columns) of[one.name].push_back(column.type);
    }
    return of;
  }();
  return types.at(table);
}

uint32_t NextId(const Connection& connection, const std::string& table) {
  Rows rows = connection.Query("SELECT coalesce(max(id), 0)::UBIGINT FROM " + table);
  rows.Next();
  if (rows.Count(0) >= 0xfffffffeu)
    throw StatedFailure("db: " + SafeText(table) + " has no free number left; begin a new database");
  return static_cast<uint32_t>(rows.Count(0)) + 1;
}

}  // namespace softlbr::toolchain
