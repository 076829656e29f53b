#include "toolchain/db/store/schema.h"

#include <map>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

struct Column {
  const char* name;
  DuckType type;
  const char* enumeration = nullptr;  // of kEnum: the type's name
};

struct Table {
  const char* name;
  std::vector<Column> columns;
};

// Columns of few texts are enumerations: less than a byte a row. In alphabetical order, so that ORDER BY sorts them as
// texts.
struct Enumeration {
  const char* name;
  const char* texts;
};
constexpr Enumeration kEnumerations[] = {
    {"branch_kind", "'call', 'conditional', 'fallthrough', 'indirect_call', 'indirect_jump', 'jump', 'none', 'return'"},
    {"explained", "'no_branch', 'no_code', 'no_target', 'other_target', 'outside', 'yes'"},
};

const std::vector<Table>& Tables() {
  using enum DuckType;
  static const std::vector<Table> tables = {
      {"softlbr_schema", {{"version", kUbigint}}},
      // Facts.
      {"upload",
       {{"id", kUinteger},
        {"name", kVarchar},
        {"sha256", kVarchar},
        {"bytes", kUbigint},
        {"taken_branches", kUbigint}}},
      {"session", {{"id", kUbigint}, {"upload", kUinteger}, {"program", kVarchar}, {"labels", kVarchar}}},
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
        {"by_instructions", kBoolean},
        {"undecodable_ranges", kUbigint}}},
      {"range_count", {{"module", kUinteger}, {"first", kUbigint}, {"last", kUbigint}, {"count", kUbigint}}},
      {"new_branch",
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
        {"is_stub", kBoolean},
        {"inline_depth", kUinteger}}},
      {"block",
       {{"id", kUinteger},
        {"module", kUinteger},
        {"function", kUinteger},
        {"start", kUbigint},
        {"bytes", kUbigint},
        {"instructions", kUinteger},
        {"count", kUbigint},
        {"samples", kUbigint},
        {"branch", kEnum, "branch_kind"},
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
        {"kind", kEnum, "branch_kind"},
        {"count", kUbigint},
        {"explained", kEnum, "explained"}}},
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
        {"depth", kUinteger},
        {"count", kUbigint},
        {"samples", kUbigint},
        {"prior_bytes", kUtinyint},
        {"source", kUinteger},
        {"line", kUinteger}}},
  };
  return tables;
}

const char* TypeName(const Column& column) {
  switch (column.type) {
    case DuckType::kEnum: return column.enumeration;
    case DuckType::kBoolean: return "BOOLEAN";
    case DuckType::kUtinyint: return "UTINYINT";
    case DuckType::kUsmallint: return "USMALLINT";
    case DuckType::kUinteger: return "UINTEGER";
    case DuckType::kUbigint: return "UBIGINT";
    case DuckType::kBigint: return "BIGINT";
    default: return "VARCHAR";
  }
}

// One row for each instruction, with every name; the view for queries.
constexpr char kView[] =
    "CREATE VIEW asm AS SELECT b.name AS module, b.build_id, f.name AS function, i.address, i.bytes, o.mnemonic, "
    "o.extension, "
    "o.packing,"
    " o.memory, o.operands, o.branch, i.count, i.samples, k.start AS block, k.loop, i.depth,"
    " CASE WHEN i.address = k.start THEN (i.address::HUGEINT + k.prior)::UBIGINT ELSE i.address - i.prior_bytes END AS "
    "prior_address,"
    " CASE WHEN i.address - k.start + i.bytes = k.bytes THEN (i.address::HUGEINT + k.next)::UBIGINT ELSE i.address + "
    "i.bytes END"
    " AS next_address,"
    " s.file, i.line FROM instruction i JOIN module b ON b.id = i.module JOIN opcode o ON o.id = i.opcode JOIN block k "
    "ON k.id = "
    "i.block"
    " LEFT JOIN function f ON f.id = i.function LEFT JOIN source s ON s.id = i.source";

// One row for each taken branch of each upload or, once a binary was recovered, for all of its uploads.
constexpr char kBranchView[] =
    "CREATE VIEW branch_count AS FROM new_branch UNION ALL SELECT from_module, from_address, to_module, to_address, "
    "count FROM edge"
    " WHERE kind <> 'fallthrough'";

uint64_t TablesIn(const Connection& connection) {
  Rows rows = connection.Query("SELECT count(*)::UBIGINT FROM duckdb_tables()");
  rows.Next();
  return rows.Count(0);
}

}  // namespace

void CheckSchema(const Connection& connection) {
  Rows found = connection.Query("SELECT count(*)::UBIGINT FROM duckdb_tables() WHERE table_name = 'softlbr_schema'");
  found.Next();
  if (found.Count(0) == 0)
    throw StatedFailure("db: the database has no tables of softlbr; name one that `softlbr db ingest` made");
  Rows rows = connection.Query("SELECT version FROM softlbr_schema");
  const uint64_t version = rows.Next() ? rows.Count(0) : 0;
  if (version == kSchemaVersion) return;
  const std::string age = version < kSchemaVersion ? "an older" : "a newer";
  const std::string remedy = version < kSchemaVersion ? "ingest the profiles into a new one" : "use that softlbr";
  throw StatedFailure("db: " + age + " softlbr made the database (its tables are of version " +
                      std::to_string(version) + ", this softlbr's of " + std::to_string(kSchemaVersion) + "); " +
                      remedy);
}

void PrepareSchema(const Connection& connection) {
  if (TablesIn(connection) != 0) return CheckSchema(connection);
  Transaction transaction(connection);
  for (const Enumeration& type : kEnumerations) {
    connection.Run(std::string("CREATE TYPE ") + type.name + " AS ENUM (" + type.texts + ")");
  }
  for (const Table& table : Tables()) {
    std::string sql = "CREATE TABLE " + std::string(table.name) + " (";
    for (size_t i = 0; i < table.columns.size(); ++i) {
      sql += std::string(i == 0 ? "" : ", ") + table.columns[i].name + " " + TypeName(table.columns[i]);
    }
    connection.Run(sql + ")");
  }
  connection.Run(kView);
  connection.Run(kBranchView);
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
