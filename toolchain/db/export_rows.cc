#include "toolchain/db/export_rows.h"

#include "toolchain/base/failure.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

bool IsParquet(const std::string& file) { return file.ends_with(".parquet"); }

// A module's loops have numbers one after another.
constexpr char kQuestion[] =
    "SELECT a.* REPLACE (l.number AS loop) FROM asm a LEFT JOIN"
    " (SELECT id, (id - min(id) OVER (PARTITION BY module) + 1)::UINTEGER AS number FROM loop) l ON l.id = a.loop"
    " ORDER BY a.build_id, a.module, a.address";

}  // namespace

void CheckExportName(const std::string& file) {
  if (IsParquet(file) || file.ends_with(".csv")) return;
  throw UsageFailure("db export: " + SafeText(file) + " ends neither in .parquet nor in .csv, which say what to write");
}

void ExportInstructions(const Connection& connection, const std::string& file) {
  ExportRows(connection, kQuestion, file);
}

void ExportRows(const Connection& connection, const std::string& question, const std::string& file) {
  CheckExportName(file);
  ReplacedFile target(file);
  // The name is a value, not a part of the statement.
  Statement(connection, "SET VARIABLE export_file = $1").Bind(std::string_view(target.temporary())).Execute();
  connection.Run("COPY (" + question + ") TO (getvariable('export_file')) " +
                 (IsParquet(file) ? "(FORMAT parquet, COMPRESSION zstd)" : "(FORMAT csv, HEADER)"));
  target.Commit();
}

}  // namespace softlbr::toolchain
