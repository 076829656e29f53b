#include "toolchain/clickhouse/server_report.h"

#include <future>
#include <memory>
#include <mutex>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/db/charts/report_plan.h"
#include "toolchain/db/store/table_writer.h"

namespace softlbr::toolchain {
namespace {

// The type in memory of a server's type. Others are kept as texts.
std::string MemoryType(std::string_view type) {
  constexpr std::string_view kNullable = "Nullable(";
  if (type.starts_with(kNullable)) type = type.substr(kNullable.size(), type.size() - kNullable.size() - 1);
  constexpr std::pair<std::string_view, const char*> kTypes[] = {
      {"UInt8", "UTINYINT"}, {"UInt16", "USMALLINT"}, {"UInt32", "UINTEGER"}, {"UInt64", "UBIGINT"},
      {"Int8", "TINYINT"},   {"Int16", "SMALLINT"},   {"Int32", "INTEGER"},   {"Int64", "BIGINT"},
      {"Float32", "DOUBLE"}, {"Float64", "DOUBLE"}};
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

// Rows of one or two unsigned integers as the list after IN. ClickHouse rejects an empty list, so it begins with a
// number that no row has. That is not 0, which stands for all code without symbols.
std::string ListOf(Rows rows) {
  constexpr char kNoRow[] = "4294967295";
  const bool is_pair = rows.columns() == 2;
  std::string list = is_pair ? std::string("((") + kNoRow + "," + kNoRow + ")" : std::string("(") + kNoRow;
  while (rows.Next()) {
    const std::string first = std::to_string(rows.Count(0));
    list += is_pair ? ",(" + first + "," + std::to_string(rows.Count(1)) + ")" : "," + first;
  }
  return list + ")";
}

bool IsUnsigned(std::string_view type) {
  return type == "UInt8" || type == "UInt16" || type == "UInt32" || type == "UInt64";
}

[[noreturn]] void FailAsDifferent() {
  throw ServerFailure("db: the servers answer with different columns; are they of one version?");
}

// kAny: all servers are asked at the same time.
enum class RowOrder { kByServer, kAny };

// Fills `table` with unsigned integers and texts: c0, c1, ..., and returns the columns' names and types as a list of
// expressions.
std::string Collect(const ServerSet& servers, const Connection& memory, const std::string& sql,
                    const std::string& table, RowOrder order) {
  std::unique_ptr<TableWriter> writer;
  std::vector<std::string> types;
  std::vector<DuckType> kinds;
  std::string expressions;
  const auto begin = [&](const AnswerReader& reader) {
    if (writer != nullptr) return;
    types = reader.types();
    if (types.empty()) throw ServerFailure("db: the statement is no question; servers answer SELECT");
    std::string columns;
    for (size_t i = 0; i < types.size(); ++i) {
      const std::string column = "c" + std::to_string(i);
      kinds.push_back(IsUnsigned(types[i]) ? DuckType::kUbigint : DuckType::kVarchar);
      columns += (i == 0 ? "" : ", ") + column + (IsUnsigned(types[i]) ? " UBIGINT" : " VARCHAR");
      expressions += (i == 0 ? "CAST(" : ", CAST(") + column + " AS " + MemoryType(types[i]) + ") AS " +
                     QuotedName(reader.names()[i]);
    }
    memory.Run("CREATE OR REPLACE TABLE " + table + " (" + columns + ")");
    writer = std::make_unique<TableWriter>(memory, table, kinds);
  };
  std::mutex mutex;  // of all of the above
  const auto ask = [&](size_t i) {
    const AnswerReader* self = nullptr;
    AnswerReader reader([&](const AnswerReader::Row& row) {
      const std::lock_guard<std::mutex> lock(mutex);
      begin(*self);
      if (row.size() != kinds.size()) FailAsDifferent();
      for (size_t k = 0; k < row.size(); ++k) {
        if (row[k].is_null) {
          writer->PutNull();
        } else if (kinds[k] == DuckType::kUbigint) {
          writer->Put(row[k].Count());
        } else {
          writer->Put(std::string_view(row[k].text));
        }
      }
      writer->EndRow();
    });
    self = &reader;
    servers[i].Ask(sql, &reader);
    const std::lock_guard<std::mutex> lock(mutex);
    begin(reader);
    if (reader.types() != types) FailAsDifferent();
  };
  if (order == RowOrder::kByServer) {
    for (size_t i = 0; i < servers.size(); ++i) ask(i);
  } else {
    std::vector<std::future<void>> asked;
    for (size_t i = 0; i < servers.size(); ++i) asked.push_back(std::async(std::launch::async, ask, i));
    for (std::future<void>& one : asked) one.get();
  }
  writer->Close();
  return expressions;
}

}  // namespace

Rows AskReport(const ServerSet& servers, const Connection& memory, const std::string& sql) {
  const ReportPlan plan = PlanReport(sql);
  for (const ServerPart& part : plan.parts) {
    const std::string part_sql =
        PutInAnswers(part.sql, [&](const std::string& question) { return ListOf(memory.Query(question)); });
    const std::string expressions = Collect(servers, memory, part_sql, "answers", RowOrder::kAny);
    try {
      memory.Run("CREATE OR REPLACE TABLE " + part.name + " AS SELECT " + expressions + " FROM answers");
    } catch (const StatedFailure&) {
      throw ServerFailure(
          "db: the server's answer has other values than its types; is the address that of a ClickHouse server?");
    }
    memory.Run("DROP TABLE answers");
  }
  return memory.Query(plan.rest);
}

Rows AskServers(const ServerSet& servers, const Connection& memory, const std::string& sql) {
  memory.Run("SET preserve_insertion_order = true");
  const std::string expressions = Collect(servers, memory, sql, "answers", RowOrder::kByServer);
  return memory.Query("SELECT " + expressions + " FROM answers");
}

}  // namespace softlbr::toolchain
