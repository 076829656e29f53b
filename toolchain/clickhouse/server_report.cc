#include "toolchain/clickhouse/server_report.h"

#include <memory>

#include "toolchain/db/report_plan.h"
#include "toolchain/db/table_writer.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"

namespace softlbr::toolchain {
namespace {

// The type in memory of a server's type. Others are kept as texts.
std::string MemoryType(std::string_view type) {
  constexpr std::string_view kNullable = "Nullable(";
  if (type.starts_with(kNullable)) type = type.substr(kNullable.size(), type.size() - kNullable.size() - 1);
  constexpr std::pair<std::string_view, const char*> kTypes[] = {
      {"UInt8", "UTINYINT"}, {"UInt16", "USMALLINT"}, {"UInt32", "UINTEGER"}, {"UInt64", "UBIGINT"}, {"Int8", "TINYINT"},
      {"Int16", "SMALLINT"}, {"Int32", "INTEGER"},    {"Int64", "BIGINT"},    {"Float32", "DOUBLE"}, {"Float64", "DOUBLE"}};
  for (const auto& [name, in_memory] : kTypes) {
    if (type == name) return in_memory;
  }
  return type.starts_with("Decimal(") && type.ends_with(", 0)") ? "HUGEINT" : "VARCHAR";
}

std::string QuotedName(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : Utf8Text(name)) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Fills `table` with texts: c0, c1, ..., and returns the columns' names and types as a list of expressions.
std::string Collect(const ServerSet& servers, const Connection& memory, const std::string& sql, const std::string& table) {
  std::unique_ptr<TableWriter> writer;
  std::vector<std::string> types;
  std::string expressions;
  const auto begin = [&](const AnswerReader& reader) {
    if (writer != nullptr) return;
    types = reader.types();
    if (types.empty()) throw ServerFailure("db: the statement is no question; servers answer SELECT");
    std::string columns;
    for (size_t i = 0; i < types.size(); ++i) {
      const std::string column = "c" + std::to_string(i);
      columns += (i == 0 ? "" : ", ") + column + " VARCHAR";
      expressions +=
          (i == 0 ? "CAST(" : ", CAST(") + column + " AS " + MemoryType(types[i]) + ") AS " + QuotedName(reader.names()[i]);
    }
    memory.Run("CREATE OR REPLACE TABLE " + table + " (" + columns + ")");
    writer = std::make_unique<TableWriter>(memory, table, std::vector<DuckType>(types.size(), DuckType::kVarchar));
  };
  for (size_t i = 0; i < servers.size(); ++i) {
    const AnswerReader* self = nullptr;
    AnswerReader reader([&](const AnswerReader::Row& row) {
      begin(*self);
      for (const AnswerField& field : row) {
        if (field.is_null) {
          writer->PutNull();
        } else {
          writer->Put(std::string_view(field.text));
        }
      }
      writer->EndRow();
    });
    self = &reader;
    servers[i].Ask(sql, &reader);
    begin(reader);
    if (reader.types() != types) throw ServerFailure("db: the servers answer with different columns; are they of one version?");
  }
  writer->Close();
  return expressions;
}

}  // namespace

Rows AskReport(const ServerSet& servers, const Connection& memory, const std::string& sql) {
  const ReportPlan plan = PlanReport(sql);
  for (const ServerPart& part : plan.parts) {
    const std::string expressions = Collect(servers, memory, part.sql, "answers");
    try {
      memory.Run("CREATE OR REPLACE TABLE " + part.name + " AS SELECT " + expressions + " FROM answers");
    } catch (const StatedFailure&) {
      throw ServerFailure("db: the server's answer has other values than its types; is the address that of a ClickHouse server?");
    }
    memory.Run("DROP TABLE answers");
  }
  return memory.Query(plan.rest);
}

Rows AskServers(const ServerSet& servers, const Connection& memory, const std::string& sql) {
  memory.Run("SET preserve_insertion_order = true");
  const std::string expressions = Collect(servers, memory, sql, "answers");
  return memory.Query("SELECT " + expressions + " FROM answers");
}

}  // namespace softlbr::toolchain
