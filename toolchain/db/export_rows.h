// Writes all instructions, with names, to a Parquet or CSV file.
//
// Its columns are those of the view `asm`, but loops count from 1 in each module: their numbers in a database file
// depend on the order in which it was made. Rows are in the order of build id, module and address.
#ifndef SOFTLBR_TOOLCHAIN_DB_EXPORT_ROWS_H_
#define SOFTLBR_TOOLCHAIN_DB_EXPORT_ROWS_H_

#include <string>

#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

// UsageFailure if the file's name ends neither in .parquet nor in .csv.
void CheckExportName(const std::string& file);

// The instructions of a database file. `file` is replaced as a whole or left as it was.
void ExportInstructions(const Connection& connection, const std::string& file);

// The same with the rows of a question.
void ExportRows(const Connection& connection, const std::string& question, const std::string& file);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_EXPORT_ROWS_H_
