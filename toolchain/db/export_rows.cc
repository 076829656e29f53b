#include "toolchain/db/export_rows.h"

#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {

void ExportInstructions(const Connection& connection, const std::string& file) {
  const bool is_parquet = file.ends_with(".parquet");
  if (!is_parquet && !file.ends_with(".csv")) {
    throw UsageFailure("db export: " + SafeText(file) + " ends neither in .parquet nor in .csv, which say what to write");
  }
  ReplacedFile target(file);
  // The name is a value, not a part of the statement.
  Statement(connection, "SET VARIABLE export_file = $1").Bind(std::string_view(target.temporary())).Execute();
  connection.Run(std::string("COPY (FROM asm ORDER BY build_id, module, address) TO (getvariable('export_file')) ") +
                 (is_parquet ? "(FORMAT parquet, COMPRESSION zstd)" : "(FORMAT csv, HEADER)"));
  target.Commit();
}

}  // namespace softlbr::toolchain
